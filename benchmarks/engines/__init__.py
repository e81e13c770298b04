"""The engines of the suite: what each is, where it runs and which module adapts it.

An adapter module is imported only inside the engine's own process. To add an engine, write a module
with a subclass of `benchmarks.engines.base.Adapter` and add a line to `ENGINES`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineSpec:
    """One configuration of one engine.

    `environment` names a virtual environment under `benchmarks/.envs`, None is the interpreter that
    runs the benchmarks. `install` lists pip requirements, one call each, in order. `complete` says
    that the engine means its masks to hold every legal token. Cases in none of its `formats` are
    left out.
    """

    name: str
    package: str
    adapter: str
    description: str
    environment: str | None = None
    install: tuple[tuple[str, ...], ...] = ()
    formats: tuple[str, ...] = ("regex",)
    rival: bool = True
    complete: bool = True


_SCHEMAS = ("json_schema", "json_schema_any_order")
_LLGUIDANCE = (("numpy", "llguidance==1.9.1"),)

ENGINES = {
    spec.name: spec
    for spec in (
        EngineSpec(
            "trivial",
            package="none",
            adapter="benchmarks.engines.trivial:Trivial",
            description="every token, always: the cost of calls and clocks",
            formats=("regex", "lark", "gbnf", *_SCHEMAS),
            rival=False,
            complete=False,
        ),
        EngineSpec(
            "formgate",
            package="formgate",
            adapter="benchmarks.engines.formgate:EngineAdapter",
            description="engine and immutable states, into a MaskBuffer",
            formats=("regex", "lark", "gbnf", *_SCHEMAS),
            rival=False,
        ),
        EngineSpec(
            "formgate-matcher",
            package="formgate",
            adapter="benchmarks.engines.formgate:MatcherAdapter",
            description="the mutable Matcher, into a numpy row",
            formats=("regex", "lark", "gbnf", *_SCHEMAS),
            rival=False,
        ),
        EngineSpec(
            "llguidance-complete",
            package="llguidance",
            adapter="benchmarks.engines.llguidance:Complete",
            description="no_forcing: masks hold every legal token",
            formats=("regex", "lark", "json_schema"),
            environment="llguidance",
            install=_LLGUIDANCE,
        ),
        EngineSpec(
            "llguidance",
            package="llguidance",
            adapter="benchmarks.engines.llguidance:Default",
            description="defaults: only the canonical token where text is forced",
            formats=("regex", "lark", "json_schema"),
            environment="llguidance",
            install=_LLGUIDANCE,
            complete=False,
        ),
        EngineSpec(
            "xgrammar",
            package="xgrammar",
            adapter="benchmarks.engines.xgrammar:XGrammar",
            description="defaults, one compile thread, cache on",
            formats=("regex", "gbnf", *_SCHEMAS),
            environment="xgrammar",
            # torch alone first: the second call then cannot choose another build of it.
            install=(("numpy", "torch==2.13.0"), ("xgrammar==0.2.8", "torch==2.13.0")),
        ),
        EngineSpec(
            "outlines-core",
            package="outlines-core",
            adapter="benchmarks.engines.outlines_core:OutlinesCore",
            description="index over the whole vocabulary",
            environment="outlines-core",
            install=(("numpy", "outlines-core==0.2.14"),),
        ),
    )
}
