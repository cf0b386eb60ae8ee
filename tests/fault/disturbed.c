/* disturbed HOW: collectives and large messages while something else happens.
 *
 * refused: half-way the system forbids rank 1 to read and write the memory of other processes. From then on
 * there may be errors, but every call returns on every rank, and a rank that gets no error has the right
 * data. Exits with 77 when the system has no seccomp. In the other ways all goes well:
 *
 * signals: each rank takes one every millisecond, and system calls are interrupted by it. children: each rank
 * forks, and its children exit at once or after a while, with or without exit handlers. stopped: rank 1 is
 * stopped for a while at times.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 20,
    ITEMS = 100 * 1000, /* of each rank: large enough to be read where they lie */
    STOPS = 7,          /* rounds from one to the next */
    SKIPPED = 77
};

static const char *how;
static int rank, size, round_number;
static int *in, *out;

static void give_up(const char *why, int code)
{
    fprintf(stderr, "rank %d, round %d: %s\n", rank, round_number, why);
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void refuse(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        give_up("no seccomp here", SKIPPED);
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){0, (long)ms * 1000 * 1000}, NULL);
}

static void ignore(int number)
{
    (void)number;
}

static void take_signals(void)
{
    struct itimerval each = {{0, 1000}, {0, 1000}};
    struct sigaction action = {.sa_handler = ignore}; /* without SA_RESTART */

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
}

static pid_t make_child(void)
{
    pid_t child = fork();

    if (child < 0)
        give_up("no child", 1);
    return child;
}

static void have_a_child(void)
{
    if (make_child())
        return;
    if (round_number % 3 == 0)
        exit(0);
    sleep_ms(round_number % 3 == 1 ? 0 : 20);
    _exit(0);
}

static void be_stopped(void)
{
    pid_t me = getpid();

    if (make_child())
        return;
    sleep_ms(1);
    kill(me, SIGSTOP);
    sleep_ms(200);
    kill(me, SIGCONT);
    _exit(0);
}

/* While a collective is under way. */
static void disturb(void)
{
    if (strcmp(how, "refused") == 0 && round_number == ROUNDS / 2 && rank == 1)
        refuse();
    else if (strcmp(how, "children") == 0)
        have_a_child();
    else if (strcmp(how, "stopped") == 0 && round_number % STOPS == 0 && rank == 1)
        be_stopped();
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

/* What a rank has at a place of its buffer in this round. */
static int item(int of, int i)
{
    return (of + 1) * 1000 + round_number + i % 997;
}

static void fill(void)
{
    for (int i = 0; i < size * ITEMS; i++) {
        in[i] = item(rank, i);
        out[i] = -1;
    }
}

static int is_sum(void)
{
    for (int i = 0; i < ITEMS; i++)
        if (out[i] != size * (size + 1) / 2 * 1000 + size * (round_number + i % 997))
            return 0;
    return 1;
}

/* Whether the blocks that the others had at `at` are here. */
static int is_gathered(int at)
{
    for (int r = 0; r < size; r++)
        for (int i = 0; i < ITEMS; i++)
            if (out[r * ITEMS + i] != item(r, at + i))
                return 0;
    return 1;
}

/* Whether the first block is that of a rank. */
static int is_of(const int *at, int other)
{
    for (int i = 0; i < ITEMS; i++)
        if (at[i] != item(other, i))
            return 0;
    return 1;
}

static int check(int error, int is_right, const char *what)
{
    if (!error && !is_right)
        give_up(what, 1);
    return error != MPI_SUCCESS;
}

/* Returns how many calls were errors. */
static int communicate(MPI_Comm comm)
{
    int root = round_number % size, errors = 0, error;
    MPI_Request request;

    fill();
    error = MPI_Allreduce(in, out, ITEMS, MPI_INT, MPI_SUM, comm);
    errors += check(error, is_sum(), "a wrong sum");
    fill();
    error = MPI_Ialltoall(in, ITEMS, MPI_INT, out, ITEMS, MPI_INT, comm, &request);
    disturb();
    error = error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
    errors += check(error, is_gathered(rank * ITEMS), "wrong blocks of an alltoall");
    fill();
    error = MPI_Allgather(in, ITEMS, MPI_INT, out, ITEMS, MPI_INT, comm);
    errors += check(error, is_gathered(0), "wrong blocks of an allgather");
    fill();
    error = MPI_Bcast(in, ITEMS, MPI_INT, root, comm);
    errors += check(error, is_of(in, root), "a wrong broadcast");
    fill();
    error = MPI_Sendrecv(in, ITEMS, MPI_INT, (rank + 1) % size, 0, out, ITEMS, MPI_INT,
                         (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    errors += check(error, is_of(out, (rank + size - 1) % size), "a wrong message");
    return errors;
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "refused";
    if (strcmp(how, "signals") == 0)
        take_signals();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    in = malloc((size_t)size * ITEMS * sizeof *in);
    out = malloc((size_t)size * ITEMS * sizeof *out);
    if (!in || !out)
        give_up("no memory", 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (round_number = 0; round_number < ROUNDS; round_number++) {
        if (communicate(MPI_COMM_WORLD) && (strcmp(how, "refused") != 0 || round_number < ROUNDS / 2))
            give_up("an error without a cause", 1);
    }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
