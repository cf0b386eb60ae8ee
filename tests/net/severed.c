/* severed WHAT: the connections between two live ranks on the hosts 1 and 2 of hosts.py are cut (as a firewall does it,
 * which sends a reset) while messages of rank 1 are under way that rank 0 does not take yet. After the cut rank 1
 * goes on sending (severed), or sends nothing more (severed_silent) and waits for an answer. Whatever rank 0 then
 * receives must be the next message, whole: each word of it is a hash of the message's number and the word's
 * place. Rank 0 says "all arrived", or "told" when an error came instead. */
#include "check.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    COUNT = 4000,
    WORDS = 512, /* 4 KiB */
    TAG = 3,
    OTHER_HOST = 0x0a4d0001 /* 10.77.0.1: hosts.py; not the launcher's */
};

static volatile sig_atomic_t is_cut;

/* Ends a connection at once; what the other end has not read yet is lost. */
static void reset(int fd)
{
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    struct sockaddr_in peer = {.sin_port = 0};
    socklen_t size = sizeof peer;

    if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 && peer.sin_family == AF_INET &&
        ntohl(peer.sin_addr.s_addr) == OTHER_HOST)
        CHECK_EQ(connect(fd, &none, sizeof none), 0);
}

static void cut(int signal)
{
    (void)signal;
    for (int fd = 3; fd < 256; fd++)
        reset(fd);
    is_cut = 1;
}

static uint64_t word(int number, int at)
{
    return ((uint64_t)number * 0x9e3779b97f4a7c15u) ^ ((uint64_t)at * 0xc2b2ae3d27d4eb4fu);
}

static void send_all(bool stops)
{
    static uint64_t message[WORDS];
    int error = MPI_SUCCESS;

    signal(SIGALRM, cut);
    alarm(1);
    for (int number = 0; number < COUNT && !error && !(stops && is_cut); number++) {
        for (int i = 0; i < WORDS; i++)
            message[i] = word(number, i);
        error = MPI_Send(message, WORDS, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
    }
    while (!is_cut)
        pause();
    if (!error)
        MPI_Recv(message, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_all(void)
{
    static uint64_t message[WORDS];
    int number, error = MPI_SUCCESS, class;

    sleep(2); /* until the connections are cut */
    for (number = 0; number < COUNT; number++) {
        memset(message, 0, sizeof message);
        error = MPI_Recv(message, WORDS, MPI_UINT64_T, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (error)
            break;
        for (int i = 0; i < WORDS; i++)
            CHECK(message[i] == word(number, i));
    }
    if (error) {
        CHECK_EQ(MPI_Error_class(error, &class), MPI_SUCCESS);
        CHECK_EQ(class, MPI_ERR_PROC_ABORTED);
    }
    printf("%s after %d messages\n", error ? "told" : "all arrived", number);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1)
        send_all(argc > 1 && !strcmp(argv[1], "severed_silent"));
    else
        receive_all();
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    pause();
}
