#include "cmd/doctor.h"

#include "cmd/diagnosis.h"
#include "cmd/inkling.h"
#include "hint/hint.h"
#include "memory/kind.h"
#include "memory/memory.h"
#include "networks.h"
#include "plain/fabric_port.h"
#include "plain/fail.h"
#include "plain/json.h"
#include "plain/memfd.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_WANTED                                                                                          \
    ((size_t)1 << 38) /* the usual size of the sparse shared file of a host with a few processes */

#define FILE_NEEDED ((size_t)40 << 20) /* the least with which two processes start */

static enum diagnosis check_cores(void)
{
    cpu_set_t may;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int usable = sched_getaffinity(0, sizeof may, &may) == 0 ? CPU_COUNT(&may) : (int)online;
    char found[128];

    snprintf(found, sizeof found, "%d of %ld may be used", usable, online);
    return diagnosis_tell(
        usable < online ? SLOWER : FINE, "cores", found,
        "this shell is bound to some cores (taskset, cgroup): more ranks than these share them");
}

static enum diagnosis check_shared_memory(void)
{
    int memfd = memfd_create("doctor", MFD_CLOEXEC), fd = memfd >= 0 ? memfd : memfd_open((size_t)16 << 20);
    bool there = fd >= 0;

    if (there)
        close(fd);
    if (!there)
        return diagnosis_tell(BROKEN, "shared memory", fail_note(),
                              "mount a larger /dev/shm (docker: --shm-size=1g)");
    if (memfd < 0)
        return diagnosis_tell(SLOWER, "shared memory", "an unlinked file; memfd_create is refused",
                              "allow memfd_create in the container's seccomp profile");
    return diagnosis_tell(FINE, "shared memory", "memfd", NULL);
}

/* Below `wanted` programs are slower, below `needed` they cannot run. */
static enum diagnosis check_limit(int resource, const char *what, const char *option, rlim_t wanted,
                                  rlim_t needed)
{
    struct rlimit limit;
    char found[128], fix[128];

    if (getrlimit((__rlimit_resource_t)resource, &limit) < 0 || limit.rlim_max == RLIM_INFINITY)
        return diagnosis_tell(FINE, what, "no limit", NULL);
    snprintf(found, sizeof found, "at most %llu", (unsigned long long)limit.rlim_max);
    snprintf(fix, sizeof fix, "raise it: ulimit %s", option);
    return diagnosis_tell(limit.rlim_max < needed   ? BROKEN
                          : limit.rlim_max < wanted ? SLOWER
                                                    : FINE,
                          what, found, fix);
}

static char probed = 'a'; /* one child reads it in another */

/* A child that lives until it is killed, with another value. */
static pid_t start_probed(void)
{
    pid_t child = fork();

    if (child == 0) {
        probed = 'b';
        for (;;)
            pause();
    }
    return child;
}

/* Tries it between siblings, as processes of a job are. What a parent may do with its child proves nothing. */
static bool sibling_can_read(pid_t other)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        char seen = 0;
        struct iovec here = {&seen, 1}, there = {&probed, 1};

        for (int tries = 0; tries < 100 && seen != 'b'; tries++) { /* until the other has started */
            if (process_vm_readv(other, &here, 1, &there, 1, 0) != 1)
                _exit(1);
            usleep(1000);
        }
        _exit(seen != 'b');
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static enum diagnosis check_cma(void)
{
    pid_t other = start_probed();
    bool can = other > 0 && sibling_can_read(other);

    if (other > 0) {
        kill(other, SIGKILL);
        waitpid(other, NULL, 0);
    }
    return diagnosis_tell(
        can ? FINE : SLOWER, "process_vm_readv",
        can ? "processes may read each other: large messages are copied once"
            : "refused: large messages are copied twice, except in MPI_Alloc_mem memory",
        "sysctl kernel.yama.ptrace_scope=0, or run the container with --cap-add=SYS_PTRACE");
}

static enum diagnosis check_membarrier(void)
{
    long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    bool there = commands > 0 && commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED;

    return diagnosis_tell(there ? FINE : SLOWER, "membarrier",
                          there ? "sleeping costs senders nothing" : "not available",
                          "a kernel from 4.16 on, and a seccomp profile that allows membarrier");
}

/* The word in brackets of a file of /sys, such as "always [madvise] never". */
static bool read_choice(const char *path, char *choice, size_t size)
{
    char line[128] = "", *word;
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    word = strchr(line, '[');
    if (word)
        snprintf(choice, size, "%.*s", (int)strcspn(word + 1, "]"), word + 1);
    return word;
}

static enum diagnosis check_large_pages(const char *what, const char *path)
{
    char choice[32] = "", found[128], fix[160];

    if (!read_choice(path, choice, sizeof choice))
        return diagnosis_tell(SLOWER, what, "none on this system", NULL);
    snprintf(found, sizeof found, "%s", choice);
    snprintf(fix, sizeof fix, "echo %s > %s", strstr(path, "shmem") ? "advise" : "madvise", path);
    return diagnosis_tell(strcmp(choice, "never") && strcmp(choice, "deny") ? FINE : SLOWER, what, found,
                          fix);
}

static enum diagnosis doctor_check_memory(void)
{
    uint64_t left = memory_available();
    char found[128];

