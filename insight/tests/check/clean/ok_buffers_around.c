/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Request request, other;
    MPI_Datatype every;
    int x[6] = {0}, y = 1, z[2] = {0}, done = 0, many[40] = {0};
    MPI_Request requests[40];

    begin();
    MPI_Type_vector(3, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_Irecv(x, 1, every, 1 - rank, 0, MPI_COMM_WORLD, &request);
    x[1] = x[5] = 7; /* beside the items */
    MPI_Irecv(&z[0], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &other);
    z[0] = 3; /* nobody writes it */
    MPI_Sendrecv(&y, 1, MPI_INT, 1 - rank, 1, &z[1], 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    z[1] = 5;
    MPI_Send((int[3]){1, 2, 3}, 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    while (!done) /* after which the buffer is the program's */
        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    x[0] = 8;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&other, MPI_STATUS_IGNORE);
    MPI_Type_free(&every);
    for (int i = 0; i < 40; i++)
        MPI_Irecv(&many[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 40; i++)
        MPI_Send(&y, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
    for (int i = 39; i >= 0; i--) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        many[i]++;
    }
    MPI_Finalize();
    return 0;
}
