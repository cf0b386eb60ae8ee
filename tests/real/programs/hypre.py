"""hypre: the regression tests of its solvers on structured grids and on matrices, and what they print against what is saved."""
from program import Case

PACKAGE = "hypre"
TOOLS = ["awk"]
# Those that take long or need programs that are not built by default (superlu, fei, longdouble, single) are left out.
FOLDERS = ("TEST_struct", "TEST_sstruct", "TEST_ij", "TEST_ams", "TEST_lobpcg", "TEST_fac")


def build(site):
    tree = site.copy("src")
    site.run("./configure", "--without-superlu", "--without-dsuperlu", "--disable-fortran", f"CC={site.mpicc}",
             f"CXX={site.mpicxx}", folder=tree)
    site.make(folder=tree)
    site.make("all", folder=tree / "test")


def cases(site):
    tests = site.folder / "tree" / "test"
    for folder in FOLDERS:
        for script in sorted((tests / folder).glob("*.sh")):
            name = f"{folder}/{script.name}"
            errors = f"{folder}/{script.stem}.err"
            # runtest.sh always exits with 0; what went wrong is in the file of errors.
            command = f"./runtest.sh -rtol 1.e-06 -mpi '{site.mpiexec} -n' {name}; test -e {errors} && ! test -s {errors} || {{ head -50 {errors}; exit 1; }}"
            yield Case(f"{folder[5:]}/{script.stem}", ["sh", "-c", command], tests, 300)
