r"""The names that ``\p{..}`` takes, and the sets that they stand for.

The names are those of ECMA-262, tables 67 to 71, matched exactly: general categories (with or
without ``General_Category=``), scripts and script extensions, and binary properties. The sets are
those of the Unicode version of ``_ecma_tables``, whichever Python runs. Properties of strings,
which only the ``v`` flag has, are not among them. A table is unpacked when it is first asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from formgate.plugins.regex._ranges import Ranges, normalise

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BINARY", "CATEGORIES", "SCRIPTS", "property_set"]


def _read(text: str) -> dict[str, tuple[str, ...]]:
    """Return each name with its aliases."""
    pairs = [entry.partition(":") for entry in text.split()]
    return {name: tuple(aliases.split(",")) if aliases else () for name, _, aliases in pairs}


CATEGORIES: Mapping[str, tuple[str, ...]] = _read(
    "Cc:Control,cntrl Cf:Format Cn:Unassigned Co:Private_Use Cs:Surrogate Ll:Lowercase_Letter "
    "Lm:Modifier_Letter Lo:Other_Letter Lt:Titlecase_Letter Lu:Uppercase_Letter Mc:Spacing_Mark "
    "Me:Enclosing_Mark Mn:Nonspacing_Mark Nd:Decimal_Number,digit Nl:Letter_Number "
    "No:Other_Number Pc:Connector_Punctuation Pd:Dash_Punctuation Pe:Close_Punctuation "
    "Pf:Final_Punctuation Pi:Initial_Punctuation Po:Other_Punctuation Ps:Open_Punctuation "
    "Sc:Currency_Symbol Sk:Modifier_Symbol Sm:Math_Symbol So:Other_Symbol Zl:Line_Separator "
    "Zp:Paragraph_Separator Zs:Space_Separator "
)
# Categories that are unions of others: the name and its aliases, and what they unite.
_GROUPS: Mapping[str, tuple[str, ...]] = {
    "C Other": ("Cc", "Cf", "Cn", "Co", "Cs"),
    "LC Cased_Letter": ("Ll", "Lt", "Lu"),
    "L Letter": ("Ll", "Lm", "Lo", "Lt", "Lu"),
    "M Mark Combining_Mark": ("Mc", "Me", "Mn"),
    "N Number": ("Nd", "Nl", "No"),
    "P Punctuation punct": ("Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps"),
    "S Symbol": ("Sc", "Sk", "Sm", "So"),
    "Z Separator": ("Zl", "Zp", "Zs"),
}
SCRIPTS: Mapping[str, tuple[str, ...]] = _read(
    "Adlm:Adlam Ahom:Ahom Anatolian_Hieroglyphs:Hluw Arabic:Arab Armenian:Armn Avestan:Avst "
    "Balinese:Bali Bamum:Bamu Bassa_Vah:Bass Batak:Batk Bengali:Beng Beria_Erfe:Berf "
    "Bhaiksuki:Bhks Bopomofo:Bopo Brahmi:Brah Braille:Brai Buginese:Bugi Buhid:Buhd "
    "Canadian_Aboriginal:Cans Carian:Cari Caucasian_Albanian:Aghb Chakma:Cakm Cham:Cham "
    "Cherokee:Cher Chorasmian:Chrs Common:Zyyy Coptic:Copt,Qaac Cuneiform:Xsux Cypriot:Cprt "
    "Cypro_Minoan:Cpmn Cyrillic:Cyrl Deseret:Dsrt Devanagari:Deva Dives_Akuru:Diak Dogra:Dogr "
    "Duployan:Dupl Egyptian_Hieroglyphs:Egyp Elbasan:Elba Elymaic:Elym Ethiopic:Ethi Garay:Gara "
    "Georgian:Geor Glagolitic:Glag Gothic:Goth Grantha:Gran Greek:Grek Gujarati:Gujr "
    "Gunjala_Gondi:Gong Gurmukhi:Guru Gurung_Khema:Gukh Han:Hani Hangul:Hang "
    "Hanifi_Rohingya:Rohg Hanunoo:Hano Hatran:Hatr Hebrew:Hebr Hiragana:Hira "
    "Imperial_Aramaic:Armi Inherited:Qaai,Zinh Inscriptional_Pahlavi:Phli "
    "Inscriptional_Parthian:Prti Javanese:Java Kaithi:Kthi Kannada:Knda Katakana:Kana Kawi:Kawi "
    "Kayah_Li:Kali Kharoshthi:Khar Khitan_Small_Script:Kits Khmer:Khmr Khojki:Khoj "
    "Khudawadi:Sind Kirat_Rai:Krai Lao:Laoo Latin:Latn Lepcha:Lepc Limbu:Limb Linear_A:Lina "
    "Linear_B:Linb Lisu:Lisu Lycian:Lyci Lydian:Lydi Mahajani:Mahj Makasar:Maka Malayalam:Mlym "
    "Mandaic:Mand Manichaean:Mani Marchen:Marc Masaram_Gondi:Gonm Medefaidrin:Medf "
    "Meetei_Mayek:Mtei Mende_Kikakui:Mend Meroitic_Cursive:Merc Meroitic_Hieroglyphs:Mero "
    "Miao:Plrd Modi:Modi Mongolian:Mong Mro:Mroo Multani:Mult Myanmar:Mymr Nabataean:Nbat "
    "Nag_Mundari:Nagm Nandinagari:Nand New_Tai_Lue:Talu Newa:Newa Nko:Nkoo Nushu:Nshu "
    "Nyiakeng_Puachue_Hmong:Hmnp Ogham:Ogam Ol_Chiki:Olck Ol_Onal:Onao Old_Hungarian:Hung "
    "Old_Italic:Ital Old_North_Arabian:Narb Old_Permic:Perm Old_Persian:Xpeo Old_Sogdian:Sogo "
    "Old_South_Arabian:Sarb Old_Turkic:Orkh Old_Uyghur:Ougr Oriya:Orya Osage:Osge Osmanya:Osma "
    "Pahawh_Hmong:Hmng Palmyrene:Palm Pau_Cin_Hau:Pauc Phags_Pa:Phag Phoenician:Phnx "
    "Psalter_Pahlavi:Phlp Rejang:Rjng Runic:Runr Samaritan:Samr Saurashtra:Saur Sharada:Shrd "
    "Shavian:Shaw Siddham:Sidd Sidetic:Sidt SignWriting:Sgnw Sinhala:Sinh Sogdian:Sogd "
    "Sora_Sompeng:Sora Soyombo:Soyo Sundanese:Sund Sunuwar:Sunu Syloti_Nagri:Sylo Syriac:Syrc "
    "Tagalog:Tglg Tagbanwa:Tagb Tai_Le:Tale Tai_Tham:Lana Tai_Viet:Tavt Tai_Yo:Tayo Takri:Takr "
    "Tamil:Taml Tangsa:Tnsa Tangut:Tang Telugu:Telu Thaana:Thaa Thai:Thai Tibetan:Tibt "
    "Tifinagh:Tfng Tirhuta:Tirh Todhri:Todr Tolong_Siki:Tols Toto:Toto Tulu_Tigalari:Tutg "
    "Ugaritic:Ugar Unknown:Zzzz Vai:Vaii Vithkuqi:Vith Wancho:Wcho Warang_Citi:Wara Yezidi:Yezi "
    "Yi:Yiii Zanabazar_Square:Zanb "
)
BINARY: Mapping[str, tuple[str, ...]] = _read(
    "ASCII: ASCII_Hex_Digit:AHex Alphabetic:Alpha Any: Assigned: Bidi_Control:Bidi_C "
    "Bidi_Mirrored:Bidi_M Case_Ignorable:CI Cased: Changes_When_Casefolded:CWCF "
    "Changes_When_Casemapped:CWCM Changes_When_Lowercased:CWL "
    "Changes_When_NFKC_Casefolded:CWKCF Changes_When_Titlecased:CWT Changes_When_Uppercased:CWU "
    "Dash: Default_Ignorable_Code_Point:DI Deprecated:Dep Diacritic:Dia Emoji: "
    "Emoji_Component:EComp Emoji_Modifier:EMod Emoji_Modifier_Base:EBase "
    "Emoji_Presentation:EPres Extended_Pictographic:ExtPict Extender:Ext Grapheme_Base:Gr_Base "
    "Grapheme_Extend:Gr_Ext Hex_Digit:Hex IDS_Binary_Operator:IDSB IDS_Trinary_Operator:IDST "
    "ID_Continue:IDC ID_Start:IDS Ideographic:Ideo Join_Control:Join_C "
    "Logical_Order_Exception:LOE Lowercase:Lower Math: Noncharacter_Code_Point:NChar "
    "Pattern_Syntax:Pat_Syn Pattern_White_Space:Pat_WS Quotation_Mark:QMark Radical: "
    "Regional_Indicator:RI Sentence_Terminal:STerm Soft_Dotted:SD Terminal_Punctuation:Term "
    "Unified_Ideograph:UIdeo Uppercase:Upper Variation_Selector:VS White_Space:space "
    "XID_Continue:XIDC XID_Start:XIDS "
)


def _by_any_name(names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the main name by each name."""
    return {alias: name for name, aliases in names.items() for alias in (name, *aliases)}


