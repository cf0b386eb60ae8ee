#include "net/ofi/narrow_init.h"

#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0 /* no filter: no system call has this */
#endif

bool narrow_init_finds(const char *pattern)
{
    glob_t found;
    bool is_there = glob(pattern, 0, NULL, &found) != GLOB_NOMATCH;

    globfree(&found);
    return is_there;
}

/* Adapters, and GPUs, whose libraries libfabric may initialize. */
static bool has_devices(void)
{
    static const char *const patterns[] = {"/sys/class/infiniband/*",
                                           "/sys/class/cxi/*",
                                           "/dev/hfi1*",
                                           "/dev/ipath*",
                                           "/dev/nvidia*",
                                           "/dev/kfd",
                                           "/dev/dri/*",
                                           "/dev/habanalabs*"};
    bool has = false;

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !has; i++)
        has = narrow_init_finds(patterns[i]);
    return has;
}

/* Makes openat fail whose flags are O_RDONLY alone. */
static bool forbid_plain_open(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_RDONLY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOENT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void (*question)(void); /* owner: the caller, until the thread begins and after it has ended */

static void *ask_narrowly(void *unused)
{
    (void)unused;
    if (forbid_plain_open())
        question();
    return NULL;
}

void narrow_init(void ask(void))
{
    pthread_t thread;

    question = ask;
    if (!has_devices() && thread_start(&thread, ask_narrowly) == 0)
        pthread_join(thread, NULL);
}
