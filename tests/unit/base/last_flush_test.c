/* A process that SIGTERM ends writes what it held, wherever its thread is: in each call that waits, computing, or allocating;
 * and it ends soon, by that signal. */
#include "base/last_flush.h"

#include "unit.h"

#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SETTLES_US = 30000, /* until the child is in its call */
    LIFE_S = 20,        /* of what the test starts, whatever becomes of the test */
    TRIES = 3           /* a crowded machine may take longer than SIGKILL leaves */
};

static int quiet[2]; /* a socket that nothing comes through */
static int listener; /* that nobody calls */
static pid_t helper; /* does not end */

static void in_read(void)
{
    char byte;

    read(quiet[0], &byte, 1);
}

static void in_recv(void)
{
    char byte;

    recv(quiet[0], &byte, 1, 0);
}

static void in_recvmsg(void)
{
    char byte;
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    recvmsg(quiet[0], &message, 0);
}

static void in_accept(void)
{
    accept(listener, NULL, NULL);
}

static void in_accept4(void)
{
    accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

static void in_futex(void)
{
    static int word;

    syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void in_wait4(void)
{
    waitpid(helper, NULL, 0);
}

static void in_waitid(void)
{
    siginfo_t info;

    waitid(P_PID, (id_t)helper, &info, WEXITED);
}

static void in_poll(void)
{
    poll(NULL, 0, -1);
}

static void in_select(void)
{
    select(0, NULL, NULL, NULL, NULL);
}

static void in_sleep(void)
{
    nanosleep(&(struct timespec){.tv_sec = 60}, NULL);
}

static volatile unsigned long count;

static void computing(void)
{
    for (;;)
        count++;
}

/* Half of the time in a function of the C library. */
static void allocating(void)
{
    static void *volatile block;

    for (;;) {
        block = malloc(1000);
        free(block);
        for (int i = 0; i < 20; i++)
            count++;
    }
}

static const struct place {
    const char *name;
    void (*be_there)(void);
} places[] = {
    {"read", in_read},          {"recv", in_recv},     {"recvmsg", in_recvmsg}, {"accept", in_accept},
    {"accept4", in_accept4},    {"futex", in_futex},   {"wait4", in_wait4},     {"waitid", in_waitid},
    {"poll", in_poll},          {"select", in_select}, {"nanosleep", in_sleep}, {"computing", computing},
    {"allocating", allocating},
};

static void open_what_waits(void)
{
    struct sockaddr_un any = {.sun_family = AF_UNIX};

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, quiet), 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&any, sizeof any.sun_family), 0);
    assert_int_equal(listen(listener, 1), 0);
}

/* In the child: holds a line of output, and goes there. */
static void hold(const struct place *place, int output)
{
    dup2(output, STDOUT_FILENO);
    close(output);
    helper = fork();
    alarm(LIFE_S);
    if (helper == 0) {
        close(STDOUT_FILENO);
        pause();
    }
    setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
    last_flush_prepare();
    printf("held in %s\n", place->name);
    dprintf(STDOUT_FILENO, "%d ready\n", helper);
    for (;;)
        place->be_there();
}

/* How the child ended that SIGTERM met there; `said`: what it wrote behind its first line. */
static int end_there(const struct place *place, char *said, size_t size)
{
    int ends[2], status, its_helper = 0;
    char ready[64];
    ssize_t length;
    pid_t child;

    fflush(stdout);
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        hold(place, ends[1]);
    }
    close(ends[1]);
    length = read(ends[0], ready, sizeof ready - 1);
    assert_true(length > 0);
    ready[length] = '\0';
    its_helper = atoi(ready);
    usleep(SETTLES_US);
    assert_int_equal(kill(child, SIGTERM), 0);
    length = read(ends[0], said, size - 1);
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    kill(its_helper, SIGKILL);
    return status;
}

static void what_is_held_is_written(void **state)
{
    char said[200], wanted[200];

    (void)state;
    open_what_waits();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int status = 0;

        snprintf(wanted, sizeof wanted, "held in %s\n", places[i].name);
        for (int tries = 0; tries < TRIES; tries++) {
            status = end_there(&places[i], said, sizeof said);
            if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && strcmp(said, wanted) == 0)
                break;
        }
        assert_string_equal(said, wanted);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGTERM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_held_is_written)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
