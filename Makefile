# Every target sets up what it needs, with nothing on the machine but Python >= 3.11,
# make and a C++ compiler. Settings, given as `make NAME=value target`:
#   PYTHON  the interpreter to build the environments from
#   UV      empty to use venv and pip although uv is there
#   JOBS    processes that run tests (2)
#   WHEEL_PYTHON  the interpreter to build wheels with, best 3.12 or newer
#   ARCHS   processors to build wheels for (x86_64 aarch64)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run picture build test test-all test-native test-short test-python test-oldest \
        test-processors test-redirected lint format bench bench-quick docs wheel port sbom \
        sanitize sanitized clean distclean

# It would make every import compile its modules anew.
unexport PYTHONDONTWRITEBYTECODE

JOBS ?= 2
UV := $(shell uv --version >/dev/null 2>&1 && echo uv)
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.version_info < (3, 11) and sys.exit(1); print(sys.executable)' \
  2>/dev/null && break; done)

VENV := .venv
OLDEST := .venv-oldest
WHEEL := .venv-wheel
SANITIZE := .venv-sanitize
BIN := $(VENV)/bin

ENGINE := CMakeLists.txt pyproject.toml $(shell find native -name '*.[ch]pp')
PACKAGE := $(shell find src -type f ! -name '*.pyc')
# What the sanitizers last passed on, so that they run only when the engine has changed.
SANITIZED := native/sanitized.txt
NATIVE_HASH = cat CMakeLists.txt $(sort $(CXX_FILES)) | sha256sum | cut -d ' ' -f 1
CXX_FILES = $(shell find native -name '*.[ch]pp')

# $(call venv,DIR): an empty environment. $(call install,DIR): the start of its installer's command.
venv = $(if $(UV),uv venv --quiet --python "$(PYTHON)" $(1),"$(PYTHON)" -m venv $(1))
# What is imported is compiled then: pip would take as long to compile all the rest as to install it.
install = $(if $(UV),uv pip install --quiet --python $(1)/bin/python,$(1)/bin/python -m pip \
  install --quiet --disable-pip-version-check --no-compile)
# $(call require,DIR,GROUPS,EXTRA ARGUMENTS): the requirements of groups of pyproject.toml.
require = $(1)/bin/python tools/requirements.py $(2) > $(1)/requirements.txt && \
  $(call install,$(1)) -r $(1)/requirements.txt $(3)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.built $(VENV)/.ready-cli ## find the best ensemble for a published table, with a report
	$(BIN)/coterie fit src/coterie/datasets/tables/magic.csv.gz --target target --time 60s \
	  --out build/run --overwrite

picture: run $(VENV)/.ready-browser ## take the README's picture of a report anew, with Chromium
	$(BIN)/python tools/picture.py build/run/report.html docs/_static/report.png

build: $(VENV)/.built ## compile the engine and install the package in .venv, in place

# In a fresh clone, packages are installed and what the tests import of them is compiled while the
# engine compiles, and Python compiles the tests while C++ compiles its own: two test processes would
# both do all of it otherwise.
IMPORTED = anyio click dask.dataframe distributed httpx2 hypothesis imblearn.ensemble jinja2 \
  joblib matplotlib.pyplot narwhals onnx.reference onnxruntime pandas polars pyarrow.parquet pytest \
  rich_click scipy.stats sklearn.ensemble sklearn.utils.estimator_checks skops.io starlette.testclient \
  uvicorn xdist
test: $(VENV)/.ready-build ## the short suite: every estimator and every command, in minutes
	@{ $(MAKE) --no-print-directory $(VENV)/.ready-run $(VENV)/.ready-test && \
	  { test -e $(VENV)/.collected || { $(BIN)/python -m compileall -q src; \
	  for name in $(IMPORTED); do echo "import $$name"; done | $(BIN)/python -; true; }; }; \
	  } & packages=$$!; \
	  $(MAKE) --no-print-directory $(VENV)/.compiled; failed=$$?; wait $$packages && exit $$failed
	@test -e $(VENV)/.collected || { $(BIN)/python -m pytest -q --short --collect-only \
	  >$(VENV)/.collected 2>&1 & }; $(MAKE) test-native; failed=$$?; wait; exit $$failed
	$(MAKE) test-short

test-all: test-native test-python test-oldest test-processors test-redirected ## every test, in every setting

test-native: $(VENV)/.built ## the C++ unit tests
	$(BIN)/cmake --build build/editable --target coterie_tests
	$(BIN)/ctest --test-dir build/editable --output-on-failure

# Each process begins with a part of its own, so that what tests of a module share is made once.
SPREAD = -n $(JOBS) --dist worksteal
# Each test process has a core of its own; threads of BLAS in every one of them would fight.
test-short test-python test-oldest: export OMP_NUM_THREADS = 1

