#!/usr/bin/env python3
"""ring.py: a number goes round all ranks, and each adds its own.

    mpiexec -n 4 python3 ring.py

With mpi4py where that was built for Inkling (its MPI.Get_library_version says so); else by ctypes, for which the standard ABI is
enough: it fixes the values of handles and constants, so that a program needs no header. MPI_LIBRARY names the library, by default
libmpi_abi.so.1; `mpicc -show:libdirs` prints its folder."""
import ctypes
import os
import sys


class Plain:
    """The four calls that this program makes, by ctypes."""
    WORLD = ctypes.c_void_p(0x101)  # MPI_COMM_WORLD
    INT = ctypes.c_void_p(0x209)  # MPI_INT
    STATUS_IGNORE = ctypes.c_void_p(0)

    def __init__(self):
        self.library = ctypes.CDLL(os.environ.get("MPI_LIBRARY", "libmpi_abi.so.1"), mode=ctypes.RTLD_GLOBAL)
        self.library.MPI_Init(None, None)
        self.rank, self.size = self.number("MPI_Comm_rank"), self.number("MPI_Comm_size")

    def number(self, name):
        value = ctypes.c_int()
        self.library[name](self.WORLD, ctypes.byref(value))
        return value.value

    def send(self, number, dest):
        self.library.MPI_Send(ctypes.byref(ctypes.c_int(number)), 1, self.INT, dest, 0, self.WORLD)

    def recv(self, source):
        value = ctypes.c_int()
        self.library.MPI_Recv(ctypes.byref(value), 1, self.INT, source, 0, self.WORLD, self.STATUS_IGNORE)
        return value.value

    def finish(self):
        self.library.MPI_Finalize()


class Mpi4py:
    """The same by mpi4py, which initializes MPI when it is imported and finalizes it at the end."""

    def __init__(self):
        from mpi4py import MPI  # pylint: disable=import-outside-toplevel
        if "Inkling" not in MPI.Get_library_version():
            raise ImportError("this mpi4py was built for another MPI")
        self.comm = MPI.COMM_WORLD
        self.rank, self.size = self.comm.rank, self.comm.size

    def send(self, number, dest):
        self.comm.send(number, dest)

    def recv(self, source):
        return self.comm.recv(source=source)

    def finish(self):
        pass


def main():
    try:
        if "MPI_LIBRARY" in os.environ: # the user has chosen
            raise ImportError
        mpi = Mpi4py()
    except ImportError:
        mpi = Plain()
    total = mpi.rank
    if mpi.rank > 0:
        total += mpi.recv(mpi.rank - 1)
    if mpi.rank < mpi.size - 1:
        mpi.send(total, mpi.rank + 1)
    else:
        print(f"round {mpi.size} ranks: {total}")
    mpi.finish()
    last = mpi.rank == mpi.size - 1
    sys.exit(last and total != mpi.size * (mpi.size - 1) // 2)


main()
