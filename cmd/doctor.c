/* What `inkling doctor` finds: the machine, and what the user has set up. mpiexec itself looks at a command line
 * (mpiexec/command_line/notices.c). */
#include "cmd/diagnosis.h"
#include "cmd/inkling.h"
#include "cmd/place.h"
#include "hint/hint.h"
#include "memory/kind.h"
#include "memory/memory.h"
#include "networks.h"
#include "plain/adapter.h"
#include "plain/fail.h"
#include "plain/json.h"
#include "plain/memfd.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define REACHED_WITHIN_MS 1000

/* The first file of this name in the folders of a list such as PATH; *real has all links followed. */
static bool find_in_folders(const char *list, const char *name, int mode, char *path, char *real)
{
    for (const char *at = list; at && *at; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(path, PATH_MAX, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(path, mode) == 0 && realpath(path, real))
            return true;
    }
    return false;
}

/* Whether the file lies in the folder. */
static bool lies_in(const char *file, const char *folder)
{
    const char *slash = strrchr(file, '/');
    char real[PATH_MAX];

    return realpath(folder, real) && strlen(real) == (size_t)(slash - file) &&
           strncmp(real, file, strlen(real)) == 0;
}

static enum diagnosis check_command(const char *name, const struct install_place *place)
{
    char path[PATH_MAX], real[PATH_MAX], what[32], found[PATH_MAX + 64], fix[PLACE_SIZE + 64];

    snprintf(what, sizeof what, "command %s", name);
    snprintf(fix, sizeof fix, "export PATH=%s:$PATH", place->bin);
    if (!find_in_folders(getenv("PATH"), name, X_OK, path, real))
        return diagnosis_tell(SLOWER, what, "not in PATH", fix);
    if (!lies_in(real, place->bin)) {
        snprintf(found, sizeof found, "the first in PATH is %s, of another MPI", path);
        return diagnosis_tell(SLOWER, what, found, fix);
    }
    return diagnosis_tell(FINE, what, path, NULL);
}

/* LD_LIBRARY_PATH comes before the path that mpicc links in. */
static enum diagnosis check_library_path(const struct install_place *place)
{
    char path[PATH_MAX], real[PATH_MAX], found[PATH_MAX + 64], fix[PLACE_SIZE + 96];

    if (!find_in_folders(getenv("LD_LIBRARY_PATH"), "libmpi_abi.so.1", R_OK, path, real) ||
        lies_in(real, place->lib))
        return diagnosis_tell(FINE, "LD_LIBRARY_PATH", "leads to no other libmpi_abi.so.1", NULL);
    snprintf(found, sizeof found, "programs take %s, another version or another MPI", path);
    snprintf(fix, sizeof fix, "unset it, or export LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH", place->lib);
    return diagnosis_tell(SLOWER, "LD_LIBRARY_PATH", found, fix);
}

static enum diagnosis check_host_name(void)
{
    struct addrinfo *addresses = NULL;
    char name[HOST_NAME_MAX + 1] = "", found[HOST_NAME_MAX + 128], fix[HOST_NAME_MAX + 64];
    int error;

    gethostname(name, sizeof name - 1);
    error = getaddrinfo(name, NULL, NULL, &addresses);
    if (!error) {
        freeaddrinfo(addresses);
        snprintf(found, sizeof found, "%s resolves", name);
        return diagnosis_tell(FINE, "host name", found, NULL);
    }
    snprintf(found, sizeof found, "%s does not resolve: %s", name, gai_strerror(error));
    snprintf(fix, sizeof fix, "add a line to /etc/hosts: ADDRESS %s", name);
    return diagnosis_tell(SLOWER, "host name", found, fix);
}

/* The first IPv4 address of an interface that is up and no loopback. */
static bool own_address(struct sockaddr_in *address)
{
    struct ifaddrs *list = NULL;
    bool found = false;

    if (getifaddrs(&list) < 0)
        return false;
    for (const struct ifaddrs *each = list; each && !found; each = each->ifa_next)
        if (each->ifa_addr && each->ifa_addr->sa_family == AF_INET && each->ifa_flags & IFF_UP &&
            !(each->ifa_flags & IFF_LOOPBACK)) {
            memcpy(address, each->ifa_addr, sizeof *address);
            found = true;
        }
    freeifaddrs(list);
    return found;
}

/* Whether a connection to a port of this address, any that the kernel chooses, comes about in time. */
static bool address_is_reached(struct sockaddr_in address)
{
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int caller = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t length = sizeof address;
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    bool is_reached = false;

    address.sin_port = 0;
    if (listener >= 0 && caller >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 &&
        listen(listener, 1) == 0 && getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
        (connect(caller, (struct sockaddr *)&address, length) == 0 || errno == EINPROGRESS))
        is_reached = poll(&waiting, 1, REACHED_WITHIN_MS) == 1;
    if (listener >= 0)
        close(listener);
    if (caller >= 0)
        close(caller);
    return is_reached;
}

static enum diagnosis check_ports(void)
{
    struct sockaddr_in address;
    char text[INET_ADDRSTRLEN] = "", found[96];

    if (!own_address(&address))
        return diagnosis_tell(FINE, "ports", "no address but loopback: one host only", NULL);
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    if (address_is_reached(address)) {
        snprintf(found, sizeof found, "%s is reached from here; others may still meet a firewall", text);
        return diagnosis_tell(FINE, "ports", found, NULL);
    }
    snprintf(found, sizeof found, "a port of %s is not reached even from here", text);
    return diagnosis_tell(
        SLOWER, "ports", found,
        "let the firewall pass TCP and UDP between the hosts of a job, and bring up lo: ip link set lo up");
}

/* What newcomers trip over: commands of another MPI first in PATH, another library in LD_LIBRARY_PATH, a host name or an address of this
 * host that leads nowhere. */
static void doctor_check_setup(void)
{
    struct install_place place;

    place_find(&place);
    check_command("mpicc", &place);
    check_command("mpiexec", &place);
    check_library_path(&place);
    check_host_name();
    check_ports();
}

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

#define NETWORK_ROW(name, library, version, file) {#name, library, version, file},

static const struct {
    const char *name, *library, *version, *file;
} networks[] = {NETWORKS(NETWORK_ROW)};

/* As net_open.c: the first that can be opened. NULL: none. */
static const char *doctor_first_network(void)
{
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (*networks[i].version && dlopen(networks[i].file, RTLD_NOW | RTLD_LOCAL))
            return networks[i].name;
    return NULL;
}

/* What inkling_network=auto looks at. */
static void check_fabric(void)
{
    static const char none[] = "no InfiniBand, RoCE, Omni-Path, EFA or Slingshot here";
    struct fabric_port device;
    const char *first = doctor_first_network();
    char found[200];

    if (adapter_find_fabric("/sys", &device))
        snprintf(found, sizeof found, "%s (%s), for which auto takes %s", device.name, device.kind,
                 device.network);
    else if (first)
        snprintf(
            found, sizeof found,
            "%s: auto takes %s, of those that can be opened the one that trusts strangers least over tcp",
            none, first);
    else
        snprintf(found, sizeof found, "%s", none);
    diagnosis_tell(FINE, "network devices", found, NULL);
}

static void check_networks(void)
{
    char what[64];

    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        snprintf(what, sizeof what, "several hosts, %s", networks[i].name);
        check_library(what, networks[i].version, networks[i].file, networks[i].library,
                      "by jobs that span hosts");
    }
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