test-short: $(VENV)/.built $(VENV)/.ready-test ## Python tests without the slow and repetitive ones
	$(BIN)/python -m pytest $(SPREAD) -q --short

# Many of the slow tests wait for processes of their own, so that two more share the cores.
test-python: $(VENV)/.built $(VENV)/.ready-test $(VENV)/.ready-peers ## all Python tests and doctests
	$(BIN)/python -m pytest -n $$(($(JOBS) + 2)) --dist worksteal -q

# An installed wheel, so that a file missing from it is noticed too.
# What depends on the versions: scikit-learn's own checks, and reading tables.
OLDEST_TESTS = tests/contract/test_sklearn_checks.py tests/contract/test_exports.py \
  tests/base tests/data tests/datasets tests/trees
test-oldest: $(OLDEST)/.built ## contract tests with the oldest supported scikit-learn
	$(OLDEST)/bin/python -m pytest $(SPREAD) -q --short -p no:cacheprovider $(wildcard $(OLDEST_TESTS))

test-redirected: $(VENV)/.built $(VENV)/.ready-test ## other projects' tests of their ensembles
	$(BIN)/python tools/redirected.py -n $(JOBS)

# What other processors would do, as far as one can be told to pretend: BLAS kernels of several
# generations, NumPy and libm at their plainest, and an engine without clones for newer ones. Of
# that engine, only loops that would have clones are optimised in full: the others are the usual
# one's. What has no product of matrices in it is not tried with other kernels.
KERNEL_TESTS = tests/golden tests/interpretation tests/theory tests/fusion tests/diversity \
  tests/boosting/margin tests/selection/pruning
PROCESSOR_TESTS = $(KERNEL_TESTS) tests/native tests/losses tests/boosting/test_steps.py \
  tests/boosting/test_line_search.py
PLAIN_NUMPY = X86_V3 X86_V4 AVX512_ICL AVX512_SPR
PLAIN_LIBM = glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F
# Kernels that this processor can run; those for Zen are Haswell's, bit for bit.
KERNELS := $(shell grep -qs avx2 /proc/cpuinfo && echo Haswell; \
  grep -qs avx512f /proc/cpuinfo && echo SkylakeX)
try_processors = $(BIN)/python -m pytest $(SPREAD) -q -p no:cacheprovider
test-processors: $(VENV)/.built $(VENV)/.ready-test ## the same bits and digits on other processors
	$(BIN)/cmake -S . -B build/plain -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python -DCOTERIE_NO_CLONES=ON -DCOTERIE_QUICK_BUILD=ON
	$(BIN)/cmake --build build/plain --target _engine
	COTERIE_TEST_ENGINE="$$(ls $(CURDIR)/build/plain/_engine.*so)" OMP_NUM_THREADS=1 \
	  OPENBLAS_CORETYPE=Prescott NPY_DISABLE_CPU_FEATURES="$(PLAIN_NUMPY)" \
	  GLIBC_TUNABLES=$(PLAIN_LIBM) $(try_processors) $(PROCESSOR_TESTS) -W ignore::ImportWarning
	for kernels in $(KERNELS); do OMP_NUM_THREADS=4 OPENBLAS_CORETYPE=$$kernels \
	  $(try_processors) $(KERNEL_TESTS) --short || exit 1; done

lint: $(VENV)/.built $(VENV)/.ready-lint ## ruff, mypy, import contracts, clang-format, codespell
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	$(BIN)/codespell

format: $(VENV)/.ready-lint ## mend what ruff and clang-format can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CXX_FILES)

bench: $(VENV)/.built $(VENV)/.ready-bench ## measure against scikit-learn, LightGBM and XGBoost
	$(BIN)/python -m benchmarks

bench-quick: $(VENV)/.built $(VENV)/.ready-bench ## what got slower than recorded, in two minutes
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.quick

docs: $(VENV)/.built $(VENV)/.ready-docs ## build the documentation in docs/_build/html
	rm -rf docs/generated
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# From 3.12 on, one wheel serves all later Pythons; with 3.11 it would serve 3.11 only.
WHEEL_PYTHON ?= $(shell for p in python3.14 python3.13 python3.12; do \
  $$p -c 'import sys; print(sys.executable)' 2>/dev/null && exit; done; echo $(PYTHON))
ARCHS ?= x86_64 aarch64
wheel: $(WHEEL)/.ready ## the sdist and manylinux wheels in dist/, tried without a compiler
	$(WHEEL)/bin/python tools/wheel.py build $(ARCHS:%=--arch %)
	$(WHEEL)/bin/python tools/wheel.py check --jobs $(JOBS)

