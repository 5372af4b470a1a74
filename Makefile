# make demo | test | lint, each from a fresh checkout. PYTHON picks the interpreter, VENV the environment.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV ?= .venv
RELEASE = .cache/random-release
CLIENTS ?= .cache/clients
PIP = $(VENV)/bin/python -m pip --disable-pip-version-check install --quiet

.PHONY: demo test lint reference blas clients chromium cpp go clean

demo: $(VENV)/.installed blas $(RELEASE)/config.json
	@echo
	@echo "*** RANDOM ANSWERS: this model is seeded noise. It shows that everything runs, and nothing else. ***"
	@echo
	HF_HUB_OFFLINE=1 $(VENV)/bin/clef-mlx decide --model $(RELEASE) --format table examples/*.json
	@echo
	@echo "*** RANDOM ANSWERS: for real ones give --model a folder of Clef weights. ***"

test: $(VENV)/.developing blas
	$(VENV)/bin/python -m pytest

lint: $(VENV)/.developing
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

# The publisher's own code, for the tests marked `live`; without it they are skipped and say so.
# torch first and exact: a looser name may fetch gigabytes of CUDA.
reference: $(VENV)/.developing
	$(PIP) torch==2.13.0
	$(PIP) --no-deps clef-finetune==0.1.0
	$(PIP) peft==0.21.2

# MLX's wheel for Linux brings a BLAS that is about 100 times slower than this one. A Mac needs none.
blas:
	@openblas() { [ "$$(uname)" != Linux ] || PATH="$$PATH:/usr/sbin:/sbin" ldconfig -p | grep -q 'libopenblas\.so\.0'; }; \
	if ! openblas && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libopenblas0-pthread; fi; \
	openblas || echo "Slow without OpenBLAS. Mend: sudo apt-get install libopenblas0-pthread" >&2

# Other projects' clients and judges against the server. They live apart: what they depend on is none of ours.
clients: $(VENV)/.developing $(CLIENTS)/.installed blas
	CLEF_MLX_CLIENTS=$(CLIENTS) $(VENV)/bin/python -m pytest -m clients tests/clients

# The page is tested in Debian's Chromium, or any Chromium or Chrome on the path.
chromium:
	@found() { command -v chromium || command -v chromium-browser || command -v google-chrome; }; \
	if ! found >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; fi; \
	found >/dev/null || echo "The page's tests are skipped without Chromium. Mend: sudo apt-get install chromium" >&2

# The Go example's compiler.
go:
	@if ! command -v go >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends golang-go; fi; \
	command -v go >/dev/null || echo "The Go example is skipped without Go. Mend: sudo apt-get install golang-go" >&2

# The C++ example's compiler and headers.
cpp:
	@found() { command -v cmake >/dev/null && printf '#include <nlohmann/json.hpp>\n#include <unicode/regex.h>\n' | \
	  c++ -std=c++20 -E -x c++ - >/dev/null 2>&1; }; \
	if ! found && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	    cmake make g++ nlohmann-json3-dev libicu-dev; fi; \
	found || echo "The C++ example is skipped. Mend: sudo apt-get install cmake make g++ nlohmann-json3-dev libicu-dev" >&2

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { echo "On Debian and Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) --upgrade pip
	$(PIP) --editable .
	@touch $@

$(VENV)/.developing: $(VENV)/.installed
	$(PIP) --group dev
	@touch $@

$(CLIENTS)/.installed: tests/clients/requirements.txt tests/clients/package.json | $(VENV)/bin/python
	$(VENV)/bin/python -m venv $(CLIENTS)
	$(CLIENTS)/bin/python -m pip --disable-pip-version-check install --quiet --requirement tests/clients/requirements.txt
	cp tests/clients/package.json $(CLIENTS)
	@if command -v npm >/dev/null; then npm install --prefix $(CLIENTS) --no-audit --no-fund --silent; \
	else echo "No npm: the JavaScript client is left out." >&2; fi
	@touch $@

$(RELEASE)/config.json: clef_mlx/weights/random_release.py | $(VENV)/.installed
	$(VENV)/bin/python -c 'from clef_mlx.weights.random_release import write_random_release as write; write("$(RELEASE)")'

clean:
	rm -rf $(VENV) .cache build dist
