/* There and back by FFTW's MPI transforms. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const ptrdiff_t n0 = 60, n1 = 40;
    ptrdiff_t alloc, rows, first;
    fftw_plan there, back;
    fftw_complex *data;
    double worst = 0, all;
    int rank;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    alloc = fftw_mpi_local_size_2d(n0, n1, MPI_COMM_WORLD, &rows, &first);
    data = fftw_alloc_complex((size_t)alloc);
    there = fftw_mpi_plan_dft_2d(n0, n1, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    back = fftw_mpi_plan_dft_2d(n0, n1, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < rows * n1; i++) {
        data[i][0] = (double)(first * n1 + i);
        data[i][1] = 0;
    }
    fftw_execute(there);
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < rows * n1; i++)
        worst = fmax(worst, fabs(data[i][0] / (double)(n0 * n1) - (double)(first * n1 + i)));
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && all < 1e-8)
        printf("fftw: all well\n");
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(data);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