PORTS = x86_64-linux-gnu.2.17 x86_64-windows-gnu aarch64-macos
port: $(WHEEL)/.ready ## compile the engine for other systems with Clang, warnings as errors
	$(WHEEL)/bin/python tools/wheel.py port $(PORTS:%=--target %)

sbom: $(VENV)/.built $(VENV)/.ready-all $(VENV)/.ready-audit ## audit dependencies, list them in dist/sbom.json
	$(BIN)/python tools/sbom.py

sanitize: $(SANITIZE)/.built ## C++ tests and engine tests under ASan and UBSan, threads under TSan
	$(SANITIZE)/bin/cmake --build build/sanitize --target coterie_tests
	$(SANITIZE)/bin/ctest --test-dir build/sanitize --output-on-failure
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  $(SANITIZE)/bin/python -m pytest -q -p no:cacheprovider tests/native
	$(SANITIZE)/bin/cmake -S . -B build/tsan -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(SANITIZE)/bin/ninja \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCOTERIE_PYTHON=OFF -DCOTERIE_TESTS=ON -DCOTERIE_SANITIZE=thread
	$(SANITIZE)/bin/cmake --build build/tsan --target coterie_tests
	$(SANITIZE)/bin/ctest --test-dir build/tsan --output-on-failure
	$(NATIVE_HASH) > $(SANITIZED)

sanitized: ## `make sanitize`, unless it has passed on these very files
	@if [ "$$($(NATIVE_HASH))" = "$$(cat $(SANITIZED))" ]; then \
	  echo "native/ is as it was when the sanitizers last passed"; else $(MAKE) sanitize; fi

clean: ## remove what was built, keep the environments
	rm -rf build dist docs/_build docs/generated docs/auto_examples docs/api.rst \
	  docs/algorithms.rst
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f $(VENV)/.built $(VENV)/.compiled $(OLDEST)/.built $(SANITIZE)/.built docs/sg_execution_times.rst

distclean: clean ## remove the environments too
	rm -rf $(VENV) $(OLDEST) $(WHEEL) $(SANITIZE)

%/bin/python:
	@test -n "$(PYTHON)" || { echo "coterie needs Python 3.11 or newer, and found none on the" \
	  "PATH. Install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(call venv,$*)

$(VENV)/.ready-%: pyproject.toml tools/requirements.py | $(BIN)/python
	$(call require,$(VENV),$*)
	@touch $@

# What commands import is compiled to bytecode here: who runs them may not let Python write files.
$(VENV)/.built: $(VENV)/.compiled $(VENV)/.ready-run
	@$(BIN)/python -c 'import coterie.automl'
	@touch $@

# In place: Python files are read where they are, only the engine needs building anew.
$(VENV)/.compiled: $(ENGINE) $(VENV)/.ready-build
	$(call install,$(VENV)) --no-build-isolation --no-deps --editable .
	@cmp -s build/editable/_engine.pyi src/coterie/native/_engine.pyi || \
	  cp build/editable/_engine.pyi src/coterie/native/
	@touch $@

# Compiled objects are taken from build/editable, as they do not depend on NumPy or scikit-learn.
$(OLDEST)/.built: $(VENV)/.built $(OLDEST)/.ready $(PACKAGE)
	rm -rf build/wheel
	$(BIN)/python -c 'from scikit_build_core.build import build_wheel as b; \
	  b("build/wheel", {"build-dir": "build/editable"})' > build/wheel.log
	$(call install,$(OLDEST)) --no-deps --force-reinstall build/wheel/*.whl
	@touch $@

# With pip, which builds the wheels.
$(WHEEL)/bin/python:
	"$(WHEEL_PYTHON)" -m venv $(WHEEL)

$(WHEEL)/.ready: pyproject.toml tools/requirements.py | $(WHEEL)/bin/python
	$(call require,$(WHEEL),build wheel)
	@touch $@

$(OLDEST)/.ready: pyproject.toml tests/oldest.txt | $(OLDEST)/bin/python
	$(call require,$(OLDEST),run test,-c tests/oldest.txt)
	@touch $@

$(SANITIZE)/.built: $(ENGINE) $(SANITIZE)/.ready
	$(call install,$(SANITIZE)) --no-build-isolation --no-deps --editable . \
	  --config-settings=build-dir=build/sanitize \
	  --config-settings=cmake.build-type=RelWithDebInfo \
	  --config-settings=cmake.define.COTERIE_SANITIZE=address,undefined
	@touch $@

$(SANITIZE)/.ready: pyproject.toml | $(SANITIZE)/bin/python
	$(call require,$(SANITIZE),build run test)
	@touch $@

.PRECIOUS: %/bin/python $(VENV)/.ready-%
