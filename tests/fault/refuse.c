/* refuse NAME=ERRNO... -- PROGRAM ARGUMENT...: runs a program for which these system calls fail, as in
 * containers and under old kernels. ERRNO is EPERM, ENOSYS or EACCES. Exits with 77 when the system has no
 * seccomp. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    REFUSALS = 32
};

static const struct {
    const char *name;
    unsigned number;
} calls[] = {
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"membarrier", SYS_membarrier},
    {"memfd_create", SYS_memfd_create},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_yield", SYS_sched_yield},
    {"getrandom", SYS_getrandom},
    {"prctl", SYS_prctl},
    {"close_range", SYS_close_range},
    {"prlimit64", SYS_prlimit64},
    {"setpgid", SYS_setpgid},
    {"clone3", SYS_clone3},
    {"kill", SYS_kill},
    {"socketpair", SYS_socketpair},
    {"epoll_create1", SYS_epoll_create1},
    {"epoll_ctl", SYS_epoll_ctl},
#ifdef SYS_epoll_wait
    {"epoll_wait", SYS_epoll_wait},
#else
    {"epoll_wait", SYS_epoll_pwait},
#endif
    {"signalfd4", SYS_signalfd4},
};

static int find_call(const char *name, size_t length, unsigned *number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strlen(calls[i].name) == length && strncmp(name, calls[i].name, length) == 0) {
            *number = calls[i].number;
            return 1;
        }
    return 0;
}

static unsigned find_errno(const char *name)
{
    return strcmp(name, "ENOSYS") == 0   ? ENOSYS
           : strcmp(name, "EACCES") == 0 ? EACCES
           : strcmp(name, "EPERM") == 0  ? EPERM
                                         : 0;
}

/* Two instructions: if it is this call, answer so. */
static int add(struct sock_filter *at, const char *refusal)
{
    const char *equals = strchr(refusal, '=');
    unsigned error = equals ? find_errno(equals + 1) : 0, number;

    if (!error || !find_call(refusal, (size_t)(equals - refusal), &number)) {
        fprintf(stderr, "refuse: cannot refuse '%s'\n", refusal);
        return 0;
    }
    at[0] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    at[1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    return 1;
}

int main(int argc, char **argv)
{
    struct sock_filter filter[2 * REFUSALS + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {.len = 1, .filter = filter};
    int i = 1;

    for (; i < argc && strcmp(argv[i], "--") != 0; i++, program.len += 2)
        if (i > REFUSALS || !add(filter + program.len, argv[i]))
            return 98;
    if (i + 1 >= argc) {
        fprintf(stderr, "refuse NAME=ERRNO... -- PROGRAM ARGUMENT...\n");
        return 98;
    }
    filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) {
        perror("skipped: no seccomp here");
        return 77;
    }
    execvp(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 98;
}
