# A thin front for CMake presets and Ninja. `make help` lists the verbs.
PRESET ?= release
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
BUILD  := build/$(PRESET)

.DEFAULT_GOAL := all
.PHONY: all build demo check check-asan check-tsan lint format bench install clean help

## make             build the library and the commands; build/bin and build/lib are where to find them
all: build
	@ln -sfn $(PRESET)/bin build/bin
	@ln -sfn $(PRESET)/lib build/lib

## make demo        run examples/heat on 4 ranks: a picture, a checked result, the hints in force
demo: all
	@cmake --build $(BUILD) --target example_heat
	@cd $(BUILD)/examples && ../bin/mpiexec -n 4 ./heat heat.png
	@echo "the picture is $(BUILD)/examples/heat.png"

## make check       run every test
check: build
	@tests/need check
	@cmake --preset $(PRESET) -DINKLING_TESTS=ON >$(BUILD)/configure.log || \
	    { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j$(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS) $(CTEST)

## make check-asan  run every test with AddressSanitizer and UndefinedBehaviorSanitizer
check-asan:
	@$(MAKE) --no-print-directory check PRESET=asan-ubsan

## make check-tsan  run every test with ThreadSanitizer
check-tsan:
	@$(MAKE) --no-print-directory check PRESET=tsan

## make lint        check the rules of the house: layers, lengths, names, format, warnings, cppcheck
lint:
	@tests/need build check lint
	@python3 tests/lint/lint.py

## make format      let clang-format lay out every C file
format:
	@tests/need lint
	@git ls-files '*.[ch]' | xargs clang-format -i

## make bench       compare with MPICH and Open MPI, and with what the machine can do; BENCH="--quick --only latency"
bench: all
	@tests/need bench
	@python3 bench/run.py $(BENCH)

## make install     install under PREFIX (/usr/local); DESTDIR is honoured
install: build
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

## make clean       remove everything that was built
clean:
	rm -rf build

## (PRESET=debug|release|asan-ubsan|tsan selects the build for all of these; JOBS=N how many run at once)
help:
	@sed -n 's/^## //p' Makefile

build:
	@tests/need build
	@mkdir -p $(BUILD)
	@test -f $(BUILD)/build.ninja || \
	    cmake --preset $(PRESET) -DINKLING_TESTS=OFF >$(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j$(JOBS)
