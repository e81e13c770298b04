"""``formgate backends``: the adapters, whether they can be used here, and if not, why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.cli._output import print_columns, print_json

if TYPE_CHECKING:
    import argparse

    from formgate.core.registry import AdapterSpec

__all__ = ["add_parser", "run"]

_TESTED = {"run": "run", "contract": "by contract", None: "unknown"}


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this subcommand to the command line."""
    parser = subparsers.add_parser(
        "backends",
        help="list the back ends and whether they can be used here",
        description="List the back ends that formgate has adapters for, and whether they can be "
        "used here. Versions are compared; nothing is imported unless --load is given. TESTED says "
        "whether the adapter's tests run the back end itself, or only hold the adapter against "
        "the back end's source and play its calls (by contract).",
    )
    parser.add_argument("--load", action="store_true", help="import each adapter as a trial")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the back ends."""
    from formgate.core.registry import default_registry  # noqa: PLC0415 (brings in pluggy)

    specs = [entry.spec for entry in default_registry().adapters()]
    states = [(spec, _problems(spec, load=args.load)) for spec in specs]
    if args.json:
        print_json(
            [
                {
                    "name": spec.name,
                    "description": spec.description,
                    "requires": list(spec.requires),
                    "tested": spec.tested,
                    "usable": not problems,
                    "problems": list(problems),
                    "install": spec.installation,
                }
                for spec, problems in states
            ]
        )
        return 0
    rows = [
        (
            spec.name,
            "usable"
            if not problems
            else f"{'; '.join(problems)}; run: pip install '{spec.installation}'",
            _TESTED[spec.tested],
            spec.description,
        )
        for spec, problems in states
    ]
    print_columns(("BACKEND", "STATE", "TESTED", "DESCRIPTION"), rows)
    return 0


def _problems(spec: AdapterSpec, *, load: bool) -> tuple[str, ...]:
    """Return why an adapter cannot be used; empty when it can."""
    problems = spec.problems()
    if problems or not load:
        return problems
    try:
        spec.load()
    except Exception as error:  # noqa: BLE001 (whatever its import raises is the answer)
        return (f"importing it failed: {type(error).__name__}: {' '.join(str(error).split())}",)
    return ()
