/* A variable of PnetCDF that each rank writes a part of, and reads its neighbor's. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <unistd.h>

enum {
    PART = 500
};

int main(int argc, char **argv)
{
    int rank, size, id = (int)getpid(), wrong = 0, all, values[PART], file, dimension, variable, error = 0;
    MPI_Offset start, count = PART;
    char name[64];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/parallel-%d.nc", id);
    error |= ncmpi_create(MPI_COMM_WORLD, name, NC_CLOBBER, MPI_INFO_NULL, &file);
    error |= ncmpi_def_dim(file, "x", (MPI_Offset)size * PART, &dimension);
    error |= ncmpi_def_var(file, "values", NC_INT, 1, &dimension, &variable);
    error |= ncmpi_enddef(file);
    for (int i = 0; i < PART; i++)
        values[i] = rank * PART + i;
    start = (MPI_Offset)rank * PART;
    error |= ncmpi_put_vara_int_all(file, variable, &start, &count, values);
    error |= ncmpi_close(file);
    error |= ncmpi_open(MPI_COMM_WORLD, name, NC_NOWRITE, MPI_INFO_NULL, &file);
    start = (MPI_Offset)((rank + 1) % size) * PART;
    error |= ncmpi_get_vara_int_all(file, variable, &start, &count, values);
    for (int i = 0; i < PART; i++)
        wrong += values[i] != (rank + 1) % size * PART + i;
    error |= ncmpi_close(file);
    wrong += error != 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        printf("pnetcdf: all well\n");
    if (rank == 0)
        unlink(name);
    MPI_Finalize();
    return all != 0;
}
