/* ranks: 1 2 */
#include "program.h"

enum {
    MANY = 40,
    ROUNDS = 100
};

/* More operations are under way on the stack than pages guard: the rest is for the hardware's watchpoints, which what the checks
 * themselves read there must not hit. */
int main(void)
{
    MPI_Request request[MANY];
    int in[MANY], out;

    begin();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MANY; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &request[i]);
        for (int i = 0; i < MANY; i++) {
            out = round + i;
            MPI_Send(&out, 1, MPI_INT, rank, i, MPI_COMM_WORLD);
        }
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++)
            if (in[i] != round + i)
                return 1;
    }
    MPI_Finalize();
    return 0;
}
