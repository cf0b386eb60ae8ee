"""PETSc: its own tests of star forests (data by messages, and by windows of each flavour in each kind of epoch), orderings, vectors and its system layer."""
import shlex

from program import Case

PACKAGE = "petsc"
TOOLS = ["python3"]
HEADERS = ["cblas.h"]
# PETSc names its tests by their folders: vec_is_sf_tests-ex1_1.
SETS = {"star-forests": "vec_is_sf_t*", "orderings": "vec_is_ao_tests*", "vectors": "vec_vec_tests*", "system": "sys_tests*"}


def make(site, *words):
    tree = site.folder / "tree"
    return ["make", "-C", tree, "-f", "gmakefile", f"PETSC_DIR={tree}", "PETSC_ARCH=real", *words]


def build_with(site, *options):
    tree = site.copy()
    site.run("python3", "./configure", "PETSC_ARCH=real", f"PETSC_DIR={tree}", f"--with-cc={site.mpicc}", f"--with-mpiexec={site.mpiexec}",
             "--with-cxx=0", "--with-shared-libraries=0", "--with-debugging=0", "COPTFLAGS=-O0", "--with-x=0", "--with-ssl=0",
             "--with-valgrind=0", "--with-hwloc=0", "--with-blaslapack-lib=-llapack -lblas", *options, folder=tree)
    site.run(*make(site, f"-j{site.jobs}", "libs"))


def build(site):
    build_with(site, "--with-fc=0")


def cases_of(site, sets):
    for name, search in sets.items():
        command = shlex.join(map(str, make(site, "test", f"search={search}", "TIMEOUT=120")))
        # It exits with 0 whatever fails, and says `ok` or `not ok` of each test, also of one that it skips. -nox: a few tests draw,
        # and expect other output where there are no windows to draw in, unless they are told.
        yield Case(name, ["sh", "-c", f"PETSC_OPTIONS=-nox {command} | tee {name}.log; grep '^ *ok ' {name}.log | grep -qv '# SKIP' && ! grep '^ *not ok ' {name}.log"],
                   site.folder, 1800)


def cases(site):
    return cases_of(site, SETS)
