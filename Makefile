# make run: set up everything and run the main job. make test: set up everything and run the tests. make help: the rest.
PYTHON ?= python3
BIN := .venv/bin
LOG := .venv/install.log
# What pip says goes to the log, for it says much that helps nobody; where it fails, the end of the log is shown.
logged = $(1) >>$(LOG) 2>&1 || { tail -n 30 $(LOG); echo "That failed, and $(LOG) says all about it; correct it and run make again"; exit 2; }
KERNELS := $(wildcard src/pagedrift/_kernels/*.pyx src/pagedrift/_kernels/*.pxd src/pagedrift/_kernels/*.h)

.PHONY: run test lint format docs bench image-test clean help chromium postgresql

run: .venv/installed  ## the application, with a demonstration site that changes by itself; stop it with Ctrl-C
	$(BIN)/pagedrift serve --demo

test: .venv/test .venv/docs .venv/players/installed .venv/axe/installed chromium postgresql  ## all tests; those on real pages need PAGEDRIFT_DATA
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

lint: .venv/lint  ## formatting, style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PATH="$(BIN):$$PATH" cython-lint --max-line-length 116 src/pagedrift/_kernels
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml

format: .venv/lint  ## format the code, and correct what can be corrected without a person
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/docs  ## the documentation as a site, in build/site
	$(BIN)/python docs/generate.py --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: .venv/bench .venv/peers/installed .venv/changedetection/installed  ## speed as ratios to peers, on PAGEDRIFT_DATA or generated pages
	$(BIN)/python -m benchmarks

image-test: .venv/test  ## the steps of the container image on a bare Debian; as root, with debootstrap and a network
	$(BIN)/python -m pytest -q -s packaging/test_image.py

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

help:  ## this list
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

clean:  ## take away everything that make made
	rm -rf .venv build src/*.egg-info src/pagedrift/_kernels/*.so src/pagedrift/_kernels/*.c

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Pagedrift needs Python 3.11 or newer; name one with: make PYTHON=python3.11 run"; exit 2; }
	@echo "Setting up Pagedrift in .venv: one or two minutes for make run, more for make test, and only this once"
	@$(PYTHON) -m venv .venv || \
		{ echo "Python cannot make virtual environments here; on Debian: apt-get install python3-venv"; exit 2; }

.venv/installed: .venv/bin/python pyproject.toml setup.py src/pagedrift/_version.py $(KERNELS)
	@echo "Installing Pagedrift and compiling its kernels"
	@$(call logged,$(BIN)/python -m pip install --editable .)
	@touch $@

.venv/test .venv/lint .venv/docs .venv/bench: .venv/%: .venv/installed pyproject.toml
	@echo "Installing what make $* needs"
	@$(call logged,$(BIN)/python -m pip install --upgrade 'pip>=25.1')
	@$(call logged,$(BIN)/python -m pip install --group $*)
	@touch $@

# pywb asks for a brotli library that does not live beside ours.
.venv/players/installed: .venv/bin/python pyproject.toml
	@echo "Installing pywb, with which the tests replay archives, into .venv/players"
	@$(PYTHON) -m venv .venv/players
	@{ .venv/players/bin/python -m pip install --upgrade pip && \
		.venv/players/bin/python -m pip install --group players; } >>$(LOG) 2>&1 || \
		{ echo "Left out: pywb ($(LOG) says why); tests that replay archives are skipped"; rm -rf .venv/players; exit 0; }
	@[ ! -d .venv/players ] || touch $@

# axe-core and html-validate are written for Node; the newest html-validate asks for a Node that few systems have.
.venv/axe/installed: .venv/bin/python
	@echo "Installing axe-core and html-validate, with which the tests look at pages, into .venv/axe"
	@mkdir -p .venv/axe
	@command -v npm >/dev/null && npm install --silent --no-audit --no-fund --prefix .venv/axe axe-core@4 html-validate@9 || \
		{ echo "Left out: axe-core; tests of accessibility are skipped. On Debian: apt-get install npm"; rm -rf .venv/axe; exit 0; }
	@[ ! -d .venv/axe ] || touch $@

# web-monitoring-diff's parser and its lxml must share the system's libxml2, so this lxml is compiled.
.venv/peers/installed: .venv/bin/python pyproject.toml
	@echo "Installing peers of the benchmarks into .venv/peers; this compiles for minutes"
	@$(PYTHON) -m venv .venv/peers
	@{ .venv/peers/bin/python -m pip install --upgrade pip && \
		.venv/peers/bin/python -m pip install --no-binary lxml --group peers; } >>$(LOG) 2>&1 || \
		{ echo "Left out: web-monitoring-diff; on Debian: apt-get install libxml2-dev libxslt1-dev"; rm -rf .venv/peers; exit 0; }
	@[ ! -d .venv/peers ] || touch $@

# The peer of the benchmark under load asks for hundreds of libraries, in versions of its own.
.venv/changedetection/installed: .venv/bin/python pyproject.toml
	@echo "Installing changedetection.io, beside which load is measured, into .venv/changedetection"
	@$(PYTHON) -m venv .venv/changedetection
	@{ .venv/changedetection/bin/python -m pip install --upgrade pip && \
		.venv/changedetection/bin/python -m pip install --group changedetection; } >>$(LOG) 2>&1 || \
		{ echo "Left out: changedetection.io ($(LOG) says why); load is measured without it"; rm -rf .venv/changedetection; exit 0; }
	@[ ! -d .venv/changedetection ] || touch $@
