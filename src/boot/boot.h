/* boot: this process's rank, and the other processes of its job.
 *
 * Three back ends (launcher.h) give the same answers: PMI-1 (Inkling's mpiexec, Hydra, srun --mpi=pmi2), PMIx
 * (prterun, Open MPI's launcher, srun --mpi=pmix), and singleton (no launcher). If the environment names
 * several, the innermost counts: a socket in PMI_FD, which does not outlive an exec, comes before PMIX_RANK,
 * and Inkling's mpiexec before other launchers with PMI-1. The job shares a small key-value space: what a
 * process puts before boot_fence() every other can get after it. Values are text without spaces or newlines
 * (see boot_put).
 *
 * Inkling's mpiexec passes everything in the environment, so boot_init needs no round trip. The PMI
 * conversation begins with the first put, fence or get:
 *
 *     INKLING_JOB_NAME           boot.job                   INKLING_JOB_RANK, _SIZE   boot.rank, .size
 *     INKLING_JOB_LOCAL_FD       boot.local_fd              INKLING_JOB_APPNUM        boot.appnum
 *     INKLING_JOB_UNIVERSE_SIZE  boot.universe_size         PMI_FD                    the socket to mpiexec
 *     INKLING_JOB_FAMILY         names of this job and of those it was started in, for mpiexec's clean-up
 *     INKLING_JOB_PARENT         the port of those who spawned this job
 *     INKLING_JOB_SECRET         boot.secret, in hexadecimal
 *     INKLING_JOB_REPORT         the port of a mpiexec that had another launcher start the process: boot/report_sender.c
 *     INKLING_JOB_JOINED         set by a process that has joined the job, for what it starts
 *     INKLING_JOB_END            set by mpiexec --check in a process before it calls MPI_Abort for it: why the job ends
 *     INKLING_JOB_ABI            the value of --abi, for jobs spawned here
 *     INKLING_JOB_LABEL          set: mpiexec labels the output, and that of jobs spawned here
 *
 * For MPI_INFO_ENV it also passes its arguments that concern the process, each only when it has a value:
 *
 *     INKLING_JOB_COMMAND        the program, as given
 *     INKLING_JOB_ARGV           its arguments, separated by spaces
 *     INKLING_JOB_MAXPROCS       the value of -n (decimal)
 *     INKLING_JOB_SOFT           the value of -soft
 *     INKLING_JOB_HOST           the value of -host
 *     INKLING_JOB_ARCH           the value of -arch
 *     INKLING_JOB_WDIR           the working directory (always)
 *     INKLING_JOB_FILE           the value of -file
 *     INKLING_JOB_MEMORY_KINDS   -memory-alloc-kinds, as given
 *     INKLING_JOB_ERRHANDLER     -initial-errhandler: mpi_errors_are_fatal, mpi_errors_abort,
 *                                mpi_errors_return
 *     INKLING_JOB_THREAD_LEVEL   -thread-level: MPI_THREAD_SINGLE and so on
 *
 * Threads: one at a time calls these functions. But between boot_init and boot_fini any thread may call
 * boot_get, and any thread may call boot_abort at any moment.
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BOOT_VALUE_SIZE = 1024, /* both with the closing NUL */
    BOOT_KEY_SIZE = 64
};

struct boot {
    const char *launcher; /* "mpiexec" (ours), "pmi1", "pmix", "singleton" */
    const char *job;      /* name of this job, partly random: [A-Za-z0-9._-] */
    const unsigned char
        *secret;       /* SECRET_SIZE bytes, known to this job and to those that it spawns; NULL: none */
    int rank, size;    /* in MPI_COMM_WORLD */
    int appnum;        /* MPI_APPNUM; -1: not set */
    int universe_size; /* MPI_UNIVERSE_SIZE; -1: not set */
    int local_fd;      /* memory shared with the job's other processes on this host; -1: none; see net/shm */
    int local_rank, local_size; /* among the job's processes on this host, in rank order */
    const int *local;           /* local[i]: process number of this host's i-th process; NULL: i itself */
    bool all_local;             /* every process of the job is on this host */
};

extern struct boot boot;

/* May be called again after boot_fini, except with another launcher than Inkling's. */
int boot_init(void);
/* Key and value are printable characters without spaces, and the key has no '='. A key is put once. */
int boot_put(const char *key, const char *value);
int boot_fence(void);
/* The value of `key` that `process` put before the last fence; MPI_ERR_OTHER with a note when absent. */
int boot_get(int process, const char *key, char *value, size_t size);
/* A process set of the launcher that contains this process. */
struct boot_set {
    char *name;
    int *process, size; /* its processes, in rank order */
};

/* The sets that the launcher knows now, which is none for most launchers. The caller frees the array. */
int boot_find_sets(struct boot_set **sets, int *count);
/* Ends the whole job with this exit code; does not return. `why` (NULL: nothing; may have several lines) is
 * printed to standard error, once per job even when many processes abort at the same time. */
_Noreturn void boot_abort(int code, const char *why);
/* Ends this process, which the process `teller` of a job that survives deaths has taken for dead. From any thread. */
_Noreturn void boot_end_as_dead(int teller);
/* Tells the launcher that this process may exit. */
int boot_fini(void);

/* machine_place: which parts of this host's machine the process is confined to, as the kernel tells. */

/* From coarse to fine. A part of one level lies in one of the level before. */
enum machine_level {
    MACHINE_PACKAGE,
    MACHINE_NODE,  /* of memory */
    MACHINE_CACHE, /* of the third level */
    MACHINE_LEVELS
};

struct machine_place {
    int16_t part
        [MACHINE_LEVELS]; /* its number among all of its level; -1: the process may run in several, or the kernel does not say */
};

/* inkling_topology, where it is set, pretends another machine. */
struct machine_place machine_place_mine(void);

#endif
