/* ranks: 2 */
#include "program.h"

struct two {
    int first[40], second[40];
};

/* An argument by value lies with what its caller has. */
static int exchange_value(struct two both)
{
    MPI_Sendrecv(both.first, 40, MPI_INT, 1 - rank, 0, both.second, 40, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return both.second[0];
}

/* A variable-length array, and all of one. */
static int exchange(int count, int *of_caller)
{
    int array[count], last;

    memset(array, 0, sizeof array);
    MPI_Sendrecv(array, count, MPI_INT, 1 - rank, 0, of_caller, count, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&array[count - 1], 1, MPI_INT, 1 - rank, 0, &last, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return last;
}

int main(void)
{
    int array[100], sum = 0;

    begin();
    sum += exchange(100, array);
    sum += exchange(1, array + 99);
    sum += exchange_value((struct two){{1}, {2}});
    MPI_Bcast(array, 100, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 4711;
}
