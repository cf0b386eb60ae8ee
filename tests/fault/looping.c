/* Reduces and reduces, until it is killed. looping HOW RANK: that rank ends so after a while: segv, abort,
 * exit, leave (_exit without a word), kill, mpi (MPI_Abort). Each rank makes a file "ready.RANK" first. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ROUNDS = 300
};

static void end(const char *how)
{
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "exit") == 0)
        exit(0);
    else if (strcmp(how, "leave") == 0)
        _exit(7);
    else if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(how, "mpi") == 0)
        MPI_Abort(MPI_COMM_WORLD, 9);
}

int main(int argc, char **argv)
{
    char name[32];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "ready.%d", rank);
    close(open(name, O_CREAT | O_WRONLY, 0600));
    for (long i = 0;; i++) {
        int count = 1 << i % 15;
        int *one = calloc((size_t)count, sizeof *one);

        MPI_Allreduce(MPI_IN_PLACE, one, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        free(one);
        if (argc > 2 && i == ROUNDS && rank == atoi(argv[2]))
            end(argv[1]);
    }
}
