"""Collectives as OSU's benchmarks call them without arguments (programs of our own): 1 byte to 1 MiB of MPI_CHAR."""
from program import Case
from sources import Absent

PACKAGE = None
TOOLS = []
MOVES = ("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv",
         "alltoall", "alltoallv", "alltoallw")
REDUCTIONS = ("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan")
LEVELS = ("funneled", "serialized", "multiple")


def build(site):
    if site.library.name == "openmpi":
        raise Absent("Open MPI has no persistent collectives before release 5")
    site.run(site.mpicc, "-O2", "-Wall", "-Werror", "-o", site.folder / "collectives",
             site.source / "collectives.c", site.source / "calls.c")


def cases(site):
    def case(ranks, *words):
        return Case("-".join([*words, str(ranks)]), [site.mpiexec, "-n", ranks, "./collectives", *words], site.folder, 180)

    for ranks in (2, 3, 4):
        for name in (*MOVES, *REDUCTIONS):
            yield case(ranks, name)
    for name in (*MOVES, *REDUCTIONS):
        yield case(4, name, "nonblocking")
        yield case(4, name, "persistent")
    for name in REDUCTIONS:
        yield case(4, name, "MPI_MAX")
    for level in LEVELS:
        yield case(2, "allreduce", level)
