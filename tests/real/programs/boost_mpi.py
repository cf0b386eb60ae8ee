"""Boost.MPI: all tests of its Jamfile, on the numbers of ranks that the Jamfile names."""
import re

from program import Case

PACKAGE = "boost1.81"
TOOLS = []
USUAL = "1 2 3 4 7 8 13 17"  # what Boost's build rule takes where the Jamfile names none
MAKEFILE = """
headers = $(addprefix -I,$(wildcard $(boost)/libs/*/include $(boost)/libs/numeric/*/include))
sources = $(wildcard $(boost)/libs/mpi/src/*.cpp $(boost)/libs/serialization/src/*.cpp)
VPATH = $(boost)/libs/mpi/src $(boost)/libs/serialization/src
all: $(tests)
libtested.a: $(notdir $(sources:.cpp=.o))
\t$(AR) rcs $@ $^
%.o: %.cpp
\t$(CXX) -O1 -w $(headers) -c -o $@ $<
$(tests): libtested.a
\t$(CXX) -O1 -w $(headers) -o $@ $(boost)/libs/mpi/test/$(source-$@) libtested.a -pthread
"""


def listed(site):
    """(name, source, rank counts) of each test in the Jamfile."""
    lines = (site.source / "libs" / "mpi" / "test" / "Jamfile.v2").read_text(encoding="utf-8").splitlines()
    for line in lines:
        found = re.match(r"\s*\[ mpi-test (\S+)([^\]]*)\]", line)
        if found:
            name = found.group(1)
            parts = [part.strip() for part in found.group(2).split(":")] + [""] * 4
            yield name, parts[1] or f"{name}.cpp", (parts[3] or USUAL).split()


def build(site):
    tests = list(listed(site))
    lines = [f"boost = {site.source}", f"CXX = {site.mpicxx}", "tests = " + " ".join(name for name, _, _ in tests)]
    lines += [f"source-{name} = {source}" for name, source, _ in tests]
    (site.folder / "Makefile").write_text("\n".join(lines) + MAKEFILE, encoding="utf-8")
    site.make("all")


def cases(site):
    for name, _, counts in listed(site):
        for count in counts:
            yield Case(f"{name}-{count}", [site.mpiexec, "-n", count, f"./{name}"], site.folder, 120)
