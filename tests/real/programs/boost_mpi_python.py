"""Boost.MPI for Python: its tests plain, under --check, which may blame none, and under --advise, whose places are lines of the scripts."""
from program import Case

PACKAGE = "boost1.81"
PYTHON = "/usr/bin/python3"  # Debian's, whose headers are where its sysconfig says
TOOLS = [PYTHON]
NEEDED = "import os, sysconfig as s; os.stat(os.path.join(s.get_paths()['include'], 'Python.h'))"
INCLUDE = "import sysconfig; print(sysconfig.get_paths()['include'])"
RANKS = (2, 3, 7)
MAKEFILE = """
headers = $(addprefix -I,$(wildcard $(boost)/libs/*/include $(boost)/libs/numeric/*/include))
python := $(shell {python} -c "{include}")
parts = mpi/src mpi/src/python serialization/src python/src python/src/converter python/src/object
sources = $(foreach part,$(parts),$(wildcard $(boost)/libs/$(part)/*.cpp))
objects = $(subst /,-,$(patsubst $(boost)/libs/%.cpp,%.o,$(sources)))
flags = -O1 -w -fPIC -DBOOST_ALL_NO_LIB $(headers) -I$(python)
all: mpi.so
mpi.so: $(objects)
\t$(CXX) -shared -o $@ $^
define compiled
$(subst /,-,$(patsubst $(boost)/libs/%.cpp,%.o,$(1))): $(1)
\t$$(CXX) $$(flags) -c -o $$@ $$<
endef
$(foreach source,$(sources),$(eval $(call compiled,$(source))))
"""


def build(site):
    site.run(PYTHON, "-c", NEEDED)
    rules = MAKEFILE.replace("{python}", PYTHON).replace("{include}", INCLUDE)
    (site.folder / "Makefile").write_text(f"boost = {site.source}\nCXX = {site.mpicxx}\n{rules}", encoding="utf-8")
    site.make("all")


def cases(site):
    for script in sorted((site.source / "libs" / "mpi" / "test" / "python").glob("*_test.py")):
        if script.stem == "skeleton_content_test":  # its module includes a header that Boost has no more
            continue
        python = ["env", f"PYTHONPATH={site.folder}", PYTHON, "-B", script]
        for ranks in RANKS:
            yield Case(f"{script.stem}-{ranks}", [site.mpiexec, "-n", ranks, *python], site.folder, 120)
        if site.library.name == "inkling":
            yield Case(f"{script.stem}-check", [site.mpiexec, "-n", 2, "--check", *python], site.folder, 120)
