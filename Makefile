# make run: set up everything and run the main job. make test: set up everything and run the tests.
PYTHON ?= python3
BIN := .venv/bin
KERNELS := $(wildcard src/pagedrift/_kernels/*.pyx src/pagedrift/_kernels/*.pxd src/pagedrift/_kernels/*.h)

.PHONY: run test lint bench clean chromium postgresql

run: .venv/app  ## the application, with a demonstration site that changes by itself; stop it with Ctrl-C
	$(BIN)/pagedrift serve --demo

test: .venv/test .venv/players/installed chromium postgresql  ## all tests; those on real pages need PAGEDRIFT_DATA
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: .venv/lint  ## formatting, style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PATH="$(BIN):$$PATH" cython-lint --max-line-length 116 src/pagedrift/_kernels
	$(BIN)/mypy

bench: .venv/bench .venv/peers/installed .venv/changedetection/installed  ## speed as ratios to peers, on PAGEDRIFT_DATA or generated pages
	$(BIN)/python -m benchmarks

chromium:  ## the browser that tests look at pages with; without it those tests are skipped
	@for name in chromium chromium-browser google-chrome; do command -v $$name && exit; done >/dev/null; { \
		echo "Installing Chromium, in which the tests look at pages"; \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get && apt-get update && apt-get install --yes chromium; } \
			>.venv/chromium.log 2>&1; } || \
		echo "No Chromium here: tests in a browser are skipped. As root on Debian: apt-get install chromium"

postgresql:  ## the database of tests that several processes share; without it those tests are skipped
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { \
		echo "Installing PostgreSQL, which the tests use beside SQLite"; \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get && apt-get update && apt-get install --yes postgresql; } \
			>.venv/postgresql.log 2>&1; } || \
		echo "No PostgreSQL here: its tests are skipped. As root on Debian: apt-get install postgresql"

clean:
	rm -rf .venv build src/*.egg-info src/pagedrift/_kernels/*.so src/pagedrift/_kernels/*.c

.venv/bin/python:
	@echo "Making a virtual environment in .venv"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Pagedrift needs Python 3.11 or newer; name one with: make PYTHON=python3.11 run"; exit 2; }
	@$(PYTHON) -m venv .venv || \
		{ echo "Python cannot make virtual environments here; on Debian: apt-get install python3-venv"; exit 2; }
	@$(BIN)/python -m pip install --quiet --upgrade pip

.venv/installed: .venv/bin/python pyproject.toml setup.py $(KERNELS)
	@echo "Installing Pagedrift into .venv and compiling its kernels"
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/app: .venv/installed
	@echo "Installing what the application needs into .venv"
	@$(BIN)/python -m pip install --quiet --editable '.[browser,learn,notify,vision,web]'
	@touch $@

.venv/test .venv/lint .venv/bench: .venv/%: .venv/installed pyproject.toml
	@echo "Installing what $* needs into .venv"
	@$(BIN)/python -m pip install --quiet --group $*
	@touch $@

# pywb asks for a brotli library that does not live beside ours.
.venv/players/installed: .venv/bin/python pyproject.toml
	@echo "Installing pywb, with which the tests replay archives, into .venv/players"
	@$(PYTHON) -m venv .venv/players
	@.venv/players/bin/python -m pip install --quiet --upgrade pip
	@.venv/players/bin/python -m pip install --quiet --group players || \
		{ echo "Left out: pywb; tests that replay archives are skipped"; rm -rf .venv/players; exit 0; }
	@touch $@

# web-monitoring-diff's parser and its lxml must share the system's libxml2, so this lxml is compiled.
.venv/peers/installed: .venv/bin/python pyproject.toml
	@echo "Installing peers of the benchmarks into .venv/peers; this compiles for minutes"
	@$(PYTHON) -m venv .venv/peers
	@.venv/peers/bin/python -m pip install --quiet --upgrade pip
	@.venv/peers/bin/python -m pip install --quiet --no-binary lxml --group peers || \
		{ echo "Left out: web-monitoring-diff; on Debian: apt-get install libxml2-dev libxslt1-dev"; rm -rf .venv/peers; exit 0; }
	@touch $@

# The peer of the benchmark under load asks for hundreds of libraries, in versions of its own.
.venv/changedetection/installed: .venv/bin/python pyproject.toml
	@echo "Installing changedetection.io, beside which load is measured, into .venv/changedetection"
	@$(PYTHON) -m venv .venv/changedetection
	@.venv/changedetection/bin/python -m pip install --quiet --upgrade pip
	@.venv/changedetection/bin/python -m pip install --quiet --group changedetection || \
		{ echo "Left out: changedetection.io; load is measured without it"; rm -rf .venv/changedetection; exit 0; }
	@touch $@
