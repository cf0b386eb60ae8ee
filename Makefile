# A thin front for CMake presets and Ninja. `make help` lists the verbs.
PRESET ?= release
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
BUILD  := build/$(PRESET)

.DEFAULT_GOAL := all
.PHONY: all lib build links tests check-lib check-aarch64 check-real check-installed check-advice check-check soak soak-messages soak-collectives soak-windows soak-files soak-where soak-types fuzz mutants demo check check-asan check-tsan check-counts check-compilers check-lto lint format bench bench-hints bench-hosts bench-simulate install clean help

## make             build the library and the commands; build/bin and build/lib are where to find them
all: links
	@cat $(BUILD)/without.txt

## make lib         build without insight/: mpiexec has no --check and no --advise then; build/library
lib:
	@$(MAKE) --no-print-directory build PRESET=library

## make demo        run examples/heat on 4 ranks: a picture, a checked result, the hints in force
demo: links
	@cmake --build $(BUILD) --target example_heat example_workers
	@cd $(BUILD)/examples && ../bin/mpiexec -n 4 ./heat heat.png
	@echo "the picture is $(BUILD)/examples/heat.png"
	@printf '%s\n' '' 'To try next, with PATH=$(CURDIR)/build/bin:$$PATH:' \
	    '  mpiexec -n 4 --check build/$(PRESET)/examples/heat      is each hint true?' \
	    '  mpiexec -n 4 --advise build/$(PRESET)/examples/workers  which hints could this program give?' \
	    '  inkling new-program first && make -C first run     a program of your own; --language c++, fortran, python' \
	    '  inkling doctor                                     what this machine lets MPI do' \
	    'docs/USER.md is the page for users, examples/ has eight programs.'
	@cat $(BUILD)/without.txt

## make check       run every test
check: tests
	@ctest --test-dir $(BUILD) --output-on-failure -j$$((2 * $(JOBS))) $(CTEST); status=$$?; \
	    python3 -B tests/skipped.py $(BUILD); cat $(BUILD)/without.txt; exit $$status

## make check-asan  run every test with AddressSanitizer and UndefinedBehaviorSanitizer
check-asan:
	@$(MAKE) --no-print-directory check PRESET=asan-ubsan

## make check-tsan  run every test with ThreadSanitizer
check-tsan:
	@$(MAKE) --no-print-directory check PRESET=tsan

## make check-counts  run every test in a build where a process that leaves objects behind fails
check-counts:
	@$(MAKE) --no-print-directory check PRESET=counts

## make check-lib   run the tests of the library and the commands without insight/
check-lib:
	@$(MAKE) --no-print-directory check PRESET=library

## make check-aarch64  cross-compile for aarch64, run unit tests and MPI programs of 1 to 4 ranks under qemu-user; PROGRAMS="p2p_.*" only, INSIGHT=OFF
PROGRAMS ?= .*
INSIGHT ?= ON
check-aarch64:
	@tests/provide --record build/aarch64 aarch64
	@cmake --preset aarch64 -DINKLING_TESTS=ON -DINKLING_PROGRAMS='$(PROGRAMS)' -DINKLING_INSIGHT=$(INSIGHT) \
	    >build/aarch64/configure.log || { cat build/aarch64/configure.log; exit 1; }
	@cmake --build build/aarch64 -j$(JOBS)
	@ctest --test-dir build/aarch64 --output-on-failure -j$$((2 * $(JOBS))) $(CTEST); status=$$?; \
	    python3 -B tests/skipped.py build/aarch64; exit $$status

## make check-real  build and run the MPI tests of FFTW, hypre, PT-Scotch, Boost.MPI and more; ONLY="fftw hypre", REAL=--record: docs/REAL.md; REAL=--help
check-real: all
	@tests/provide real
	@python3 -B tests/real/real.py $(REAL) $(ONLY)

## make check-installed  run programs of Debian's packages that were built for Open MPI or MPICH, as they are installed; ONLY="lammps scalapack"
check-installed: all
	@python3 -B tests/real/packages.py $(REAL) build/bin $(ONLY)

