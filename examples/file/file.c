/* file: all ranks write one file together, each its columns of a matrix, and read it back by rows.
 *
 *     mpiexec -n 4 file [path]
 *
 * A rank says once, with a view, which parts of the file are its own. One collective call then writes all of them, and the library
 * merges the small pieces of all ranks into large ones.
 */
#include <mpi.h>
#include <stdio.h>

enum {
    ROWS = 64,
    COLUMNS = 8 /* of each rank */
};

/* What stands in this row and column of the whole matrix. */
static double value_at(int row, int column)
{
    return row * 1000.0 + column;
}

static void write_columns(const char *path, int rank, int size)
{
    int whole[2] = {ROWS, COLUMNS * size}, part[2] = {ROWS, COLUMNS}, start[2] = {0, COLUMNS * rank};
    double mine[ROWS][COLUMNS];
    MPI_Datatype view;
    MPI_File file;

    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            mine[row][column] = value_at(row, start[1] + column);
    MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &view);
    MPI_Type_commit(&view);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_DOUBLE, view, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, mine, ROWS * COLUMNS, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&view);
}

/* Each rank reads every size-th row. Returns how many values are wrong. */
static int read_rows(const char *path, int rank, int size)
{
    int wrong = 0;
    MPI_File file;

    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    for (int row = rank; row < ROWS; row += size)
        for (int column = 0; column < COLUMNS * size; column++) {
            double value = -1.0;

            MPI_File_read_at(file, ((MPI_Offset)row * COLUMNS * size + column) * (MPI_Offset)sizeof value,
                             &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
            wrong += value < value_at(row, column) || value > value_at(row, column);
        }
    MPI_File_close(&file);
    return wrong;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "matrix.data";
    int rank, size, wrong, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_errhandler(
        MPI_FILE_NULL,
        MPI_ERRORS_ARE_FATAL); /* of files that are opened later: by default they return errors */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    write_columns(path, rank, size);
    wrong = read_rows(path, rank, size);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d of %d values are right\n", ROWS * COLUMNS * size - all, ROWS * COLUMNS * size);
    MPI_Finalize();
    return all != 0;
}
