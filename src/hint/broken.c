/* What happens to a program that gives a hint which is not true. */
#include "hint/hint.h"

const char *const hint_broken[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = "the call that names MPI_ANY_TAG fails with MPI_ERR_TAG; nothing is received",
    [HINT_NO_ANY_SOURCE] = "the call that names MPI_ANY_SOURCE fails with MPI_ERR_RANK; nothing is received",
    [HINT_EXACT_LENGTH] =
        "the receive of a message that is shorter fails with MPI_ERR_TRUNCATE, as of one that is longer",
    [HINT_ALLOW_OVERTAKING] =
        "a receive of MPI_ANY_TAG may take a message that was sent later than another; no error "
        "tells, but mpiexec --check does where types, lengths or tags show that the order matters",
    [HINT_STRICT_PERSISTENT_ORDERING] =
        "the collectives that were started in another order fail on all ranks",
    [HINT_ASSERT_MEMORY_KINDS] =
        "memory of a device is touched as if it were the host's, and the process crashes or gets "
        "garbage; of other kinds nothing happens, but mpiexec --check tells",
    [HINT_THREAD_LEVEL] = "calls of several threads spoil the library's data; mpiexec --check tells",
    [HINT_NO_LOCKS] = "the call that locks fails with MPI_ERR_RMA_SYNC",
    [HINT_ACCUMULATE_ORDERING] = "nothing: all orders are kept; mpiexec --check tells",
    [HINT_ACCUMULATE_OPS] =
        "under same_op an MPI_REPLACE beside another operation may lose what the other has done; no "
        "error tells, but mpiexec --check does",
    [HINT_SAME_SIZE] =
        "the window is not made: MPI_ERR_SIZE on all ranks, with the least and the largest size",
    [HINT_SAME_DISP_UNIT] =
        "the window is not made: MPI_ERR_DISP on all ranks, with the least and the largest unit",
    [HINT_SHARED_NONCONTIG] =
        "a program that reaches its neighbours' memory from its own address, and not by "
        "MPI_Win_shared_query, reads and writes elsewhere; no error tells",
    [HINT_ACCESS_STYLE] = "results are the same; accesses may take longer; mpiexec --check tells",
};
