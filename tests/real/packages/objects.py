"""What scripts with mpi4py do: objects, buffers, datatypes, an operation of their own, a window, a file, spawned errors."""
import os
import tempfile

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size

assert comm.bcast({"a": [1, 2]} if rank == 0 else None) == {"a": [1, 2]}
assert comm.allgather(rank) == list(range(size))
assert comm.allreduce(rank, op=MPI.SUM) == size * (size - 1) // 2
status = MPI.Status()
assert comm.sendrecv(("from", rank), right, 3, None, MPI.ANY_SOURCE, MPI.ANY_TAG, status) == ("from", left)
assert status.source == left and status.tag == 3

columns = MPI.DOUBLE.Create_vector(4, 1, 4).Commit()
matrix = np.arange(16.0).reshape(4, 4) + 100 * rank
column = np.empty(4)
requests = [comm.Isend([matrix, 1, columns], right, 1), comm.Irecv(column, left, 1)]
MPI.Request.Waitall(requests)
assert (column == np.arange(16.0).reshape(4, 4)[:, 0] + 100 * left).all()
columns.Free()


def largest(a, b, datatype):
    assert datatype == MPI.INT
    mine, other = np.frombuffer(a, "i"), np.frombuffer(b, "i")
    other[:] = np.maximum(mine, other)


operation = MPI.Op.Create(largest, commute=True)
result = np.empty(1, "i")
comm.Allreduce(np.array([rank], "i"), result, operation)
assert result[0] == size - 1
operation.Free()

memory = np.zeros(1, "i")
window = MPI.Win.Create(memory, 4, comm=comm)
window.Fence()
window.Put(np.array([rank], "i"), right)
window.Fence()
assert memory[0] == left
window.Free()

name = comm.bcast(os.path.join(tempfile.gettempdir(), f"objects-{os.getpid()}"))
file = MPI.File.Open(comm, name, MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
file.Write_at_all(4 * rank, np.array([rank], "i"))
file.Sync()
comm.Barrier()
file.Read_at_all(4 * left, memory)
assert memory[0] == left
file.Close()

try:
    comm.Send(memory, size + 7)
    raise SystemExit("a rank that is not there was accepted")
except MPI.Exception as error:
    assert error.Get_error_class() == MPI.ERR_RANK

grid = comm.Create_cart([size], [True])
assert grid.Shift(0, 1) == (left, right)
grid.Free()
keyval = MPI.Comm.Create_keyval(copy_fn=lambda o, k, v: v + 1)
comm.Set_attr(keyval, 4)
copy = comm.Dup()
assert copy.Get_attr(keyval) == 5
copy.Free()
comm.Delete_attr(keyval)
MPI.Comm.Free_keyval(keyval)
if rank == 0:
    print("objects: all well")
