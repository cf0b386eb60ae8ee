#!/usr/bin/env python3
"""suite.py RUNTESTS WORD...: the suite of mpi4py 3, whose runtests.py takes the words. Tests that expect what MPI-4.1 and later say otherwise, or what
NumPy lacks, are named here with the reason; each has to fail, so a name that is here for nothing fails the suite."""
import importlib
import pathlib
import sys
from unittest import expectedFailure

CLASS = "expects MPI_ERR_ARG of a null error handler; since MPI-4.1 its class is MPI_ERR_ERRHANDLER, which mpi4py 3 does not know"
INTEGER16 = "asks NumPy for a type like MPI_INTEGER16, 'i16', which NumPy does not have"


def refused(MPI, numpy):
    """The tests that cannot pass with this library, each with the reason."""
    tests = {}
    if MPI.Get_version() >= (4, 1):
        tests |= {f"test_exceptions.TestExcErrhandlerNull.{name}": CLASS
                  for name in ("testFree", "testCommSelfSetErrhandler", "testCommWorldSetErrhandler")}
    if numpy and MPI.INTEGER16 != MPI.DATATYPE_NULL:
        tests["test_util_dtlib.TestUtilDTLib.testF90"] = INTEGER16
    return tests


def mark(MPI, numpy):
    for test, reason in refused(MPI, numpy).items():
        module, case, name = test.split(".")
        expectedFailure(getattr(getattr(importlib.import_module(module), case), name))
        if MPI.COMM_WORLD.Get_rank() == 0:
            print(f"{test} has to fail: it {reason}", flush=True)


def main():
    path = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(path.parent))
    runtests = importlib.import_module(path.stem)
    load_tests = runtests.load_tests

    def load(options, words):
        from mpi4py import MPI  # no sooner: runtests chooses how MPI is initialized
        suite = load_tests(options, words)
        mark(MPI, sys.modules.get("numpy"))
        return suite

    runtests.load_tests = load
    return runtests.main(sys.argv[2:])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
