"""One run of a real vLLM engine, in a process of its own (an engine does not leave it whole).

Usage: python served_run.py SCENARIO MODEL_FOLDER < requests.json > outputs.json

Scenarios: ``structured``, ``ngram`` (structured, with drafts), ``logits`` (the logits processor),
``beams`` (beam search; outputs are texts, the prompt before them), ``errors`` (bad requests),
``reasoning`` (structured, behind ``</think>``), ``reasoning ngram`` (the same with drafts).
A request: ``{"prompt", "kind", "text", "params"}``; an output:
``{"text", "finish", "logprobs"}``, or ``{"error", "type"}``. ``ROUNDS=3`` in the environment also
times eight outputs of 40 tokens, with and without a constraint, three times each.
"""

from __future__ import annotations

import json
import os
import sys
import time

SETTINGS = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "OMP_NUM_THREADS": "1",
    "VLLM_NO_USAGE_STATS": "1",
}


# Under the constraint and without it an output is 40 tokens long, so that times can be compared.
TIMED = {
    "prompt": "Once upon a time",
    "params": {"max_tokens": 40, "min_tokens": 40, "temperature": 0.0},
    "structured": {"kind": "json", "text": '{"type": "string", "minLength": 400}'},
    "free": {},
}


def structured(kind, text):
    from vllm.sampling_params import StructuredOutputsParams

    if kind is None:
        return None
    if kind == "json_object":
        return StructuredOutputsParams(json_object=True)
    value = json.loads(text) if kind == "choice" else text
    return StructuredOutputsParams(**{kind: value})


def sampling(scenario, request):
    from vllm import SamplingParams

    given = dict(request.get("params", {}))
    if scenario != "logits":
        given["structured_outputs"] = structured(request.get("kind"), request.get("text"))
    elif request.get("kind"):
        given["extra_args"] = {"formgate": request["text"], "formgate_kind": request["kind"]}
    return SamplingParams(**given)


def generated(engine, scenario, requests):
    params = [sampling(scenario, request) for request in requests]
    prompts = [request["prompt"] for request in requests]
    return [described(each) for each in engine.generate(prompts, params)]


def described(output):
    return [
        {
            "text": each.text,
            "finish": each.finish_reason,
            "tokens": len(each.token_ids),
            "logprobs": [
                sum(value.logprob > -1e30 for value in step.values())
                for step in each.logprobs or ()
            ],
        }
        for each in output.outputs
    ]


def refused(engine, scenario, request):
    from vllm.exceptions import VLLMValidationError

    try:
        engine.generate([request["prompt"]], sampling(scenario, request))
    except VLLMValidationError as error:
        return {"type": type(error).__name__, "error": str(error)}
    return {"type": None}


def beams(engine, request):
    from vllm.sampling_params import BeamSearchParams

    wanted = structured(request["kind"], request["text"])
    params = BeamSearchParams(structured_outputs=wanted, **request["params"])
    [found] = engine.beam_search([{"prompt": request["prompt"]}], params)
    return [each.text for each in found.sequences]


def main():
    scenario, folder = sys.argv[1:]
    # vLLM's own lines go to the error output, whatever prints them.
    result = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    if scenario != "logits":
        os.environ["FORMGATE_VLLM_BACKEND"] = "outlines"
    from vllm import LLM

    options = {}
    if "ngram" in scenario:
        options["speculative_config"] = {
            "method": "ngram",
            "num_speculative_tokens": 3,
            "prompt_lookup_max": 3,
            "prompt_lookup_min": 1,
        }
    structured_outputs = {"backend": "outlines"}
    if "reasoning" in scenario:
        structured_outputs["reasoning_parser"] = "deepseek_r1"
    if scenario == "logits":
        options["logits_processors"] = ["formgate.adapters.vllm:FormgateLogitsProcessor"]
    engine = LLM(
        model=folder,
        dtype="float32",
        max_model_len=512,
        max_num_seqs=16,
        enforce_eager=True,
        structured_outputs_config=structured_outputs,
        max_logprobs=-1,
        disable_log_stats=False,
        **options,
    )
    requests = json.load(sys.stdin)
    if scenario == "errors":
        outputs = [refused(engine, scenario, request) for request in requests]
    elif scenario == "beams":
        outputs = [beams(engine, request) for request in requests]
    else:
        outputs = generated(engine, scenario, requests)
    seconds = []
    for _ in range(int(os.environ.get("ROUNDS", "0"))):
        for kind in ("structured", "free"):
            started = time.perf_counter()
            generated(engine, scenario, [{**TIMED, **TIMED[kind]}] * 8)
            seconds.append((kind, time.perf_counter() - started))
    counters = {
        metric.name: getattr(metric, "value", None)
        for metric in engine.get_metrics()
        if metric.name.startswith("vllm:spec_decode")
    }
    json.dump({"outputs": outputs, "counters": counters, "seconds": seconds}, result)
    result.close()


if __name__ == "__main__":
    main()