@cache
def _names() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the main names of categories, scripts and binary properties by each of theirs."""
    return _by_any_name(CATEGORIES), _by_any_name(SCRIPTS), _by_any_name(BINARY)


@cache
def property_set(name: str) -> Ranges | None:
    r"""Return the code points of a property as it stands in ``\p{..}``; None for no such name."""
    categories, scripts, binary = _names()
    kind, equals, value = name.partition("=")
    if not equals:
        found = _category(name, categories)
        return _table(binary[name]) if found is None and name in binary else found
    if kind in ("General_Category", "gc"):
        return _category(value, categories)
    if kind in ("Script", "sc", "Script_Extensions", "scx"):
        script = scripts.get(value)
        if script is None:
            return None
        extended = None if kind in ("Script", "sc") else _table(f"scx={script}")
        return _table(f"sc={script}") if extended is None else extended
    return None


def _category(name: str, categories: Mapping[str, str]) -> Ranges | None:
    """Return the code points of a general category, or None."""
    if name in categories:
        return _table(f"gc={categories[name]}")
    for names, parts in _GROUPS.items():
        if name in names.split():
            tables = [_table(f"gc={part}") or () for part in parts]
            return normalise([span for table in tables for span in table])
    return None


def _table(name: str) -> Ranges | None:
    """Unpack a table."""
    from base64 import b85decode  # noqa: PLC0415 (few patterns need it)
    from zlib import decompress  # noqa: PLC0415

    from formgate.plugins.json_schema._ecma_tables import TABLES  # noqa: PLC0415 (60 KB)

    text = TABLES.get(name)
    if text is None:
        return None
    bounds: list[int] = []
    place = gap = 0
    for byte in decompress(b85decode(text)):
        gap = gap << 7 | byte & 127
        if byte < 128:
            place += gap
            bounds.append(place)
            gap = 0
    return normalise(zip(bounds[::2], [bound - 1 for bound in bounds[1::2]], strict=True))
