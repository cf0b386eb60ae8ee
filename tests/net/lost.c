/* lost WHAT: rank 1's host is cut off while rank 0 does this: send, recv, any, barrier; `fatal` leaves the
 * default error handler. Writes "ready" first. Rank 0 says what it got, and ends the job with 7. */
#include "check.h"

#include <unistd.h>

enum {
    LARGE = 64 << 20
};

static int rank;

/* Returns the class of the first error. */
static int communicate(const char *what)
{
    char *buffer = calloc(LARGE, 1);
    int error = MPI_SUCCESS, class = MPI_SUCCESS;

    CHECK(buffer != NULL);
    while (!error) {
        if (!strcmp(what, "recv"))
            error = MPI_Recv(buffer, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (!strcmp(what, "any"))
            error = MPI_Recv(buffer, 1, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (!strcmp(what, "barrier"))
            error = MPI_Barrier(MPI_COMM_WORLD);
        else
            error = MPI_Send(buffer, LARGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    }
    CHECK_EQ(MPI_Error_class(error, &class), MPI_SUCCESS);
    free(buffer);
    return class;
}

/* Takes everything in until the end; the end comes from elsewhere. */
static void serve(const char *what)
{
    char *buffer = calloc(LARGE, 1);

    CHECK(buffer != NULL);
    for (;;) {
        if (!strcmp(what, "send") || !strcmp(what, "fatal"))
            MPI_Recv(buffer, LARGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            pause();
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "send";
    int class, again;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1)
        serve(what);
    if (strcmp(what, "fatal") != 0)
        CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    printf("ready\n");
    fflush(stdout);
    class = communicate(what);
    again = MPI_Send(&class, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    printf("class %d, again %d\n", class, again);
    CHECK_EQ(class, MPI_ERR_PROC_ABORTED);
    CHECK_EQ(again, MPI_ERR_PROC_ABORTED);
    printf("told\n");
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 7);
}
