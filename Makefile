# `make demo` shows memshelf at work, `make test` checks all of it.
# Needed: make, git and Python 3.11 or newer. Whatever is made lies in .venv and build.

VENV ?= .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)

# With PY given, nothing is installed: that Python has all it takes already.
ifdef PY
READY :=
else
PY := $(BIN)/python
READY := $(VENV)/.installed
endif

# Found only when the environment is made: the first of these that runs and is new enough.
PYTHONS := python3.13 python3.12 python3.11 python3 python
PYTHON ?= $(shell for name in $(PYTHONS); do \
	"$$name" -c "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))" \
	>/dev/null 2>&1 && echo "$$name" && break; done)

# State, caches and fonts stay in the checkout.
export MEMSHELF_STATE_DIR := $(CURDIR)/build/state
export MEMSHELF_CACHE_DIR := $(CURDIR)/build/cache
export MPLCONFIGDIR := $(CURDIR)/build/matplotlib
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1
unexport MEMSHELF_SHELF_PATH

.PHONY: help demo test lint docs pictures bench clean

help:
	@echo "make demo      a real shelf, rendered: build/demo"
	@echo "make test      every check and test"
	@echo "make lint      ruff and mypy alone"
	@echo "make docs      what is generated or executed in the docs, then the site: build/site"
	@echo "make pictures  the pictures of the README, taken in a browser: docs/pictures"
	@echo "make bench     memshelf against its peer on generated shelves: docs/performance.md"
	@echo "make clean     remove what was made"

demo: $(READY)
	"$(PY)" -m memshelf demo --out build/demo

test: lint
	"$(PY)" -m pytest -n auto -q

lint: $(READY)
	"$(PY)" -m ruff check .
	"$(PY)" -m ruff format --check .
	"$(PY)" -m mypy

docs: $(READY)
	"$(PY)" -m pytest -q tests/test_docs.py --update
	"$(PY)" -m mkdocs build --strict --site-dir build/site

pictures: $(READY)
	"$(PY)" -m tests.browser.pictures

bench: $(READY)
	"$(PY)" -m tests.bench

clean:
	rm -rf build dist site .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.installed: pyproject.toml
	@test -n "$(PYTHON)" || { \
	echo "No Python 3.11 or newer with venv was found (tried: $(PYTHONS))." >&2; \
	echo "Install one (on Debian also python3-venv), or name it: make PYTHON=/path/to/python3" >&2; \
	exit 1; }
	@echo "Making $(VENV) with $(PYTHON): once, a minute or two."
	"$(PYTHON)" -m venv "$(VENV)"
	"$(BIN)/python" -m pip install --quiet --editable ".[dev]"
	@touch "$@"
