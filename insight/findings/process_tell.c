#include "insight/findings/finding.h"

#include "insight/board/board.h"
#include "insight/board/finding_list.h"
#include "insight/board/message_channel.h"
#include "insight/board/process_record.h"
#include "insight/call/intercept.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TELL_MS = 20000
};

/* A leader that is not rank 0's writes no file: that one does. */
void process_tell(void)
{
    const char *how = getenv("INKLING_CHECK");

    bool is_silent = !process_shares(0) && !atomic_load_explicit(&board->list.count, memory_order_acquire);

    if (process.is_told || is_silent ||
        atomic_exchange_explicit(&board->printed, PRINTED_IN_PART, memory_order_acq_rel) != PRINTED_NOT)
        return;
    process.has_found = finding_print(&board->list, how, process_shares(0)) > 0;
    /* release: pairs with the keeper's acquire */
    atomic_store_explicit(&board->printed, PRINTED_ALL, memory_order_release);
}

/* The job's end would take another rank that is telling with it. */
static void await_teller(void)
{
    for (int i = 0; i < TELL_MS; i++) {
        /* acquire: pairs with the release in process_tell */
        if (atomic_load_explicit(&board->printed, memory_order_acquire) != PRINTED_IN_PART)
            return;
        usleep(1000);
    }
}

/* Tells what was found when no rank can: they have ended, and nobody has told. */
static void process_tell_late(void)
{
    if (process.gathers)
        finding_list_leave_out(&board->list, UNCHECKED_LISTS);
    process_tell();
    await_teller();
}

void process_abort(int code, enum board_end why)
{
    int class = code;

    if (board) {
        /* release: pairs with mpiexec's acquire */
        atomic_store_explicit(&board->end, why, memory_order_release);
        process_tell_late();
    }
    if (real.Error_class)
        real.Error_class(code, &class);
    setenv("INKLING_JOB_END", board_end_text(why), 1); /* the program has not called MPI_Abort */
    if (real.Abort && process.has_world)
        real.Abort(MPI_COMM_WORLD, class);
    _exit(CODE_FOUND);
}

/* A descriptor for each of the ranks; returns how many have one. */
static int open_ranks(int *ended)
{
    int count = 0;

    for (int i = 0; i < BOARD_RANKS; i++) {
        int pid = process_shares(i) ? board->rank[i].pid : 0;
        int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

        if (fd >= 0)
            ended[count++] = fd;
    }
    return count;
}

/* Leaves the program's descriptors, signals and session. */
static void leave_program(void)
{
    sigset_t all;
    int null = open("/dev/null", O_RDWR);

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
}

/* Where the launcher has ended before its ranks, nobody reads standard error: a file in the leader's folder takes its place. */
static void find_reader(void)
{
    struct pollfd out = {.fd = STDERR_FILENO};
    char name[128] = "inkling-check.", *host = name + strlen(name);
    int fd;

    if (poll(&out, 1, 0) <= 0 || !(out.revents & (POLLERR | POLLNVAL)))
        return;
    gethostname(host, 64);
    strcat(name, ".txt");
    fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd >= 0)
        dup2(fd, STDERR_FILENO);
}

_Noreturn static void run_keeper(void)
{
    int ended[BOARD_RANKS], count;

    leave_program();
    count = open_ranks(ended);
    for (int i = 0; i < count; i++) {
        struct pollfd wait = {.fd = ended[i], .events = POLLIN};

        poll(&wait, 1, -1);
    }
    late_receive_tell(board);
    if (count > 0 && atomic_load_explicit(&board->list.count, memory_order_acquire) > 0 &&
        atomic_load_explicit(&board->printed, memory_order_acquire) != PRINTED_ALL) {
        /* who was at it is dead */
        atomic_store_explicit(&board->printed, PRINTED_NOT, memory_order_relaxed);
        find_reader();
        process_tell_late();
    }
    _exit(0);
}

/* The process between ends at once, so that the program has no child that it does not know. */
void process_start_keeper(void)
{
    const struct timespec now = {0, 0};
    sigset_t child, old;
    pid_t between;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &old);
    between = fork();
    if (between == 0) {
        if (fork() == 0)
            run_keeper();
        _exit(0);
    }
    if (between > 0) {
        waitpid(between, NULL, 0);
        sigtimedwait(&child, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}
