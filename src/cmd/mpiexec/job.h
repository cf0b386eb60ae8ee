/* job: what mpiexec was asked to start, and how the processes fare.
 *
 * mpiexec is one thread and one event loop (watch.c). Memory of the job is allocated as it is parsed and
 * lives until mpiexec ends. Every rank leads a process group of its own, so that what it starts can be ended
 * with it; what leaves the group comes back to mpiexec as an orphan (it is a subreaper) and is swept up at
 * the end. If mpiexec itself is killed, the guard (guard.c) does all that.
 */
#ifndef CMD_MPIEXEC_JOB_H
#define CMD_MPIEXEC_JOB_H

#include "boot/pmi_line.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum bind {
    BIND_AUTO,
    BIND_NONE,
    BIND_CORE,
    BIND_SOCKET
};

/* A growing list of words, closed by NULL for exec. */
struct words {
    char **word;
    int count, room;
};

/* One part of the command line between ':'. Texts are as given; NULL: not given. */
struct app {
    int maxprocs, count; /* asked for, and to start (smaller with -soft) */
    const char *soft, *host, *arch, *wdir, *path, *file, *errhandler, *thread_level, *kinds;
    struct words set;  /* NAME=VALUE for its environment */
    struct words argv; /* the program, as given, and its arguments */
    char *program;     /* where it is */
    int number;        /* MPI_APPNUM */
};

/* One of a rank's output streams, when mpiexec labels them. */
struct stream {
    int fd;     /* -1: closed */
    int target; /* 1 or 2 */
    size_t used;
    char *bytes;
};

struct rank {
    struct app *app;
    pid_t pid; /* also its process group; 0: not running (any more) */
    bool initialized, finalized, fenced;
    int socket; /* PMI; -1: closed */
    struct pmi_inbox *inbox;
    struct stream stream[2];
};

struct job {
    struct app *app;
    int apps;
    int size;

    bool label;
    enum bind bind;
    double timeout; /* seconds; 0: none */
    const char *timeout_source;
    int universe_size; /* 0: not given (yet) */
    const char *hostfile, *configfile;
    const char *launcher; /* the one to use for other hosts; NULL: the first that is here */
    bool elsewhere;       /* some host that was named is not this one: see remote.h */
    struct words set;     /* NAME=VALUE for everyone's environment */

    int control; /* to the process that spawned this job (boot/spawn_order.h); -1: none did, or it is gone */
    bool is_spawned;    /* some process did */
    bool is_accepted;   /* its processes have become part of the program that spawned them */
    bool is_let_go;     /* the job outlives that process */
    const char *parent; /* port that its processes connect to in MPI_Init */
    /* What was asked for, where a launcher that reaches other hosts is the only rank here: see remote.h. */
    const struct app *asked; /* NULL: the job is not such a one */
    int asked_parts;

    char name[64];    /* unique on this host and moment */
    char host[65];    /* this host */
    int memory;       /* the memfd that the ranks share */
    cpu_set_t *cores; /* one per rank; NULL: not bound */
    size_t cores_size;

    struct rank *rank;
    int alive;     /* ranks that run */
    sigset_t mask; /* signals that were blocked when mpiexec started */
    int events;    /* the epoll */
    int signals;   /* the signalfd */
    int code;      /* exit code: the first failure's */
    bool ending;   /* the survivors are being ended; the verdict is out */
    int forwarded; /* the last ending signal that was passed on to the ranks; 0: none */
};

#endif
