/* ranks: 3 */
#include "program.h"

int main(void)
{
    MPI_Datatype every, column;
    MPI_Request request;
    MPI_Win win;
    int x[6] = {0}, y[9], counts[3] = {2, 0, 2}, displs[3] = {4, 5, 0}, ones[3] = {1, 1, 1},
        columns[3] = {2, 1, 0};

    begin();
    MPI_Type_vector(3, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    /* What is sent and received interleaves, and no item is both. */
    MPI_Sendrecv(x, 1, every, (rank + 1) % 3, 0, x + 1, 1, every, (rank + 2) % 3, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(x, 2, MPI_INT, MPI_PROC_NULL, 0, x, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Gatherv(x, rank == 1 ? 0 : 2, MPI_INT, y, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Type_free(&every);
    MPI_Type_vector(3, 1, 3, MPI_INT, &every);
    MPI_Type_create_resized(every, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&every);
    MPI_Iallgatherv(x, 3, MPI_INT, y, ones, columns, column, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Win_create(y, sizeof y, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(x, 1, MPI_INT, (rank + 1) % 3, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % 3, 0, win);
    MPI_Put(x, 1, MPI_INT, (rank + 1) % 3, 0, 1, MPI_INT, win);
    MPI_Win_unlock((rank + 1) % 3, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win); /* the access before it was no fence's */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
