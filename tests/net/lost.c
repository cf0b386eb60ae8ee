/* lost WHAT: rank 1's host is cut off while rank 0 does this: send, recv, stream (receives of large messages,
 * without a pause), large (of rank 2 as well, whose must come), any, barrier; puts or gets on a window, with
 * flushes; `fatal` leaves the default error handler. Writes "ready" first. Rank 0 says what it got; the host comes back, and nothing may arrive
 * in the memory that rank 0 has taken back. Ends the job with 7. */
#include "check.h"

#include <stdbool.h>
#include <unistd.h>

enum {
    LARGE = 16 << 20
};

static int rank;
static MPI_Win win = MPI_WIN_NULL; /* over everybody's buffer */

/* Rank 1's message, while one of rank 2 comes in. */
static int receive_large(char *buffer)
{
    static int number;
    static char other[LARGE];
    MPI_Request request;
    int error;

    CHECK_EQ(MPI_Irecv(other, LARGE, MPI_BYTE, 2, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    error = MPI_Recv(buffer, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    number = (number + 1) % 100;
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ(other[i], number);
    return error;
}

/* All of rank 1's memory, in operations of many sizes. */
static int access_window(bool is_put, char *buffer)
{
    int error = MPI_SUCCESS;

    for (int at = 0, bytes = 1; at < LARGE && !error;
         at += bytes, bytes = 3 * bytes < LARGE - at ? 3 * bytes : LARGE - at)
        error = is_put ? MPI_Put(buffer + at, bytes, MPI_BYTE, 1, at, bytes, MPI_BYTE, win)
                       : MPI_Get(buffer + at, bytes, MPI_BYTE, 1, at, bytes, MPI_BYTE, win);
    return error ? error : MPI_Win_flush(1, win);
}

static int communicate_once(const char *what, char *buffer)
{
    if (win != MPI_WIN_NULL)
        return access_window(!strcmp(what, "puts"), buffer);
    if (!strcmp(what, "stream"))
        return MPI_Recv(buffer, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "recv"))
        return MPI_Recv(buffer, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "any"))
        return MPI_Recv(buffer, 1, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "barrier"))
        return MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "large"))
        return receive_large(buffer);
    return MPI_Send(buffer, LARGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

/* Returns the class of the first error. */
static int communicate(const char *what, char *buffer)
{
    int error = MPI_SUCCESS, class = MPI_SUCCESS;

    while (!error)
        error = communicate_once(what, buffer);
    CHECK_EQ(MPI_Error_class(error, &class), MPI_SUCCESS);
    return class;
}

/* The network comes back, and what it kept comes in while the library polls. */
static void check_stays(char *buffer)
{
    double end = MPI_Wtime() + 5;
    int flag;

    memset(buffer, 0x5a, LARGE);
    while (MPI_Wtime() < end) {
        CHECK_EQ(MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        usleep(50); /* others want the cores */
    }
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ(buffer[i], 0x5a);
}

/* Sends so that the next message is there whenever one has come; until an error. */
static void send_stream(const char *buffer)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    for (int i = 0; MPI_Wait(&request[i], MPI_STATUS_IGNORE) == MPI_SUCCESS; i = !i)
        if (MPI_Isend(buffer, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request[i]))
            return;
}

static void open_window(char *buffer)
{
    CHECK_EQ(MPI_Win_create(buffer, LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_lock_all(MPI_MODE_NOCHECK, win), MPI_SUCCESS);
}

/* Does what rank 0 needs until the end, which comes from elsewhere. */
static void serve(const char *what, char *buffer)
{
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    if (!strcmp(what, "stream"))
        send_stream(buffer);
    for (int number = 1;; number = (number + 1) % 100) {
        memset(buffer, number, LARGE);
        if (!strcmp(what, "send") || !strcmp(what, "fatal") || win != MPI_WIN_NULL)
            MPI_Recv(buffer, LARGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (strcmp(what, "large") != 0)
            pause();
        else if (MPI_Send(buffer, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD))
            MPI_Iprobe(0, 0, MPI_COMM_SELF, &(int){0}, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "send";
    char *buffer = calloc(LARGE, 1);
    int class, again;

    CHECK(buffer != NULL);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (!strcmp(what, "puts") || !strcmp(what, "gets"))
        open_window(buffer);
    if (rank > 0)
        serve(what, buffer);
    if (strcmp(what, "fatal") != 0)
        CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    printf("ready\n");
    fflush(stdout);
    class = communicate(what, buffer);
    again = MPI_Send(&class, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    printf("class %d, again %d\n", class, again);
    CHECK_EQ(class, MPI_ERR_PROC_ABORTED);
    CHECK_EQ(again, MPI_ERR_PROC_ABORTED);
    printf("told\n");
    fflush(stdout);
    if (!strcmp(what, "large") || !strcmp(what, "stream") || !strcmp(what, "gets"))
        check_stays(buffer);
    MPI_Abort(MPI_COMM_WORLD, 7);
}
