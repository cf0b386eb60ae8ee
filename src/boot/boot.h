/* boot: who am I and who are the others.
 *
 * Three back ends give the same answers: PMI-1 (Inkling's mpiexec, Hydra), PMIx (later), and singleton (no
 * launcher). A small key-value space is shared by the job: what a process puts before boot_fence() every
 * other can get after it. Values are text without spaces or newlines (see boot_put).
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    BOOT_VALUE_SIZE = 1024,
    BOOT_KEY_SIZE = 64
};

struct boot {
    const char *launcher; /* "mpiexec" (ours), "pmi1", "singleton" */
    const char *job;      /* unique name of this job on this host and moment: [A-Za-z0-9._-] */
    int rank, size;       /* in MPI_COMM_WORLD */
    int appnum;           /* MPI_APPNUM; -1: not set */
    int universe_size;    /* MPI_UNIVERSE_SIZE; -1: not set */
    int local_fd; /* memory shared with the job's other processes of this host, -1: none; see net/shm */
    int local_rank, local_size; /* among the job's processes on this host, in rank order */
    const int *local;           /* local[i]: process number of this host's i-th process; NULL: i itself */
    bool all_local;             /* every process of the job is on this host */
};

extern struct boot boot;

int boot_init(void);
int boot_put(const char *key, const char *value);
int boot_fence(void);
/* Value of `key` put by any process before the last fence; MPI_ERR_OTHER with a note when absent. */
int boot_get(const char *key, char *value, size_t size);
/* Ends the whole job with this exit code; does not return. */
_Noreturn void boot_abort(int code, const char *why);
int boot_fini(void);

#endif
