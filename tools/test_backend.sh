#!/usr/bin/env bash
# Run a back end's tests in an environment of its own: tools/test_backend.sh NAME WHEEL
#
# NAME is mlx_lm, onnxruntime_genai or genlm_control; WHEEL is formgate's own. The environment is made
# the first time, in $XDG_CACHE_HOME/formgate/backends (0.4 to 1.5 GB, some minutes), and kept. PYTHON
# names the interpreter, TORCH_INDEX an extra index with CPU builds of torch.
set -euo pipefail

name=${1:?usage: tools/test_backend.sh NAME WHEEL}
wheel=${2:?usage: tools/test_backend.sh NAME WHEEL}
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-$(command -v python3.11 || command -v python3)}
alone=()       # installed without what they ask for
constraints=() # options of pip
case $name in
mlx_lm) packages=("mlx[cpu]==0.32.4" "mlx-lm==0.32.2") torch=no ;;
onnxruntime_genai)
  packages=("onnxruntime-genai==0.18.0" onnx onnx-ir "transformers==5.23.0" accelerate) torch=yes
  ;;
genlm_control)
  # Resolved together they keep pip searching without end, and bring bitsandbytes, which is for GPUs.
  # What they import besides stands below.
  alone=(genlm-control==0.4.1 genlm-backend==0.3.1 genlm-bytes==0.2.0 genlm-grammar==0.2.0 arsenal==3.1.3)
  packages=(transformers accelerate sentencepiece jsonschema regex lark interegular rich tqdm psutil
    numpy matplotlib scipy==1.17.1 pandas==3.1.1 numba==0.68.1 ipython==9.18.1 path==17.1.1
    frozendict==2.5.1 nltk==3.10.4 graphviz==0.21 json-stream==2.5.1)
  constraints=(--constraint "$root/constraints-dev.txt") torch=yes
  ;;
*)
  echo "no tests in an environment of its own for $name" >&2
  exit 2
  ;;
esac

folder=${XDG_CACHE_HOME:-$HOME/.cache}/formgate/backends/$name
pip=("$folder/bin/python" -m pip install --quiet --disable-pip-version-check)
[[ -n ${TORCH_INDEX:-} ]] && pip+=(--extra-index-url "$TORCH_INDEX")
if [[ ! -e $folder/.done ]]; then
  mkdir -p "$(dirname "$folder")"
  test -x "$folder/bin/python" || "$python" -m venv "$folder"
  # The version of constraints-dev.txt: a newer one would be a CUDA build of several gigabytes.
  [[ $torch == no ]] || "${pip[@]}" "$(grep '^torch==' "$root/constraints-dev.txt")"
  "${pip[@]}" "${constraints[@]}" "${packages[@]}" pytest hypothesis pluggy nanobind-backend
  [[ ${#alone[@]} == 0 ]] || "${pip[@]}" --no-deps "${alone[@]}"
  touch "$folder/.done"
fi
"${pip[@]}" --force-reinstall --no-deps "$wheel"
export OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1
cd "$root"
# From the tests' folder formgate is the wheel's, not the checkout's.
exec "$folder/bin/python" -P -m pytest -q -p no:cacheprovider "tests/adapters/test_$name.py"
