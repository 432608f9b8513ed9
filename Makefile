# make demo · make test · make test-all · make bench · make lint: each makes .venv itself when it is missing.
# Needed: Python 3.11 or newer with venv and pip, and make. Everything else comes from the lock files.

PYTHON := $(shell for name in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
  $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV   := .venv
IN     := $(VENV)/bin/

# Where Python may not keep what it has compiled, each of the many processes of the tests would compile it again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-more test-all every coverage bench lint docs man lock clean

help:
	@echo "make demo    a sample repository is harvested and re-exposed; open the printed addresses, end with Ctrl-C"
	@echo "make test    the main job, and each promise once: two to four minutes on two processors"
	@echo "make test-all  every test, and the coverage that must be kept: 10 to 30 minutes; also long proofs, other"
	@echo "             programs, browsers, the reference data where they are"
	@echo "make test-more what \`make test\` leaves out; COVERAGE=1 measures coverage, for \`make coverage\`"
	@echo "make lint    style and types"
	@echo "make bench   the figures, measured"
	@echo "make docs    writes the generated parts of the documentation again"
	@echo "make man     writes the manual pages into build/man"
	@echo "make lock    writes the lock files again from pyproject.toml"

# Pip's progress is of no interest unless it fails; the sentence says why nothing seems to happen.
define INSTALL
@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (make PYTHON=/path/to/python)."; exit 1; }
@test -x $(IN)pip || $(PYTHON) -m venv $(VENV) || \
  { echo "The modules venv and ensurepip of $(PYTHON) are needed (on Debian: apt install python3-venv)."; exit 1; }
@echo "Installing what $(1) pins into $(VENV) (once) ..."
@$(IN)python -m pip install -qq --disable-pip-version-check --require-hashes -r $(1) || \
  { echo "Pip says above what it could not do. Once, it needs the network; it heeds HTTPS_PROXY and PIP_INDEX_URL."; \
    exit 1; }
@$(IN)python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
@touch $@
endef

$(VENV)/run.stamp: requirements.lock pyproject.toml
	$(call INSTALL,requirements.lock)

$(VENV)/dev.stamp: requirements-dev.lock requirements.lock pyproject.toml
	$(call INSTALL,requirements-dev.lock)
	@touch $(VENV)/run.stamp

# Judges are programs of others that say whether what we write is right. They have a place of their own: what they need
# is much, and one of them installs a package called `tests`.
$(VENV)/judges.stamp: requirements-judges.lock | $(VENV)/dev.stamp
	@$(PYTHON) -m venv $(VENV)/judges
	@echo "Installing what $< pins into $(VENV)/judges (once) ..."
	@$(VENV)/judges/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r $<
	@if command -v npm >/dev/null; then npm install --silent --no-save --no-audit --no-fund --prefix $(VENV)/judges $(AXE); fi
	@touch $@

# The judge of accessibility, which a browser runs in our pages; it is not in the registry of Python.
AXE := axe-core@4.14.1

demo: $(VENV)/run.stamp
	@$(IN)python tests/sample/demo.py

# A test that lasts so many seconds shows where it hangs.
HANGING := 240
# With COVERAGE=1, coverage is measured, in files for `make coverage`; it doubles the time.
PYTEST := $(IN)$(if $(COVERAGE),coverage run -m )pytest -o faulthandler_timeout=$(HANGING)

test: $(VENV)/dev.stamp
	@$(PYTEST)

test-more: $(VENV)/dev.stamp $(VENV)/judges.stamp
	$(PYTEST) -m "slow or reference" --durations=25 --durations-min=5

test-all: $(VENV)/dev.stamp $(VENV)/judges.stamp
	@$(IN)coverage erase
	$(MAKE) --no-print-directory every COVERAGE=1
	@$(MAKE) --no-print-directory coverage

every:
	$(PYTEST) -m "slow or not slow" --durations=25 --durations-min=5

# Of everything, 95 % of all lines and branches; the protocol, the clock and the parsers whole.
WHOLE := $(shell paste -sd, tests/whole.txt)
coverage:
	@$(IN)coverage combine --quiet
	@rm -f .coverage.?* # what a process wrote that was killed while it wrote
	@$(IN)coverage report --fail-under=95
	@$(IN)coverage report --include="$(WHOLE)" --skip-covered --fail-under=100 || \
	  { echo "What tests/whole.txt names must be covered whole."; exit 1; }
	@echo "Coverage: 95 % or more of everything; all of what tests/whole.txt names."

lint: $(VENV)/dev.stamp
	$(IN)ruff check .
	$(IN)ruff format --check .
	$(IN)mypy

bench: $(VENV)/dev.stamp
	$(IN)python -m tests.bench

docs: $(VENV)/dev.stamp
	$(IN)python -m tests.docs

man: $(VENV)/run.stamp
	$(IN)python -m tests.manual
	@echo "man -l build/man/harvester.1 shows one; MANPATH or /usr/local/share/man/man1 is where they go."

# For Linux, Python 3.11 to 3.13; made with the oldest, whose needs are the greatest. What wants a later 3.11 than that
# of Debian 12 (3.11.2) is named in `TOO_NEW`.
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet pip-tools
	echo '$(TOO_NEW)' > build/lock/too-new.txt
	build/lock/bin/pip-compile $(LOCK) -o requirements.lock pyproject.toml
	build/lock/bin/pip-compile $(LOCK) --extra dev --extra graph --extra postgres -c requirements.lock -o requirements-dev.lock pyproject.toml
	printf '%s\n' $(JUDGES) | build/lock/bin/pip-compile $(filter-out --all-build-deps,$(LOCK)) -o requirements-judges.lock -
	sed -i '1i # Made by `make lock` from pyproject.toml, for Linux and Python 3.11 to 3.13.' $(LOCKS)
LOCKS := requirements.lock requirements-dev.lock requirements-judges.lock
TOO_NEW := soupsieve<3.0.2
JUDGES := 'ocfl-py>=2.1' 'schemathesis>=4.32'
LOCK := --quiet -c build/lock/too-new.txt --generate-hashes --strip-extras --allow-unsafe --all-build-deps --no-emit-options --no-header \
        --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

clean:
	rm -rf $(VENV) build .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
