"""PT-Scotch: the parallel checks of its library and of its programs: distributed graphs made, coarsened, cut and ordered."""
from program import Case

PACKAGE = "scotch"
TOOLS = ["flex", "bison"]
HEADERS = ["zlib.h"]
LIBRARY = ("band", "check", "coarsen", "grow", "induce", "redist")
PROGRAMS = ("dgord", "dgpart", "dgscat-dggath", "dgtst", "dfull")


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
    for target in [f"check_scotch_dgraph_{name}" for name in LIBRARY] + [f"check_prog_{name}" for name in PROGRAMS]:
        yield Case(target.removeprefix("check_"), ["make", target, *words], checks, 180)
