/* launcher: the functions that each back end of boot implements (boot.h). */
#ifndef BOOT_LAUNCHER_H
#define BOOT_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAUNCHER_ABORT_S = 2 /* how long another launcher has to end the process before it ends itself */
};

struct boot_set;

struct launcher {
    const char *name; /* boot.launcher */
    int (*put)(const char *key, const char *value);
    int (*fence)(void);
    int (*get)(int process, const char *key, char *value, size_t size);
    /* Sets node[process] to the number of its node, the same in all processes that ask. False, with nothing
     * written: the launcher does not say. */
    bool (*find_nodes)(int size, uint64_t *node);
    /* boot_find_sets; NULL: it has none. */
    int (*find_sets)(struct boot_set **sets, int *count);
    bool prints_why; /* of abort, once for the job */
    /* Tells the launcher to end the job, and gives it time to do so. */
    void (*abort)(int code, const char *why);
    int (*close)(void);
};

/* In boot_init: who answers from now on. */
void boot_set_launcher(const struct launcher *launcher);

/* pmi: the client side of PMI-1, over the socket in PMI_FD.
 *
 * pmi_open() sends init and does not wait for the answer; the first request reads it.
 */

/* The socket in PMI_FD; -1 when there is none (it does not outlive an exec of this process). */
int pmi_find(void);
/* kvs: the name of the key-value space; NULL: not known, and requested when needed. */
int pmi_open(int fd, const char *kvs);

const char *pmi_kvs(void); /* NULL, with a note, when the launcher does not say */
int pmi_appnum(int *appnum);
int pmi_universe_size(int *size);

int pmi_put(const char *key, const char *value);
int pmi_fence(void);
/* One key-value space serves all processes. */
int pmi_get(int process, const char *key, char *value, size_t size);
bool pmi_find_nodes(int size, uint64_t *node);

/* Sends a command with descriptors, which has no answer. Any thread may call it. */
int pmi_pass(const char *command, const int *passed, int count);

/* Sends a line of this kind, to Inkling's mpiexec only: "warn", a warning, of which it prints equal ones of several ranks once, or what
 * report_tell takes (hint/report.h). False: it could not be sent. */
bool pmi_tell(const char *kind, const char *text);
/* Sends the abort and returns. `why` may be NULL, and is for Inkling's mpiexec only. */
void pmi_abort(int code, const char *why);
/* Waits until the launcher has closed the connection, for at most so long. */
void pmi_linger(int milliseconds);
/* await: waits for the launcher's answer and closes the connection. */
int pmi_close(bool await);

/* Warns, where the mpiexec.hydra that has started this process runs on this host, if a death will end other ranks, too. */
void pmi_warn_of_cleanup(void);

/* pmix: the client side of PMIx, for prterun, Open MPI's launcher and srun --mpi=pmix.
 *
 * The wire protocol is internal to libpmix, so Inkling uses libpmix. Its headers are needed at build time
 * (without them pmix_absent.c replaces pmix.c). The library is loaded when a PMIx launcher started the
 * process, and runs a thread of its own. What a process puts stays on its host until somebody gets it.
 * Launchers with PMIx 4 and later may have process sets.
 */

#define PMIX_LIBRARY "libpmix.so.2" /* of PMIx 2 to 5 */

enum {
    PMIX_JOB_NAME_SIZE = 256
};

struct pmix_place {
    char job[PMIX_JOB_NAME_SIZE];
    int rank, size;
    int appnum, universe_size; /* -1: the launcher does not say */
};

/* Whether the environment is that of a process started by a PMIx launcher. */
bool pmix_is_around(void);
/* An error's note says what to install. */
int pmix_load(void);
/* After pmix_load(). From now on this process ends when the launcher ends. */
int pmix_open(struct pmix_place *place);

/* boot_find_sets for this job. */
int pmix_ask_sets(const char *job, int rank, struct boot_set **sets, int *count);

extern const struct launcher pmix_launcher;

/* singleton: a process that no supported launcher started is a job of its own. */

extern const struct launcher singleton_launcher;

/* Warns, once per job, when another MPI's launcher started several processes: they would not be one job. why:
 * NULL, or what is needed to use that launcher. */
void singleton_warn(const char *why);

/* Which ranks a launcher has put on one node, as PMI-1 has it in the key PMI_process_mapping:
 *
 *     (vector,(first node,nodes,ranks per node),...)
 *
 * Ranks are assigned in order, block by block. After the last block the first one comes again.
 */

/* node[rank] becomes the number of rank's node; false, with nothing written, if the text makes no sense. */
bool pmi_find_mapping(const char *text, int size, uint64_t *node);

#endif
