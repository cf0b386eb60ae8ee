/* A variable of netCDF that each rank writes a part of, and reads its neighbor's: netCDF-4, which is a file of parallel HDF5. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <unistd.h>

enum {
    PART = 500
};

int main(int argc, char **argv)
{
    int rank, size, id = (int)getpid(), wrong = 0, all, values[PART], file, dimension, variable, error = 0;
    size_t start, count = PART;
    char name[64];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/parallel-%d.nc4", id);
    error |= nc_create_par(name, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
    error |= nc_def_dim(file, "x", (size_t)size * PART, &dimension);
    error |= nc_def_var(file, "values", NC_INT, 1, &dimension, &variable);
    error |= nc_enddef(file);
    error |= nc_var_par_access(file, variable, NC_COLLECTIVE);
    for (int i = 0; i < PART; i++)
        values[i] = rank * PART + i;
    start = (size_t)rank * PART;
    error |= nc_put_vara_int(file, variable, &start, &count, values);
    error |= nc_close(file);
    error |= nc_open_par(name, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
    start = (size_t)((rank + 1) % size) * PART;
    error |= nc_get_vara_int(file, variable, &start, &count, values);
    for (int i = 0; i < PART; i++)
        wrong += values[i] != (rank + 1) % size * PART + i;
    error |= nc_close(file);
    wrong += error != 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        printf("netcdf: all well\n");
    if (rank == 0)
        unlink(name);
    MPI_Finalize();
    return all != 0;
}
