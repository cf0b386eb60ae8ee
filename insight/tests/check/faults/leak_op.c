/* ranks: 2  fault: leak */
#include "program.h"

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(void)
{
    MPI_Op x;

    begin();
    MPI_Op_create(add, 1, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
