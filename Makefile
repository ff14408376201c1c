# Every target does its own set-up. Needed: make, and a Python from 3.11 to 3.13 with venv.
SUITED := import ensurepip, sys, venv; assert (3, 11) <= sys.version_info < (3, 14); print(sys.executable)
CANDIDATES := python3 python3.13 python3.12 python3.11 python
PYTHON ?= $(firstword $(foreach name,$(CANDIDATES),$(shell $(name) -c '$(SUITED)' 2>/dev/null)))

BIN := .venv/bin
TENSORFLOW := .venv-tensorflow/bin/python
PIP := -m pip install --quiet --disable-pip-version-check
PYTEST ?= $(BIN)/python -m pytest
SHARED := --numprocesses auto --dist worksteal
QUICK := tests/core tests/autodiff tests/conformance/test_value.py
# Tests of what XLA computes: its programs may fuse a product and a sum into one operation, which rounds once.
FUSED := $(addprefix tests/conformance/test_,value.py gradient.py second_order.py) tests/program \
	$(addprefix tests/ops/,test_random.py test_random_distribution.py test_colour.py test_image_part.py) \
	$(addprefix tests/ops/,test_image_transform.py test_resizing.py) \
	$(addprefix tests/state/,test_candidate.py test_generator.py test_image.py test_initializer.py) \
	$(addprefix tests/state/,test_numpy_random.py test_random.py test_variable_random.py)

# Tests of public names, which also run on TensorFlow.
PUBLIC := $(addprefix tests/,autodiff data saved saved_model state distribute mesh keras function ops program conformance)

.PHONY: demo test quick thorough fused soak oracle lint bench keras golden fuzz docstrings clean

demo: .venv/package  ## trains a line and a small network; prints speed and number of compiled programs
	$(BIN)/python examples/demo.py

test: .venv/tools  ## runs the tests
	$(PYTEST) $(SHARED) $(ARGS)

quick: .venv/tools  ## tests the recorder, the tape and one form of every op, in a minute
	TFCOMPAT_FORMS=first $(PYTEST) $(SHARED) $(QUICK) $(ARGS)

thorough: .venv/tools  ## runs the tests that `make test` leaves out
	$(PYTEST) -m thorough $(SHARED) $(ARGS)

fused: .venv/tools  ## tests values, gradients, programs and random streams with XLA's default flags
	TFCOMPAT_TEST_FLAGS=default TFCOMPAT_FORMS=fused $(PYTEST) $(SHARED) $(FUSED) $(ARGS)

soak: .venv/tools  ## repeats the tests for rare events ten times as often as `make test`
	TFCOMPAT_SOAK=1 $(PYTEST) -m soak $(ARGS)

oracle: .venv-tensorflow/oracle  ## runs the tests of public names on TensorFlow instead of tfcompat
	TFCOMPAT_SUBJECT=tensorflow $(TENSORFLOW) -m pytest $(SHARED) $(PUBLIC) $(ARGS)

lint: .venv/tools  ## checks style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

bench: .venv/package .venv-tensorflow/oracle  ## times steps, first steps, varying shapes and pipelines under TensorFlow, tfcompat and JAX
	$(BIN)/python -m benchmarks.run --tensorflow $(TENSORFLOW) $(ARGS)
	$(BIN)/python -m benchmarks.once --tensorflow $(TENSORFLOW)
	$(BIN)/python -m benchmarks.varying --tensorflow $(TENSORFLOW)
	$(BIN)/python $(PIP) --editable '.[data]'
	$(BIN)/python -m benchmarks.pipeline --tensorflow $(TENSORFLOW)
	$(BIN)/python -m benchmarks.fed
	$(BIN)/python -m benchmarks.checkpoint --tensorflow $(TENSORFLOW)
	$(BIN)/python -m benchmarks.recording
	$(BIN)/python -m benchmarks.dispatch
	$(BIN)/python -m benchmarks.replicas
	$(BIN)/python -m benchmarks.processes
	$(BIN)/python -m benchmarks.one_replica
	$(BIN)/python -m benchmarks.curves --tensorflow $(TENSORFLOW)
	$(BIN)/python -m benchmarks.ops
	$(BIN)/python -m benchmarks.import_time
	$(BIN)/python -m benchmarks.resident
	$(BIN)/python $(PIP) --editable '.[keras]'
	$(BIN)/python -m benchmarks.keras --tensorflow $(TENSORFLOW)

keras: .venv/tools  ## runs Keras' own tests on tfcompat, and prints the share of those passing on TensorFlow that pass
	$(BIN)/python $(PIP) grain pandas requests scikit-learn
	$(BIN)/python -m tests.keras_suite $(ARGS)

golden: .venv-tensorflow/oracle  ## records the values of the tests from TensorFlow again; ARGS=--diff only compares
	$(TENSORFLOW) -m tests.golden.record $(ARGS)

fuzz: .venv/tools .venv-tensorflow/oracle  ## compares PROGRAMS random programs with TensorFlow
	FUZZ_PROGRAMS=$(or $(PROGRAMS),1000) $(BIN)/python -m pytest tests/fuzz $(ARGS)

docstrings: .venv/tools .venv-tensorflow/oracle  ## runs the examples in TensorFlow's docstrings on both, and compares
	$(BIN)/python -m tests.docstring_suite --tensorflow $(TENSORFLOW) $(ARGS)

clean:
	rm -rf .venv .venv-tensorflow build dist

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "No Python from 3.11 to 3.13 with venv found; name one: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/package: pyproject.toml | .venv/bin/python
	$(BIN)/python $(PIP) --editable .
	touch $@

.venv/tools: pyproject.toml | .venv/bin/python
	$(BIN)/python $(PIP) --editable '.[test]'
	touch $@ .venv/package

# TensorFlow has its own environment, with the requirements of the extras `bench` and `oracle`, without tfcompat and JAX.
.venv-tensorflow/oracle: pyproject.toml | .venv/bin/python
	$(BIN)/python -m venv .venv-tensorflow
	$(BIN)/python -c "import tomllib; extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; print(*extras['bench'], *extras['oracle'], sep='\n')" > .venv-tensorflow/requirements.txt
	$(TENSORFLOW) $(PIP) --requirement .venv-tensorflow/requirements.txt
	touch $@
