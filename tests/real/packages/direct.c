/* A linear system, which MUMPS solves with the parts of all ranks. */
#include <dmumps_c.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum {
        N = 500
    };
    static MUMPS_INT row[3 * N], column[3 * N];
    static double value[3 * N], right[N];
    DMUMPS_STRUC_C id = {0};
    double worst = 0;
    int rank, count = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    id.comm_fortran = -987654; /* MUMPS's word for MPI_COMM_WORLD */
    id.par = 1;
    id.job = -1;
    dmumps_c(&id);
    for (int i = 0; i < N; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < N) {
                row[count] = i + 1, column[count] = j + 1;
                value[count++] = i == j ? 4 : -1;
                right[i] += i == j ? 4 : -1; /* so that each unknown is 1 */
            }
    if (rank == 0) {
        id.n = N;
        id.nnz = count;
        id.irn = row;
        id.jcn = column;
        id.a = value;
        id.rhs = right;
    }
    for (int i = 0; i < 4; i++)
        id.icntl[i] = i < 3 ? -1 : 0; /* no messages */
    id.job = 6;
    dmumps_c(&id);
    for (int i = 0; rank == 0 && i < N; i++)
        worst = fmax(worst, fabs(right[i] - 1));
    if (rank == 0 && id.infog[0] == 0 && worst < 1e-9)
        printf("mumps: all well\n");
    id.job = -2;
    dmumps_c(&id);
    MPI_Finalize();
    return 0;
}
