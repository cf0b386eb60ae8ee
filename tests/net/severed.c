/* severed CASE BYTES TALLY: faults.py cuts the connections between two live ranks on two hosts while messages of
 * rank 1 are under way. After the cut rank 1 goes on sending, or (severed_silent) sends nothing more and waits for an
 * answer. Small messages wait in the network for rank 0 when that happens; large ones are being moved. Whatever rank 0
 * receives must be the next message, whole: each word of it is a hash of the message's number and the word's place.
 * All that rank 1's sends say they have sent must arrive, or rank 0 gets an error; if rank 1 gets one, so does rank
 * 0. TALLY is a file that both ranks map. Rank 0 says "ready" when messages begin, and at the end "all arrived", or
 * "told" when an error came instead. */
#include "check.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MOST_BYTES = 64 << 20, /* that rank 1 sends after the cut, */
    MOST_MESSAGES = 2000,  /* in at most so many messages */
    SMALL = 64 * 1024,
    PATIENCE = 20, /* seconds without a message */
    NAP_US = 50,
    TAG = 3
};

static struct tally {
    _Atomic int is_cut;           /* written by faults.py, relaxed */
    _Atomic int sent, told, over; /* by rank 1. Release and acquire of `over` order the other two. */
} * tally;

static int words;
static uint64_t *message;

static bool is_cut(void)
{
    return atomic_load_explicit(&tally->is_cut, memory_order_relaxed);
}

static uint64_t word(int number, int at)
{
    return ((uint64_t)number * 0x9e3779b97f4a7c15u) ^ ((uint64_t)at * 0xc2b2ae3d27d4eb4fu);
}

static void send_all(bool stops)
{
    int after = stops ? 0 : MOST_BYTES / (8 * words), error = MPI_SUCCESS;

    if (after > MOST_MESSAGES)
        after = MOST_MESSAGES;
    for (int number = 0; !error && (!is_cut() || after-- > 0); number++) {
        for (int i = 0; i < words; i++)
            message[i] = word(number, i);
        error = MPI_Send(message, words, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
        atomic_fetch_add_explicit(&tally->sent, !error, memory_order_relaxed);
    }
    while (!is_cut())
        usleep(1000);
    atomic_store_explicit(&tally->told, error != MPI_SUCCESS, memory_order_relaxed);
    atomic_store_explicit(&tally->over, 1, memory_order_release);
    if (!error)
        MPI_Recv(message, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Whether rank 1's sends are over, and nothing of them is missing. */
static bool all_arrived(int number)
{
    return atomic_load_explicit(&tally->over, memory_order_acquire) &&
           !atomic_load_explicit(&tally->told, memory_order_relaxed) &&
           number >= atomic_load_explicit(&tally->sent, memory_order_relaxed);
}

/* Rank 0 is to be told of what does not come. */
static void check_patience(double since, int number)
{
    if (MPI_Wtime() < since + PATIENCE)
        return;
    printf("CHECK failed: nobody tells: %d of %d arrived, rank 1 %s\n", number, tally->sent,
           !tally->over  ? "is in a send"
           : tally->told ? "was told"
                         : "waits");
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 8);
}

/* The error of the next receive; *done: nothing more will come. */
static int receive(int number, bool *done)
{
    double begin = MPI_Wtime();
    MPI_Request request;
    int error, flag = 0;

    memset(message, 0, 8 * (size_t)words);
    error = MPI_Irecv(message, words, MPI_UINT64_T, 1, TAG, MPI_COMM_WORLD, &request);
    while (!error && !flag && !*done) {
        error = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!error && !flag)
            usleep(NAP_US); /* others want the cores */
        *done = !flag && all_arrived(number);
        check_patience(begin, number);
    }
    for (int i = 0; flag && !error && i < words; i++)
        CHECK(message[i] == word(number, i));
    return error;
}

static void receive_all(void)
{
    int number = 0, error = MPI_SUCCESS, class;
    bool done = false;

    printf("ready\n");
    fflush(stdout);
    while (8 * words <= SMALL && !is_cut())
        usleep(1000);
    while (!error && !done) {
        error = receive(number, &done);
        number += !error && !done;
    }
    if (error) {
        CHECK_EQ(MPI_Error_class(error, &class), MPI_SUCCESS);
        CHECK_EQ(class, MPI_ERR_PROC_ABORTED);
    }
    printf("%s after %d messages\n", error ? "told" : "all arrived", number);
    fflush(stdout);
}

static void open_tally(const char *name)
{
    int fd = open(name, O_RDWR);

    CHECK(fd >= 0);
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(tally != MAP_FAILED);
    close(fd);
}

int main(int argc, char **argv)
{
    int rank;

    CHECK_EQ(argc, 4);
    words = atoi(argv[2]) / 8;
    message = malloc(8 * (size_t)words);
    CHECK(message != NULL);
    open_tally(argv[3]);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1)
        send_all(!strcmp(argv[1], "severed_silent"));
    else
        receive_all();
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    pause();
}
