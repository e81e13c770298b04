"""Print ``plugins/cfg/grammars/smiles.gbnf``.

Ring numbers open and close in pairs wherever in the molecule they stand, which a grammar says by
having a rule for each set of numbers open before and after a part. Two numbers make four sets, so
sixteen rules of each kind; they are printed, since nobody should write them.

Usage: python tools/smiles_grammar.py > plugins/cfg/grammars/smiles.gbnf
"""

from __future__ import annotations

DIGITS = "12"
SETS = ("", "1", "2", "12")
RINGS = ("", "1", "2", "12", "21")
ELEMENTS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As
Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu
Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np
Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og b c n o p s
as se
""".split()  # noqa: SIM905 (a list of words is read as words)
HEADER = """\
# SMILES: a molecule in the notation of the OpenSMILES specification, with ring numbers 1 and 2
#
# Ring numbers come in pairs; at most two rings are open at a time, each number free again when its
# ring is closed. A bond before a ring number stands where the ring opens. Not checked: valences,
# whether aromatic atoms stand in rings, whether / and \\ come in pairs, and whether a ring bond
# joins two atoms that are joined already. Not taken: other ring numbers, longer marks of chirality.
#
# A rule chain-A-B is a part of the molecule before which the rings A are open, and after which B.
# tools/smiles_grammar.py prints this file.
#
# SPDX-License-Identifier: Apache-2.0
"""
ATOMS = """\
root    ::= chain-0-0

atom    ::= organic | bracket | "*"
organic ::= "Br" | "Cl" | [BCNOPSFI] | [bcnops]
bracket ::= "[" isotope? symbol chiral? hydrogens? charge? class? "]"
isotope ::= [1-9] [0-9]{0,2}
chiral  ::= "@" | "@@"
hydrogens ::= "H" [1-9]?
charge  ::= [-+] ( [1-9] | "1" [0-5] )?
class   ::= ":" ( "0" | [1-9] [0-9]{0,3} )
bond    ::= [-=#$:/\\\\]
link    ::= bond | "."
"""


def _name(kind: str, before: str, after: str) -> str:
    return f"{kind}-{before or '0'}-{after or '0'}"


def _toggled(opened: str, ring: str) -> str:
    """Return the set of open rings after a ring number."""
    return "".join(digit for digit in DIGITS if (digit in opened) != (digit == ring))


def _chain(before: str, after: str) -> str:
    """Return the rule of an atom with its ring numbers and all that hangs on it."""
    alternatives = []
    for rings in RINGS:
        opened, marks = before, ""
        for ring in rings:
            marks += f' "{ring}"' if ring in opened else f' bond? "{ring}"'
            opened = _toggled(opened, ring)
        alternatives.append(f"atom{marks} {_name('rest', opened, after)}")
    return f"{_name('chain', before, after)} ::= " + " |\n  ".join(alternatives)


def _rest(before: str, after: str) -> str:
    """Return the rule of an atom's branches and the next atom."""
    alternatives = [
        f'"(" link? {_name("chain", before, between)} ")" {_name("rest", between, after)}'
        for between in SETS
    ]
    alternatives.append(f"link? {_name('chain', before, after)}")
    if before == after:
        alternatives.append('""')
    return f"{_name('rest', before, after)} ::= " + " |\n  ".join(alternatives)


def grammar() -> str:
    """Return the text of the grammar."""
    lines = ["symbol  ::="]
    for index, element in enumerate((*ELEMENTS, "*")):
        more = f' "{element}"' + (" |" if index < len(ELEMENTS) else "")
        if len(lines[-1] + more) > 100:
            lines.append("           ")
        lines[-1] += more
    pairs = [(before, after) for before in SETS for after in SETS]
    rules = [rule(*pair) for pair in pairs for rule in (_chain, _rest)]
    return "\n".join([HEADER, ATOMS + "\n".join(lines), "", "\n\n".join(rules), ""])


if __name__ == "__main__":
    print(grammar(), end="")
