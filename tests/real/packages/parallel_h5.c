/* A data set of HDF5 that each rank writes a part of, and reads its neighbor's. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum {
    PART = 1000
};

static hid_t part_of(hid_t set, int rank)
{
    hsize_t start = (hsize_t)rank * PART, count = PART;
    hid_t space = H5Dget_space(set);

    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    return space;
}

int main(int argc, char **argv)
{
    int rank, size, id = (int)getpid(), wrong = 0, all, values[PART];
    hid_t access, transfer, file, space, set, part, memory;
    hsize_t total, count = PART;
    char name[64];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/parallel-%d.h5", id);
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    total = (hsize_t)size * PART;
    space = H5Screate_simple(1, &total, NULL);
    set = H5Dcreate2(file, "values", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    memory = H5Screate_simple(1, &count, NULL);
    part = part_of(set, rank);
    for (int i = 0; i < PART; i++)
        values[i] = rank * PART + i;
    H5Dwrite(set, H5T_NATIVE_INT, memory, part, transfer, values);
    H5Sclose(part);
    H5Dclose(set);
    H5Fclose(file);
    file = H5Fopen(name, H5F_ACC_RDONLY, access);
    set = H5Dopen2(file, "values", H5P_DEFAULT);
    part = part_of(set, (rank + 1) % size);
    H5Dread(set, H5T_NATIVE_INT, memory, part, transfer, values);
    for (int i = 0; i < PART; i++)
        wrong += values[i] != (rank + 1) % size * PART + i;
    H5Sclose(part);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    H5Pclose(transfer);
    H5Pclose(access);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        printf("hdf5: all well\n");
    if (rank == 0)
        unlink(name);
    MPI_Finalize();
    return all != 0;
}
