"""The engines of the suite: what each is, where it runs and which module adapts it.

An adapter module is imported only inside the engine's own process. To add an engine, write a module
with a subclass of `benchmarks.engines.base.Adapter` and add a line to `ENGINES`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineSpec:
    """One configuration of one engine.

    `environment` names a virtual environment (see `benchmarks.environments`), None is the
    interpreter that runs the benchmarks. `install` lists pip requirements, one call each, in order.
    `module` is what a program imports to use the package. `complete` says that the engine means its
    masks to hold every legal token. Cases in none of its `formats` are left out; so are
    vocabularies other than its `vocabularies`, where it is tied to some. `timeout_s` bounds a case
    more tightly than the run does, for engines that would take hours. The masks of an engine whose
    adapter has to add to them are not `comparable`. Those with `batches` fill many rows a call.
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
    module: str = ""
    vocabularies: tuple[str, ...] = ()
    timeout_s: float | None = None
    comparable: bool = True
    batches: bool = False


_SCHEMAS = ("json_schema", "json_schema_compact", "json_schema_any_order")
_LLGUIDANCE = (("numpy", "llguidance==1.9.1"),)

ENGINES = {
    spec.name: spec
    for spec in (
        EngineSpec(
            "trivial",
            package="none",
            adapter="benchmarks.engines.trivial:Trivial",
            description="every token, always: clocks, a call and a copy",
            formats=("regex", "lark", "gbnf", *_SCHEMAS),
            rival=False,
            complete=False,
            batches=True,
        ),
        EngineSpec(
            "formgate",
            package="formgate",
            adapter="benchmarks.engines.formgate:EngineAdapter",
            description="engine and immutable states, into a MaskBuffer",
            module="formgate",
            formats=("regex", "lark", "gbnf", *_SCHEMAS),
            rival=False,
            batches=True,
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
            "formgate-cold",
            package="formgate",
            adapter="benchmarks.engines.formgate:ColdAdapter",
            description="no masks while compiling (warm_up=False)",
            module="formgate",
            formats=("regex", "lark", "gbnf", *_SCHEMAS),
            rival=False,
        ),
        EngineSpec(
            "llguidance-complete",
            package="llguidance",
            adapter="benchmarks.engines.llguidance:Complete",
            description="no_forcing: masks hold every legal token",
            module="llguidance",
            formats=("regex", "lark", "json_schema", "json_schema_compact"),
            environment="llguidance",
            install=_LLGUIDANCE,
            batches=True,
        ),
        EngineSpec(
            "llguidance",
            package="llguidance",
            adapter="benchmarks.engines.llguidance:Default",
            description="defaults: only the canonical token where text is forced",
            formats=("regex", "lark", "json_schema", "json_schema_compact"),
            environment="llguidance",
            install=_LLGUIDANCE,
            complete=False,
            batches=True,
        ),
        EngineSpec(
            "xgrammar",
            package="xgrammar",
            adapter="benchmarks.engines.xgrammar:XGrammar",
            description="defaults, one compile thread, cache on",
            module="xgrammar",
            formats=("regex", "gbnf", *_SCHEMAS),
            environment="xgrammar",
            # torch alone first: the second call then cannot choose another build of it.
            install=(("numpy", "torch==2.13.0"), ("xgrammar==0.2.8", "torch==2.13.0")),
            batches=True,
        ),
        EngineSpec(
            "outlines-core",
            package="outlines-core",
            adapter="benchmarks.engines.outlines_core:OutlinesCore",
            description="index over the whole vocabulary",
            module="outlines_core",
            formats=("regex", "json_schema"),
            environment="outlines-core",
            install=(("numpy", "outlines-core==0.2.14"),),
        ),
        EngineSpec(
            "lm-format-enforcer",
            package="lm-format-enforcer",
            adapter="benchmarks.engines.lm_format_enforcer:LmFormatEnforcer",
            description="characters, in Python; lists of ids",
            module="lmformatenforcer",
            formats=("regex", "json_schema"),
            environment="lm-format-enforcer",
            install=(("numpy", "lm-format-enforcer==0.11.3"),),
            timeout_s=5.0,
        ),
        EngineSpec(
            "kbnf",
            package="kbnf",
            adapter="benchmarks.engines.kbnf:Kbnf",
            description="Earley parsing of bytes, masks cached by state",
            module="kbnf",
            formats=("regex", "kbnf"),
            environment="kbnf",
            install=(("numpy", "kbnf==0.4.2"),),
            comparable=False,
        ),
        EngineSpec(
            "llama-cpp",
            package="llama-cpp-python",
            adapter="benchmarks.engines.llama_cpp:LlamaCpp",
            description="llama.cpp's grammar sampler, through its C functions",
            module="llama_cpp",
            formats=("gbnf", "json_schema", "json_schema_compact"),
            environment="llama-cpp",
            install=(("numpy", "llama-cpp-python==0.3.36"),),
            vocabularies=("smollm2",),
        ),
    )
}
