/* A program whose time drifts from run to run, as on a busy machine, more than hints could change: each turn takes longer, and the run
 * without hints a little more. The file "runs" counts. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MESSAGES = 20,
    BYTES = 1 << 16,
    STEP_US = 10000
};

static int count_run(void)
{
    int runs = 0;
    FILE *file = fopen("runs", "r");

    if (file && fscanf(file, "%d", &runs) != 1)
        runs = 0;
    if (file)
        fclose(file);
    file = fopen("runs", "w");
    fprintf(file, "%d\n", runs + 1);
    fclose(file);
    return runs;
}

static int has_hint(void)
{
    char value[16] = "";
    int length = sizeof value, is_there;
    MPI_Info info;

    MPI_Comm_get_info(MPI_COMM_WORLD, &info);
    MPI_Info_get_string(info, "mpi_assert_exact_length", &length, value, &is_there);
    MPI_Info_free(&info);
    return strcmp(value, "true") == 0;
}

int main(int argc, char **argv)
{
    char *buffer = calloc(1, BYTES);
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++) {
        if (rank == 0)
            MPI_Send(buffer, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) /* the first run is that under --advise */
        usleep((useconds_t)((count_run() + 1) / 2 * STEP_US * (has_hint() ? 0.7 : 1.0)));
    MPI_Finalize();
    free(buffer);
    return 0;
}
