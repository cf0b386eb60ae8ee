/* Vectors of SUNDIALS over ranks: sums, products and norms of all their parts. */
#include <math.h>
#include <mpi.h>
#include <nvector/nvector_parallel.h>
#include <stdio.h>
#include <sundials/sundials_context.h>

enum {
    PART = 1000
};

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all;
    MPI_Comm comm = MPI_COMM_WORLD;
    SUNContext context;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_Create(comm, &context);
#else
    SUNContext_Create(&comm, &context);
#endif
    N_Vector x = N_VNew_Parallel(comm, PART, (sunindextype)PART * size, context), y = N_VClone(x);
    double n = (double)PART * size;
    for (int i = 0; i < PART; i++)
        N_VGetArrayPointer(x)[i] = rank * PART + i + 1;
    N_VConst(2, y);
    wrong += N_VGetLength(x) != PART * size;
    wrong += N_VDotProd(x, y) != n * (n + 1);
    wrong += N_VMaxNorm(x) != n;
    wrong += N_VMin(x) != 1;
    N_VLinearSum(1, x, -0.5, y, y);
    wrong += N_VL1Norm(y) != n * (n - 1) / 2;
    wrong +=
        fabs(N_VWrmsNorm(y, y) - sqrt((n - 1) * (2 * n - 1) * (3 * n * n - 3 * n - 1) / 30)) > 1e-9 * n * n;
    N_VDestroy(y);
    N_VDestroy(x);
    SUNContext_Free(&context);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0 && !all)
        printf("sundials: all well\n");
    MPI_Finalize();
    return all != 0;
}
