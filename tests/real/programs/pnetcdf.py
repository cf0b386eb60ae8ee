"""PnetCDF: its tests in C, `make check` and `make ptest4`: netCDF files of one and of 4 ranks, blocking and nonblocking."""
from program import Case

PACKAGE = "pnetcdf"
TOOLS = ["m4", "perl", "autoconf", "automake", "libtoolize"]
FOLDERS = ("C", "fandc", "testcases", "nonblocking", "header", "cdf_format", "largefile")  # the others are Fortran and C++


def build(site):
    tree = site.copy()
    site.run("autoreconf", "-i", folder=tree)
    site.run("./configure", "--disable-fortran", "--disable-cxx", "--enable-shared=no", f"MPICC={site.mpicc}", f"CC={site.mpicc}",
             f"TESTMPIRUN={site.mpiexec} -n NP", f"TESTSEQRUN={site.mpiexec} -n 1", folder=tree)
    site.make(folder=tree)
    site.make("tests", folder=tree)


def cases(site):
    test = site.folder / "tree" / "test"
    for folder in FOLDERS:
        if (test / folder / "Makefile").is_file():
            yield Case(f"{folder}-1", ["make", "-C", test / folder, "check"], test, 400)
            yield Case(f"{folder}-4", ["make", "-C", test / folder, "ptest4"], test, 400)
