/* survive_finalized: processes of another job that finalize in good order (mpiexec --survive). A collective in which they have done their
 * part succeeds on all others, also on those that call it when the processes have ended; one that needs more of them fails. */
#include "survive_expect.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHILDREN = 2,
    SECRET = 4711
};

static int rank, size; /* in MPI_COMM_WORLD */

static bool is_failure(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class == MPIX_ERR_PROC_FAILED;
}

/* Until the children have ended and this process knows it: a receive that names one fails. They have not failed, so nobody lists them. */
static void await_end(MPI_Comm both)
{
    MPI_Group group;
    int value, count, any;
    MPI_Request request;

    EXPECT(!MPI_Irecv(&any, 1, MPI_INT, MPI_ANY_SOURCE, 7, both, &request));
    for (int i = 0; i < CHILDREN; i++)
        EXPECT(is_failure(MPI_Recv(&value, 1, MPI_INT, size + i, 6, both, MPI_STATUS_IGNORE)));
    MPIX_Comm_get_failed(both, &group);
    MPI_Group_size(group, &count);
    MPI_Group_free(&group);
    EXPECT(count == 0);
    EXPECT(!MPI_Test(&request, &count, MPI_STATUS_IGNORE) && !count);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(!MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 7, both));
    EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE) && any == (rank + size - 1) % size);
    EXPECT(!MPI_Irecv(&any, 1, MPI_INT, MPI_ANY_SOURCE, 7, both, &request));
    EXPECT(!MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 7, both));
    EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE) && any == (rank + size - 1) % size);
}

/* What needs all fails on all, and shrinking leaves the children out. */
static void agree_without(MPI_Comm both)
{
    int flag = 6 + (rank == 0), count;
    MPI_Comm rest;

    EXPECT(is_failure(MPIX_Comm_agree(both, &flag)) && flag == (size > 1 ? 6 : 7));
    EXPECT(!MPIX_Comm_shrink(both, &rest));
    MPI_Comm_size(rest, &count);
    EXPECT(count == size && !MPI_Barrier(rest));
    MPI_Comm_free(&rest);
}

/* What they give is on its way to the parents when they end. */
static void give(MPI_Comm between, MPI_Comm both)
{
    int value = SECRET, parents;

    MPI_Comm_remote_size(between, &parents);
    EXPECT(!MPI_Bcast(&value, 1, MPI_INT, parents, both));
    EXPECT(!MPI_Reduce(&value, NULL, 1, MPI_INT, MPI_SUM, 0, both));
    EXPECT(!MPI_Gather(&value, 1, MPI_INT, NULL, 1, MPI_INT, 0, both));
    EXPECT(!MPI_Bcast(&value, 1, MPI_INT, rank ? MPI_PROC_NULL : MPI_ROOT, between));
    EXPECT(!MPI_Reduce(&value, NULL, 1, MPI_INT, MPI_SUM, 0, between));
}

/* Rank 0 has begun before the children end, and needs the other parents, which call when all know of the end. */
static void take(MPI_Comm between, MPI_Comm both)
{
    MPI_Request early[3];
    int value = 0, sum = 0, every[64];

    EXPECT(size + CHILDREN <= 64);
    if (rank == 0)
        EXPECT(!MPI_Ibcast(&value, 1, MPI_INT, size, both, &early[0]) &&
               !MPI_Ireduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, both, &early[1]) &&
               !MPI_Igather(&rank, 1, MPI_INT, every, 1, MPI_INT, 0, both, &early[2]));
    await_end(both);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        EXPECT(!MPI_Waitall(3, early, MPI_STATUSES_IGNORE));
    else
        EXPECT(!MPI_Bcast(&value, 1, MPI_INT, size, both) &&
               !MPI_Reduce(&rank, NULL, 1, MPI_INT, MPI_SUM, 0, both) &&
               !MPI_Gather(&rank, 1, MPI_INT, NULL, 1, MPI_INT, 0, both));
    EXPECT(value == SECRET);
    EXPECT(rank || sum == CHILDREN * SECRET + size * (size - 1) / 2);
    for (int i = 0; rank == 0 && i < size + CHILDREN; i++)
        EXPECT(every[i] == (i < size ? i : SECRET));
    value = sum = 0;
    EXPECT(!MPI_Bcast(&value, 1, MPI_INT, 0, between) && value == SECRET);
    EXPECT(!MPI_Reduce(NULL, &sum, 1, MPI_INT, MPI_SUM, rank ? MPI_PROC_NULL : MPI_ROOT, between));
    EXPECT(rank || sum == CHILDREN * SECRET);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, between, both;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_get_parent(&parent);
    between = parent;
    if (parent == MPI_COMM_NULL)
        EXPECT(!MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                               MPI_ERRCODES_IGNORE));
    MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
    EXPECT(!MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &both));
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    if (parent != MPI_COMM_NULL) {
        give(between, both);
    } else {
        take(between, both);
        EXPECT(is_failure(MPI_Barrier(both)));
        EXPECT(is_failure(MPI_Barrier(between)));
        agree_without(both);
        EXPECT(!MPI_Barrier(MPI_COMM_WORLD));
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&between);
    MPI_Finalize();
    return 0;
}
