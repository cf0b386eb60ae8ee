/* SuperLU_DIST solves a tridiagonal system of all ranks: the solution is what the right side was made of. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <superlu_ddefs.h>

enum {
    SIZE = 400
};

int main(int argc, char **argv)
{
    int rank, size, info, bad = 0, all;
    int_t entries = 3 * SIZE - 2, *rows, *starts;
    double *values, *right, error;
    gridinfo_t grid;
    SuperMatrix a;
    superlu_dist_options_t options;
    dScalePermstruct_t scaling;
    dLUstruct_t factors;
    SuperLUStat_t stat;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    superlu_gridinit(MPI_COMM_WORLD, 1, size, &grid);
    dallocateA_dist(SIZE, entries, &values, &rows, &starts);
    right = doubleMalloc_dist(SIZE);
    int_t at = 0;
    for (int column = 0; column < SIZE; column++) {
        starts[column] = at;
        for (int row = column - 1; row <= column + 1; row++) {
            if (row < 0 || row >= SIZE)
                continue;
            rows[at] = row;
            values[at++] = row == column ? 4 : row < column ? -1 : -2;
        }
        /* the solution is 1, 2, 3 ... */
        right[column] =
            4.0 * (column + 1) - (column > 0 ? 2.0 * column : 0) - (column < SIZE - 1 ? column + 2.0 : 0);
    }
    starts[SIZE] = at;
    dCreate_CompCol_Matrix_dist(&a, SIZE, SIZE, entries, values, rows, starts, SLU_NC, SLU_D, SLU_GE);
    set_default_options_dist(&options);
    options.PrintStat = NO;
    dScalePermstructInit(SIZE, SIZE, &scaling);
    dLUstructInit(SIZE, &factors);
    PStatInit(&stat);
    pdgssvx_ABglobal(&options, &a, &scaling, right, SIZE, 1, &grid, &factors, &error, &stat, &info);
    bad += info != 0;
    for (int i = 0; i < SIZE; i++)
        bad += fabs(right[i] - (i + 1)) > 1e-8;
    PStatFree(&stat);
    dDestroy_LU(SIZE, &grid, &factors);
    dScalePermstructFree(&scaling);
    dLUstructFree(&factors);
    Destroy_CompCol_Matrix_dist(&a);
    SUPERLU_FREE(right);
    superlu_gridexit(&grid);
    MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        printf("superlu: all well\n");
    MPI_Finalize();
    return all != 0;
}
