#!/usr/bin/env bash
# An environment with llama-cpp-python: tools/llama_environment.sh [--is-built] FOLDER
#
# There is no binary package of llama-cpp-python, so it is built from source once, without the part
# that reads images (some five minutes of processor time; a C++ compiler, cmake and ninja are needed),
# and kept as a wheel in $XDG_CACHE_HOME/formgate/wheels. The environment in FOLDER shares the
# packages of .venv. Prints the path of its interpreter. With --is-built: build nothing, and fail
# unless the wheel is there.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^llama-cpp-python==//p' "$root/constraints-dev.txt")
wheels=${XDG_CACHE_HOME:-$HOME/.cache}/formgate/wheels
find_wheel() { find "$wheels" -name "llama_cpp_python-$version-*.whl" 2>/dev/null | head -n 1; }

if [[ ${1:-} == --is-built ]]; then
  test -n "$(find_wheel)"
  exit
fi
folder=${1:?usage: tools/llama_environment.sh [--is-built] FOLDER}
base=$root/.venv/bin/python
if [[ -z $(find_wheel) ]]; then
  echo "== building llama.cpp (once)" >&2
  mkdir -p "$wheels"
  partial=$(mktemp -d "$wheels/.partial-XXXXXX")
  trap 'rm -rf "$partial"' EXIT
  CMAKE_ARGS="-DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAVA_BUILD=OFF ${CMAKE_ARGS:-}" \
    "$base" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$partial" \
    "llama-cpp-python==$version"
  mv "$partial"/*.whl "$wheels"
fi
if [[ ! -e $folder/.done-$version ]]; then
  rm -rf "$folder"
  "$base" -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
    --constraint "$root/constraints-dev.txt" "$(find_wheel)" diskcache Jinja2 MarkupSafe
  site=$("$base" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "import site; site.addsitedir('$site')" \
    >"$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/checkout.pth"
  touch "$folder/.done-$version"
fi
echo "$folder/bin/python"
