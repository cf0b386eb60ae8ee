"""SUNDIALS: the tests of its parallel vectors, and of the linear solvers on them."""
import json
import re
import subprocess

from program import Case

PACKAGE = "sundials"
TOOLS = ["cmake", "ctest", "ninja"]
# What integrates in time only has examples, and their saved output is met by an MPI_Allreduce that adds four ranks' items
# in one order, (0 + 1) + (2 + 3). Any order is right.
INTEGRATORS = ("ARKODE", "CVODE", "CVODES", "IDA", "IDAS", "KINSOL")


def build(site):
    off = [f"-D{option}=OFF" for option in ("BUILD_SHARED_LIBS", "EXAMPLES_INSTALL", "EXAMPLES_ENABLE_CXX",
                                   *(f"BUILD_{name}" for name in INTEGRATORS))]
    site.run("cmake", "-G", "Ninja", "-S", site.source, "-B", site.folder, "-DCMAKE_BUILD_TYPE=Release", "-DENABLE_MPI=ON",
             f"-DMPI_C_COMPILER={site.mpicc}", f"-DMPIEXEC_EXECUTABLE={site.mpiexec}", *off)
    site.run("cmake", "--build", site.folder, "-j", site.jobs)


def cases(site):
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=site.folder, check=True, capture_output=True).stdout
    for test in json.loads(listed)["tests"]:
        if site.mpiexec in test.get("command", []):  # the others are not of MPI
            name = test["name"]
            yield Case(name, ["ctest", "--output-on-failure", "-R", f"^{re.escape(name)}$"], site.folder, 120)
