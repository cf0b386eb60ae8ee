"""mpi4py: its own test suite, thousands of tests of what Python programs call, on 1 to 4 ranks; built by Debian's Python with its Cython."""
from program import Case, Failed

PACKAGE = "mpi4py"
PYTHON = "/usr/bin/python3"  # Debian's: cython3 and setuptools are modules of it
TOOLS = ["cython3", PYTHON]
SUITES = ["main.py", "runtests.py"]  # of mpi4py 4 and 3
NEEDED = "import Cython, setuptools, os, sysconfig as s; os.stat(os.path.join(s.get_paths()['include'], 'Python.h'))"


def build(site):
    site.run(PYTHON, "-c", NEEDED)
    site.run(PYTHON, "setup.py", "build", folder=site.copy(), MPICC=site.mpicc)


def found(site, *patterns):
    """The first path of these in the tree."""
    paths = [path for pattern in patterns for path in sorted((site.folder / "tree").glob(pattern))]
    if not paths:
        raise Failed(f"mpi4py: nothing is at {' or '.join(patterns)} in {site.folder}/tree")
    return paths[0]


def cases(site):
    library = found(site, "build/lib.*", "build/lib")
    suite = found(site, *(f"test/{name}" for name in SUITES))
    for ranks in (1, 2, 3, 4):
        command = [site.mpiexec, "-n", ranks, "env", f"PYTHONPATH={library}", PYTHON, "-B", suite, "-v"]
        yield Case(f"suite-{ranks}", command, site.folder / "tree", 900)