## make soak        soak-messages, soak-collectives, soak-windows, soak-files, soak-where, soak-survive, CYCLES communicators, each failed allocation (SOAK seconds: 3600)
SOAK ?= 3600
CYCLES ?= 1000000
soak: soak-messages soak-collectives soak-windows soak-files soak-where soak-survive
	@CYCLES=$(CYCLES) $(BUILD)/bin/mpiexec -n 2 $(BUILD)/tests/mpi_comm_cycles
	@FAULT_SECONDS=$(SOAK) python3 -B tests/fault/allocation.py $(BUILD)/bin $(BUILD)/tests/launch_steps
	@FAULT_ROUNDS=300 python3 -B tests/fault/crashes.py $(BUILD)/bin $(BUILD)/tests/launch_steps

## make soak-survive  random programs whose ranks are killed at random, on one host, and between hosts over each network (SOAK seconds each: 3600; SURVIVE_SEED); PRESET=tsan
soak-survive: tests
	@SURVIVE_SECONDS=$(SOAK) python3 -B tests/fault/survive.py $(BUILD)/bin $(BUILD)/tests/launch_steps Kills
	@for network in ofi ucx; do INKLING_NETWORK=$$network SURVIVE_SECONDS=$(SOAK) python3 -B tests/net/survived_random.py $(BUILD)/bin/mpiexec \
	    $(BUILD)/tests/fault_survive_random || test $$? = 77 || exit 1; done

## make soak-messages  MESSAGES (1000000) random messages on 2, 3, 5 and 8 ranks, each way of moving them; PRESET=tsan
MESSAGES ?= 1000000
soak-messages: tests
	@MESSAGES=$(MESSAGES) cmake --build $(BUILD) --target soak_messages

## make soak-collectives  CALLS (10000) random collectives on 2 to 9 ranks, by each algorithm, on each transport, and on 256; PRESET=tsan
CALLS ?= 10000
soak-collectives: tests
	@CALLS=$(CALLS) cmake --build $(BUILD) --target soak_collectives soak_many

## make soak-windows  WINDOW_OPERATIONS (10000000) random operations on windows in each run, 2 to 8 ranks, each transport; PRESET=tsan
WINDOW_OPERATIONS ?= 10000000
soak-windows: tests
	@OPERATIONS=$(WINDOW_OPERATIONS) cmake --build $(BUILD) --target soak_windows

## make soak-files  ROUNDS (10000) random accesses to files in each of 12 runs, 1 to 6 ranks, each transport; PRESET=tsan
ROUNDS ?= 10000
soak-files: tests
	@ROUNDS=$(ROUNDS) cmake --build $(BUILD) --target soak_files

## make soak-where  ASKINGS (10000) times inkling where beside random traffic, also with torn reads
ASKINGS ?= 10000
soak-where: tests
	@ASKINGS=$(ASKINGS) cmake --build $(BUILD) --target soak_where

## make soak-types  TYPES (100000) random datatypes, packed, sent and received, with AddressSanitizer
TYPES ?= 100000
soak-types:
	@$(MAKE) --no-print-directory tests PRESET=asan-ubsan
	@RANDOM_TYPES=$(TYPES) cmake --build build/asan-ubsan --target soak_types

