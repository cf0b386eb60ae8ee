/* Laplace's equation in one dimension, by hypre's BoomerAMG. */
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, per = 100, first, last, n, iterations;
    HYPRE_ParCSRMatrix a;
    HYPRE_ParVector pb, px;
    HYPRE_IJMatrix matrix;
    HYPRE_IJVector b, x;
    HYPRE_Solver solver;
    double norm;

    MPI_Init(&argc, &argv);
    HYPRE_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = per * size, first = per * rank, last = first + per - 1;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &matrix);
    HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(matrix);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &b);
    HYPRE_IJVectorSetObjectType(b, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(b);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &x);
    HYPRE_IJVectorSetObjectType(x, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(x);
    for (int i = first; i <= last; i++) {
        int columns[3], count = 0;
        double values[3], one = 1, zero = 0;
        if (i > 0)
            columns[count] = i - 1, values[count++] = -1;
        columns[count] = i, values[count++] = 2;
        if (i < n - 1)
            columns[count] = i + 1, values[count++] = -1;
        HYPRE_IJMatrixSetValues(matrix, 1, &count, &i, columns, values);
        HYPRE_IJVectorSetValues(b, 1, &i, &one);
        HYPRE_IJVectorSetValues(x, 1, &i, &zero);
    }
    HYPRE_IJMatrixAssemble(matrix);
    HYPRE_IJVectorAssemble(b);
    HYPRE_IJVectorAssemble(x);
    HYPRE_IJMatrixGetObject(matrix, (void **)&a);
    HYPRE_IJVectorGetObject(b, (void **)&pb);
    HYPRE_IJVectorGetObject(x, (void **)&px);
    HYPRE_BoomerAMGCreate(&solver);
    HYPRE_BoomerAMGSetTol(solver, 1e-9);
    HYPRE_BoomerAMGSetMaxIter(solver, 100);
    HYPRE_BoomerAMGSetup(solver, a, pb, px);
    HYPRE_BoomerAMGSolve(solver, a, pb, px);
    HYPRE_BoomerAMGGetNumIterations(solver, &iterations);
    HYPRE_BoomerAMGGetFinalRelativeResidualNorm(solver, &norm);
    if (rank == 0 && norm < 1e-9)
        printf("hypre: all well after %d iterations\n", iterations);
    HYPRE_BoomerAMGDestroy(solver);
    HYPRE_IJMatrixDestroy(matrix);
    HYPRE_IJVectorDestroy(b);
    HYPRE_IJVectorDestroy(x);
    HYPRE_Finalize();
    MPI_Finalize();
    return 0;
}
