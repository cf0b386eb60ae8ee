#!/usr/bin/env python3
"""@NAME@: computes pi on all ranks.

It calls MPI by ctypes: the standard ABI fixes the values of handles, so nothing has to be compiled. mpi4py, built with Inkling's mpicc,
does the same in nicer words: MPI.COMM_WORLD.reduce(part)."""
import ctypes
import os

mpi = ctypes.CDLL(os.environ.get("MPI_LIBRARY", "libmpi_abi.so.1"), mode=ctypes.RTLD_GLOBAL)  # the Makefile says where it is
WORLD, DOUBLE, SUM = (ctypes.c_void_p(handle) for handle in (0x101, 0x214, 0x21))  # MPI_COMM_WORLD, MPI_DOUBLE, MPI_SUM
STEPS = 1000000

mpi.MPI_Init(None, None)
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))  # who am I?
mpi.MPI_Comm_size(WORLD, ctypes.byref(size))  # how many are we?

# The integral of 4 / (1 + x * x) from 0 to 1. Each rank takes every size-th step.
part = sum(4 / (1 + ((i + 0.5) / STEPS) ** 2) / STEPS for i in range(rank.value, STEPS, size.value))
# Rank 0 gets the sum of what all ranks have.
pi = ctypes.c_double()
mpi.MPI_Reduce(ctypes.byref(ctypes.c_double(part)), ctypes.byref(pi), 1, DOUBLE, SUM, 0, WORLD)
if rank.value == 0:
    print(f"pi is about {pi.value:.6f}, by {size.value} ranks")
mpi.MPI_Finalize()
