"""PETSc with its Fortran interface: `make check`, and its own tests in Fortran of vectors, index sets, matrices, solvers and the system layer."""
import shlex

from program import Case
from programs.petsc import build_with, cases_of

PACKAGE = "petsc"
TOOLS = ["python3", "mpifort"]
HEADERS = ["cblas.h"]
# Programs in Fortran have an f behind the number: vec_vec_tutorials-ex9f_1. mat/tests has one that does not compile (ex36f).
SETS = {"system": "sys_tests-ex*f_*", "vectors": "vec_vec_t*-ex*f_*", "vectors-90": "vec_vec_t*-ex*f90_*", "index-sets": "vec_is_*-ex*f_*",
        "matrices": "mat_tutorials-ex*f_*", "solvers": "ksp_ksp_tutorials-ex*f_*"}


def build(site):
    build_with(site, f"--with-fc={site.mpifort}", "FOPTFLAGS=-O0")


def cases(site):
    # What it compiles for both languages runs on 1 and 2 ranks; a line with an error says so, and the exit code does not.
    tree = site.folder / "tree"
    check = shlex.join(map(str, ["make", "-C", tree, f"PETSC_DIR={tree}", "PETSC_ARCH=real", "check"]))
    yield Case("check", ["sh", "-c", f"{check} | tee check.log; grep -q 'Fortran example.* run successfully' check.log && ! grep -i error check.log"],
               site.folder, 900)
    yield from cases_of(site, SETS)
