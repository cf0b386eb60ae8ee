/* The part of mixed.f90 that is in C. */
#include <mpi.h>

double sum_in_c(MPI_Fint comm, double number);

double sum_in_c(MPI_Fint comm, double number)
{
    double sum;

    MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_Comm_f2c(comm));
    return sum;
}
