#define _GNU_SOURCE
#include "measure.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void measure_cpus(void)
{
    int rank, size, mine = -1, *all;
    cpu_set_t set;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1)
        mine = sched_getcpu();
    all = malloc((size_t)size * sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("cpus");
        for (int i = 0; i < size; i++)
            printf(" %d", all[i]);
        printf("\n");
    }
    free(all);
}

static int is_before(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, is_before);
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

long measure_argument(int argc, char **argv, int index, long otherwise)
{
    return index < argc ? atol(argv[index]) : otherwise;
}

double measure_touched(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}
