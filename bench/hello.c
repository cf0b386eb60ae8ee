/* hello [1]: the program whose start and end run.py times. With an argument it also prints the proportional
 * memory (Pss) of a rank in MiB, the mean over all, after a barrier. */
#include <mpi.h>
#include <stdio.h>

static double pss_read(void)
{
    char line[256];
    double kib = -1;
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    while (rollup && kib < 0 && fgets(line, sizeof line, rollup))
        if (sscanf(line, "Pss: %lf kB", &kib) != 1)
            kib = -1;
    if (rollup)
        fclose(rollup);
    return kib / 1024;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) {
        double mine, sum = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        mine = pss_read();
        MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            printf("pss %.3f\n", sum / size);
    } else {
        printf("hello from %d of %d\n", rank, size);
    }
    MPI_Finalize();
    return 0;
}
