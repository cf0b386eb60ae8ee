"""PT-Scotch: the parallel checks of its library and of its programs: distributed graphs made, coarsened, cut and ordered."""
from program import Case

PACKAGE = "scotch"
TOOLS = ["flex", "bison"]
HEADERS = ["zlib.h"]
CHECKS = ("strat_par", "scotch_dgraph_band", "scotch_dgraph_check", "scotch_dgraph_coarsen", "scotch_dgraph_grow",
          "scotch_dgraph_induce", "scotch_dgraph_redist", "prog_dgord", "prog_dgpart", "prog_dgscat-dggath", "prog_dgtst",
          "prog_dfull")


def build(site):
    tree = site.copy()
    settings = tree / "src" / "Make.inc" / "Makefile.inc.x86-64_pc_linux2"
    site.run("cp", settings, tree / "src" / "Makefile.inc")
    # Its makefiles do not say what comes before what.
    for target in ("scotch", "ptscotch"):
        site.run("make", target, f"CCP={site.mpicc}", f"CCD={site.mpicc}", folder=tree / "src")


def cases(site):
    checks = site.folder / "tree" / "src" / "check"
    words = [f"CCP={site.mpicc}", f"CCD={site.mpicc}", f"EXECPPROG={site.mpiexec}"]
    for name in CHECKS:
        yield Case(name, ["make", "ptcheck", f"CHECKPTSCOTCH=check_{name}", *words], checks, 180)
