/* ranks: 2 */
#include "program.h"

/* Rank 1 moves no data while its function copies the attribute. */
static int copy_slowly(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)copy;
    usleep(rank == 1 ? 3000000 : 0);
    *flag = 0;
    return MPI_SUCCESS;
}

/* Two receives of any message are open: the second has met the large one, although the first might have. */
int main(void)
{
    static char small, large[1 << 20];
    MPI_Request request[2];
    MPI_Comm copy;
    int key;

    begin();
    MPI_Comm_create_keyval(copy_slowly, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    if (rank == 1) {
        MPI_Irecv(&small, 1, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(large, sizeof large, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(rank == 0 ? 200000 : 0);
    if (rank == 0) {
        MPI_Send(&small, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        MPI_Send(large, sizeof large, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 1)
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
