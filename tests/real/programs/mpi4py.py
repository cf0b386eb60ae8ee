"""mpi4py: its own test suite, 1,400 tests of what Python programs call, on 1 to 4 ranks; built by Debian's Python with its Cython."""
import pathlib

from program import Case, Failed

PACKAGE = "mpi4py"
PYTHON = "/usr/bin/python3"  # Debian's: cython3, setuptools and numpy are modules of it
TOOLS = ["cython3", PYTHON]
NEEDED = "import Cython, setuptools, numpy, os, sysconfig as s; os.stat(os.path.join(s.get_paths()['include'], 'Python.h'))"
SUITE = pathlib.Path(__file__).resolve().parents[1] / "mpi4py" / "suite.py"


def build(site):
    site.run(PYTHON, "-c", NEEDED)
    # mpi4py 3 lets setuptools take no Cython of version 3 unless conda builds it; its sources are fit for both.
    site.run(PYTHON, "setup.py", "build", folder=site.copy(), MPICC=site.mpicc, CONDA_BUILD="1")


def found(site, *patterns):
    """The first path of these in the tree."""
    paths = [path for pattern in patterns for path in sorted((site.folder / "tree").glob(pattern))]
    if not paths:
        raise Failed(f"mpi4py: nothing is at {' or '.join(patterns)} in {site.folder}/tree")
    return paths[0]


def cases(site):
    library = found(site, "build/lib.*", "build/lib")
    suite = found(site, "test/main.py", "test/runtests.py")  # of mpi4py 4 and 3
    command = [suite] if suite.name == "main.py" else [SUITE, suite]
    for ranks in (1, 2, 3, 4):
        words = [site.mpiexec, "-n", ranks, "env", f"PYTHONPATH={library}", PYTHON, "-B", *command, "-v"]
        yield Case(f"suite-{ranks}", words, site.folder / "tree", 900)
