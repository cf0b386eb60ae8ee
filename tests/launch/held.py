"""held.py LIBRARY: three ranks hold a line in Python's stdout when rank 1 ends the job; rank 0 waits in MPI, rank 2 computes in Python."""
import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
world = ctypes.c_void_p(0x101)
rank = ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
print("held by", rank.value)
mpi.MPI_Barrier(world)
if rank.value == 1:
    mpi.MPI_Abort(world, 3)
while rank.value == 2:
    pass
mpi.MPI_Barrier(world)