## make fuzz        run each fuzzer for FUZZ seconds (600); what it learns stays in build/fuzz
FUZZ ?= 600
fuzz: tests
	@for f in $(BUILD)/tests/fuzz/fuzz_*; do \
	    mkdir -p build/fuzz/$${f##*/}; \
	    $$f -max_total_time=$(FUZZ) -max_len=600 -verbosity=0 -artifact_prefix=build/fuzz/ build/fuzz/$${f##*/} || exit 1; \
	done

## make check-advice  each program of the tests, with the hints that mpiexec --advise advises, under --check; ADVICE=WORD: those tests only
check-advice: tests
	@ADVICE="$(ADVICE)" cmake --build $(BUILD) --target check_advice

## make check-check  each program of the tests under --check, which must blame none; CHECKED=WORD: those tests only
check-check: tests
	@CHECKED="$(CHECKED)" cmake --build $(BUILD) --target check_check

## make mutants     put N (50) small defects into src, one at a time, and say which no test notices; WHERE=folder BY=line FILES=pattern SEED=1 OPERATORS=realistic TESTS=pattern AGAIN=survived ALL=1 MAP=1
N    ?= 50
SEED ?= 1
mutants:
	@tests/provide build check
	@python3 -B tests/mutants/mutants.py -n $(N) --seed $(SEED) $(if $(WHERE),--where $(WHERE)) $(if $(FILES),--files '$(value FILES)') $(if $(BUDGET),--budget $(BUDGET)) $(if $(BY),--by $(BY)) \
	    $(if $(OPERATORS),--operators $(OPERATORS)) \
	    $(if $(AGAIN),--again "$(AGAIN)") $(if $(SANITIZE),--sanitize $(SANITIZE)) $(if $(CACHE),--folder $(CACHE)) $(if $(ALL),--all) $(if $(MAP),--map '$(value MAP)') \
	    $(if $(TESTS),--tests '$(value TESTS)')

## make lint        check the rules of the house: layers, lengths, names, format, warnings, cppcheck
lint:
	@tests/provide build check lint
	@python3 tests/lint/lint.py

## make lint-NAME   one of these checks: lint-prose
lint-%:
	@python3 -B tests/lint/lint.py $*

## make check-compilers  build the library, without a warning, with each gcc and clang from 11 and 14 on that this system has; EXCEPT="gcc-12"
check-compilers:
	@EXCEPT="$(EXCEPT)" tests/provide build compilers
	@python3 -B tests/lint/compilers.py $(EXCEPT)

## make check-lto   compile the library and the commands with -flto, by gcc and by clang, and run a short part of the tests; EXCEPT=gcc
check-lto:
	@EXCEPT="$(EXCEPT)" tests/provide build check lto
	@python3 -B tests/lint/compilers.py --lto $(EXCEPT)

## make format      let clang-format lay out every C file
format:
	@tests/provide lint
	@git ls-files '*.[ch]' | xargs clang-format -i

## make bench       compare with MPICH and Open MPI, and with what the machine can do; BENCH="--quick --only latency", BENCH="--root trixie"
bench:
	@tests/provide build bench
	@$(MAKE) --no-print-directory all
	@python3 bench/run.py $(BENCH)

## make bench-hints measure each hint on and off; `inkling hints` shows the gains
bench-hints: all
	@python3 -B bench/hints.py
	@cmake --build $(BUILD)

## make bench-hosts  compare collectives between hosts with MPICH and Open MPI, a quarter of an hour; HOSTS="--shape 2x1"
bench-hosts: all
	@tests/provide bench launch
	@python3 -B bench/hosts.py --fresh $(HOSTS)

## make bench-simulate  draw docs/simulated.png: what collectives cost up to a million ranks, by inkling simulate; half an hour
bench-simulate: all
	@python3 -B bench/curves.py

## make install     install under PREFIX (/usr/local); DESTDIR is honoured
install: build
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

.PHONY: dist
## make dist        write the source archive of the last commit, the same bytes wherever it is made: build/inkling-VERSION.tar.xz
dist:
	@packaging/dist

.PHONY: site deb rpm check-packages release-check
## make site        a website of the README and docs/, with search: build/site
site:
	@packaging/site

## make deb         build the Debian packages of the last commit: build/deb
deb:
	@packaging/deb

## make rpm         build the RPM packages of the last commit: build/rpm
rpm:
	@packaging/rpm

## make check-packages  packages of each Debian release and RPMs, built, compared, installed on bare systems and used; root; SUITES="bookworm trixie"
SUITES ?= bookworm trixie
check-packages:
	@packaging/check $(SUITES)

## make release-check  what remains to be done before a release; it changes nothing
release-check:
	@packaging/release-check

## make clean       remove everything that was built
clean:
	rm -rf build

## (PRESET=debug|release|asan-ubsan|tsan|counts selects the build for all of these; JOBS=N how many cores they take)
help:
	@sed -n 's/^## //p' Makefile

tests: build
	@tests/provide --record $(BUILD) check
	@cmake --preset $(PRESET) -DINKLING_TESTS=ON >$(BUILD)/configure.log || \
	    { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j$(JOBS)

links: build
	@ln -sfn $(PRESET)/bin build/bin
	@ln -sfn $(PRESET)/lib build/lib

# found.build is there before the first configure, and newer than the build when something was installed or removed: see found.cmake.
build:
	@tests/provide --record $(BUILD) build
	@test -f $(BUILD)/build.ninja || \
	    cmake --preset $(PRESET) -DINKLING_TESTS=OFF >$(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j$(JOBS)
