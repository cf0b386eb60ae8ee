"""A data set that each rank writes a part of, and all read."""
import os
import tempfile

import h5py
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
name = comm.bcast(os.path.join(tempfile.gettempdir(), f"parallel-{os.getpid()}.h5"))
with h5py.File(name, "w", driver="mpio", comm=comm) as file:
    data = file.create_dataset("values", (100 * comm.size,), dtype="i8")
    with data.collective:
        data[100 * comm.rank:100 * (comm.rank + 1)] = np.arange(100) + 100 * comm.rank
comm.Barrier()
with h5py.File(name, "r", driver="mpio", comm=comm) as file:
    assert (file["values"][:] == np.arange(100 * comm.size)).all()
comm.Barrier()
if comm.rank == 0:
    os.remove(name)
    print("h5py: all well")
