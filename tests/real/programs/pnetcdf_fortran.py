"""PnetCDF's Fortran 77 (mpif.h) and Fortran 90 (use mpi) interfaces: their tests, `make check` and `make ptest4`."""
from program import Case

PACKAGE = "pnetcdf"
TOOLS = ["m4", "perl", "autoconf", "automake", "libtoolize", "mpifort"]
# Folder and target; nf_test and nf90_test are of one rank. In the others the programs in C run along.
TESTS = (("nf_test", "check"), ("nf90_test", "check"), ("F90", "check"), ("F90", "ptest4"), ("fandc", "check"), ("fandc", "ptest4"),
         ("testcases", "ptest4"), ("nonblocking", "ptest4"))


def build(site):
    tree = site.copy()
    site.run("autoreconf", "-i", folder=tree)
    site.run("./configure", "--enable-fortran", "--disable-cxx", "--enable-shared=no", f"MPICC={site.mpicc}", f"CC={site.mpicc}",
             f"MPIF77={site.mpifort}", f"MPIF90={site.mpifort}", f"TESTMPIRUN={site.mpiexec} -n NP",
             f"TESTSEQRUN={site.mpiexec} -n 1", folder=tree)
    site.make(folder=tree)
    for folder in sorted({folder for folder, _ in TESTS}):
        site.make("tests-local", folder=tree / "test" / folder)


def cases(site):
    test = site.folder / "tree" / "test"
    for folder, target in TESTS:
        yield Case(f"{folder}-{target}", ["make", "-C", test / folder, target], test, 600)
