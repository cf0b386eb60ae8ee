"""FFTW: its own MPI check, random transforms of random shapes, each against what it must be by linearity and shifts."""
from program import Case

PACKAGE = "fftw3"
TOOLS = ["perl"]


def build(site):
    site.run(site.source / "configure", "--enable-mpi", "--enable-threads", "--disable-fortran", "--disable-doc",
             "--disable-static", "--enable-shared", f"MPICC={site.mpicc}")
    site.make()


def cases(site):
    check = ["perl", "-w", site.source / "tests" / "check.pl", "--verbose", "--random", "--maxsize=10000", "-c=10", "--mpi"]
    for ranks in (1, 2, 3, 4, 6):
        yield Case(f"transforms-{ranks}", [*check, f"{site.mpiexec} -n {ranks} {site.folder}/mpi/mpi-bench"],
                   site.folder / "mpi", 300)
    yield Case("threads-3", [*check, "--nthreads=2", f"{site.mpiexec} -n 3 {site.folder}/mpi/mpi-bench"],
               site.folder / "mpi", 300)
