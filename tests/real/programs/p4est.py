"""p4est: its own tests and those of libsc: forests of octrees refined, balanced, partitioned, with ghosts and nodes."""
from program import Case

PACKAGE = "p4est"
TOOLS = ["autoconf", "automake", "libtoolize"]
HEADERS = ["zlib.h"]


def build(site):
    tree = site.copy()
    for folder in (tree, tree / "sc"):
        (folder / ".tarball-version").write_text("2.2\n", encoding="utf-8")  # what Debian's rules write
    site.run("./bootstrap", folder=tree)
    site.run("./configure", "--enable-mpi", "--disable-mpiio", "--disable-shared", "--without-blas", f"CC={site.mpicc}",
             f"CXX={site.mpicxx}", folder=tree)
    site.make(folder=tree)
    site.make("check", "TESTS=", folder=tree)


def cases(site):
    tree = site.folder / "tree"
    for test in sorted((*tree.glob("test/p?est_test_*"), *tree.glob("sc/test/sc_test_*"))):
        if test.is_file() and not test.suffix:
            for ranks in (2, 3, 5):
                yield Case(f"{test.name}-{ranks}", [site.mpiexec, "-n", ranks, test], test.parent, 180)
