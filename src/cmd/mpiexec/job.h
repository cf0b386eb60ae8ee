/* job: what mpiexec was asked to start, and the state of the processes.
 *
 * mpiexec is one thread with one event loop (run/event_loop.c). It allocates the job's memory while it
 * parses, and never frees it. Every rank leads a process group of its own, so that what the rank starts can
 * be ended with it. A process that leaves the group becomes a child of mpiexec, which is a subreaper, and is
 * ended with the job. If mpiexec itself is killed, the guard (launch/guard.c) does all that.
 */
#ifndef CMD_MPIEXEC_JOB_H
#define CMD_MPIEXEC_JOB_H

#include "plain/keyed_hash.h"
#include "plain/pmi_line.h"

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

/* A growing list of words, ended by NULL for exec. */
struct words {
    char **word;
    int count, room;
};

/* One part of the command line between ':'. Texts are as given; NULL: not given. */
struct app {
    int maxprocs, count; /* the number requested, and the number to start (smaller with -soft) */
    const char *soft, *host, *arch, *wdir, *path, *file, *errhandler, *thread_level, *kinds;
    struct words set;  /* NAME=VALUE for its environment */
    struct words argv; /* the program, as given, and its arguments */
    char *program;     /* its path */
    int number;        /* MPI_APPNUM */
};

/* One of a rank's output streams: run/output.h. */
struct stream {
    int fd;     /* -1: closed, or the rank has mpiexec's own */
    int target; /* 1 or 2 */
    size_t used, room;
    char *bytes;
    uint64_t late_ns; /* when what is left of a line is printed without its end */
};

struct rank {
    struct app *app;
    pid_t pid; /* also its process group; 0: not running */
    bool initialized, finalized, fenced;
    int stop; /* the signal that has stopped it; 0: none */
    uint64_t stop_ns;
    bool stop_told; /* the user was told that it is stopped */
    int socket;     /* PMI; -1: closed */
    struct pmi_inbox *inbox;
    struct stream stream[2];
};

struct job {
    struct app *app;
    int apps;
    int size;
    int world_size; /* that of MPI_COMM_WORLD: size, unless the only rank here is a launcher */

    bool label;
    bool direct_output; /* the ranks have mpiexec's own output descriptors */
    enum bind bind;
    double timeout; /* seconds; 0: none */
    const char *timeout_source;
    int universe_size; /* 0: not given (yet) */
    const char *hostfile, *configfile;
    const char *launcher; /* the one to use for other hosts; NULL: the first installed one */
    bool elsewhere;       /* some named host is not this one: see launch/launch.h */
    struct words set;     /* NAME=VALUE for everyone's environment */

    const char *check;        /* how --check reports: insight/board/finding_print.c; NULL: no checks */
    const char *hints_report; /* the file that gets it as JSON; NULL: it is printed */
    const char *advise;       /* the folder of --advise; NULL: no advice */

    int control; /* control socket to the process that spawned this job (plain/spawn_report.h); -1: none, or it
                  * is gone */
    bool is_spawned;                /* a process spawned this job */
    bool is_accepted;               /* the spawning call has succeeded: failures of the job count */
    bool is_let_go;                 /* the job outlives that process */
    const char *parent;             /* the port that its processes connect to in MPI_Init */
    char secret[SECRET_DIGITS + 1]; /* that of the job that spawned it, else its own; in hexadecimal */
    /* What was requested, if the only rank here is a launcher that reaches other hosts: see launch/launch.h. */
    const struct app *asked; /* NULL: the rank is not a launcher */
    int asked_parts;
    const char *report_port; /* where its ranks tell what is reported: pmi/far_ranks.c; NULL: nowhere */

    char name[64];    /* unique on this host at this time */
    char host[65];    /* this host */
    int memory;       /* the memfd that the ranks share */
    cpu_set_t *cores; /* one per rank; NULL: not bound */
    size_t cores_size;

    struct rank *rank;
    uint64_t begin_ns; /* the clock when the first was started */
    int alive;         /* ranks that run */
    sigset_t mask;     /* signals that were blocked when mpiexec started */
    int events;        /* the epoll */
    int streams[2];    /* two epolls in it, of the ranks' standard output and error */
    int signals;       /* the signalfd */
    int code;          /* exit code: that of the first failure */
    bool ending;       /* the survivors are being ended; the exit code is decided */
    int forwarded;     /* the last terminating signal that was forwarded to the ranks; 0: none */
};

#endif
