"""HDF5's Fortran interface (fortran/testpar): data sets that ranks write and read together, chunked and not."""
from program import Case

PACKAGE = "hdf5"
TOOLS = ["perl", "mpifort"]
HEADERS = ["zlib.h"]


def build(site):
    site.run(site.source / "configure", "--enable-parallel", "--enable-fortran", "--disable-shared", "--disable-hl",
             "--enable-build-mode=production", f"CC={site.mpicc}", f"FC={site.mpifort}",
             f"RUNPARALLEL={site.mpiexec} -n $${{NPROCS:=4}}")
    site.make(folder=site.folder / "src")
    site.make(folder=site.folder / "fortran" / "src")
    site.make("libh5test.la", folder=site.folder / "test")
    site.make("libh5test_fortran.la", folder=site.folder / "fortran" / "test")
    site.make("parallel_test", folder=site.folder / "fortran" / "testpar")


def cases(site):
    tests = site.folder / "fortran" / "testpar"
    for ranks in (1, 2, 4, 6):
        yield Case(f"parallel_test-{ranks}", [site.mpiexec, "-n", ranks, "./parallel_test"], tests, 120)