    if (left == UINT64_MAX)
        return diagnosis_tell(FINE, "memory", "nobody says how much is left", NULL);
    snprintf(found, sizeof found, "%llu MiB left of %llu", (unsigned long long)left >> 20,
             (unsigned long long)memory_installed() >> 20);
    return diagnosis_tell(left < ((uint64_t)64 << 20) ? SLOWER : FINE, "memory", found,
                          "close other programs, or raise the control group's memory.max");
}

static enum diagnosis check_kind(enum kind_id id)
{
    bool is_there = kind_is_there(id);
    char what[64];

    snprintf(what, sizeof what, "memory kind %s", kind_table[id].name);
    if (is_there)
        return diagnosis_tell(FINE, what, kind_table[id].device ? "its driver answers" : "always", NULL);
    return diagnosis_tell(
        SLOWER, what, kind_why_absent(id),
        "if there is such a device: are its driver's libraries and kernel module there, of one version, "
        "and may you open its files in /dev?");
}

static void check_kinds(void)
{
    for (int id = 0; id < KIND_COUNT; id++)
        if (id != KIND_TEST)
            check_kind((enum kind_id)id);
}

/* Checks a library that is loaded when needed. `headers` is the version that this build found, "" if none. */
static enum diagnosis check_library(const char *what, const char *headers, const char *library,
                                    const char *package, const char *needed)
{
    char found[128], fix[160];
    bool is_there = *headers && dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (is_there)
        return diagnosis_tell(FINE, what, library, NULL);
    if (*headers) {
        snprintf(found, sizeof found, "%s cannot be opened", library);
        snprintf(fix, sizeof fix, "needed only %s: install %s", needed, package);
    } else {
        snprintf(found, sizeof found, "this library was built without %s", package);
        snprintf(fix, sizeof fix, "needed only %s: apt install %s-dev; make", needed, package);
    }
    return diagnosis_tell(SLOWER, what, found, fix);
}

#define NETWORK_ROW(name, library, version, file) {"several hosts, " #name, library, version, file},

/* What inkling_network=auto looks at. */
static void check_fabric(void)
{
    struct fabric_port device;
    char found[160];

    if (fabric_port_find("/sys", &device))
        snprintf(found, sizeof found, "%s (%s), for which auto takes %s", device.name, device.kind,
                 device.network);
    else
        snprintf(
            found, sizeof found,
            "no InfiniBand, RoCE, Omni-Path, EFA or Slingshot here: auto takes the first network there is");
    diagnosis_tell(FINE, "network devices", found, NULL);
}

static void check_networks(void)
{
    static const struct {
        const char *what, *library, *version, *file;
    } networks[] = {NETWORKS(NETWORK_ROW)};

    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        check_library(networks[i].what, networks[i].version, networks[i].file, networks[i].library,
                      "by jobs that span hosts");
}

static enum diagnosis doctor_check_settings(void)
{
    if (hint_process_init())
        return diagnosis_tell(BROKEN, "settings", fail_note(), "unset or correct the variable");
    return diagnosis_tell(FINE, "settings", "the INKLING_ variables are legal", NULL);
}

static void doctor_print_head(bool as_json)
{
    diagnosis_as_json(as_json, 0);
    if (!as_json) {
        build_info_print_transports();
        return;
    }
    printf("{");
    build_info_print_json_transports();
    printf(", \"findings\": [");
}

/* Returns the worst of what decides whether programs run. */
static enum diagnosis check_machine(void)
{
    enum diagnosis worst = doctor_check_settings(), shared = check_shared_memory();
    enum diagnosis limit =
        check_limit(RLIMIT_FSIZE, "size of files", "-f unlimited", FILE_WANTED, FILE_NEEDED);

    check_cores();
    doctor_check_memory();
    check_limit(RLIMIT_AS, "address space", "-v unlimited", FILE_WANTED, 0);
    check_limit(RLIMIT_NOFILE, "open files", "-n 4096", 1024, 0);
    check_cma();
    check_membarrier();
    check_large_pages("large pages", "/sys/kernel/mm/transparent_hugepage/enabled");
    check_large_pages("... when shared", "/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    check_fabric();
    check_networks();
    check_library("PMIx launchers", INKLING_PMIX, "libpmix.so.2", "libpmix",
                  "under prterun, Open MPI's launcher and srun --mpi=pmix");
    check_kinds();
    doctor_check_setup();
    return worst == BROKEN || shared == BROKEN || limit == BROKEN ? BROKEN : FINE;
}

int doctor_run_for(char **words, bool as_json)
{
    bool is_broken, cannot_start;

    doctor_print_head(as_json);
    is_broken = check_machine() == BROKEN;
    cannot_start = words && helper_examine(words, as_json) != 0;
    if (as_json)
        printf("],\n\"runs\": %s}\n", is_broken || cannot_start ? "false" : "true");
    else if (is_broken || cannot_start)
        printf("\n%s: see NO above.\n",
               is_broken ? "MPI programs cannot run here" : "This command line cannot run");
    return is_broken || cannot_start;
}

int doctor_run(const char *argument, bool as_json)
{
    (void)argument;
    return doctor_run_for(NULL, as_json);
}
