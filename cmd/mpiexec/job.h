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

/* What share a part of a machine, smallest first. */
enum level {
    LEVEL_HWTHREAD,
    LEVEL_CORE,
    LEVEL_L2,
    LEVEL_L3,
    LEVEL_NUMA,
    LEVEL_SOCKET,
    LEVEL_MACHINE,
    LEVELS
};

enum bind {
    BIND_AUTO,
    BIND_NONE,
    BIND_TO /* a level */
};

/* Where the ranks of a host go: --bind-to, --map-by, --rank-by and what belongs to them. Texts are as given; NULL: not given. */
struct placement {
    enum bind bind;
    enum level bind_level, map_level,
        rank_level; /* meaningful if bind is BIND_TO, and if the text is given */
    const char *map, *rank;
    int width;           /* cores of each rank; 0: not given */
    int each;            /* ranks in each object of map_level, one object after the other; 0: in turn */
    int per_host;        /* ranks of each host; 0: not given */
    bool is_exact;       /* more ranks than per_host or `each` has room for are an error */
    bool may_overload;   /* ranks may share a core that they are bound to */
    bool is_crowd_error; /* so are more ranks than cores: --nooversubscribe */
    bool takes_threads;  /* hardware threads count as cores */
    bool ranks_span;     /* rank_level is map_level, whatever that is: --rank-by span */
    bool leaves_out_own; /* no ranks on this host: --nolocal */
    const char *cores;   /* a list of numbers; NULL: all that there are */
    bool is_reported, is_shown, is_only_shown; /* --report-bindings, --display-map, --do-not-launch */
};

/* What a rank gets of mpiexec's environment. */
enum inherit {
    INHERIT_DEFAULT, /* of a part: as the job says; of the job: all */
    INHERIT_ALL,
    INHERIT_NONE,
    INHERIT_LIST
};

enum {
    INPUT_ALL = -1, /* in place of a rank */
    INPUT_NONE = -2
};

/* A growing list of words, ended by NULL for exec. */
struct words {
    char **word;
    int count, room;
};

/* One part of the command line between ':'. Texts are as given; NULL: not given. */
struct app {
    int maxprocs, count; /* the number requested, and the number to start (smaller with -soft) */
    bool is_counted;     /* -n was given */
    const char *soft, *host, *arch, *wdir, *path, *file, *errhandler, *thread_level, *kinds;
    struct words set; /* NAME=VALUE for its environment */
    enum inherit inherit;
    struct words names; /* of INHERIT_LIST */
    struct words argv;  /* the program, as given, and its arguments */
    char *program;      /* its path */
    int number;         /* MPI_APPNUM */
};

/* One of a rank's output streams: run/output.h. */
struct stream {
    int fd;     /* -1: closed, or the rank has mpiexec's own */
    int target; /* 1 or 2 */
    int file;   /* gets a copy: --output-filename; -1: none */
    size_t used, room;
    char *bytes;
    uint64_t late_ns; /* when what is left of a line is printed without its end */
};

struct rank {
    struct app *app;
    pid_t pid; /* also its process group; 0: not running */
    bool initialized, finalized, fenced;
    bool died;  /* and the job has survived that: run/survival.h */
    int status; /* as of waitpid, once it has ended */
    int stop;   /* the signal that has stopped it; 0: none */
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
    bool timestamp;            /* lines begin with the time */
    const char *label_pattern; /* what they begin with: -prepend-pattern; NULL: the rank, like [3] */
    bool direct_output;        /* the ranks have mpiexec's own output descriptors */
    bool merges;               /* standard error goes where standard output goes */
    const char *copy_to;       /* a folder for a copy of all output: --output-filename; NULL: none */
    bool copies_without_job;   /* into that folder itself: no folder of the job in it */
    const char *file_of[2];    /* patterns of the files that get a stream; NULL: mpiexec's own */
    int input;                 /* the rank that gets standard input, or INPUT_ALL, INPUT_NONE */
    bool is_input_chosen;      /* by --stdin */
    bool prints_codes;         /* at the end, each rank's exit code */
    bool quiet;                /* says nothing but errors */
    struct placement place;
    double timeout; /* seconds; 0: none */
    const char *timeout_source;
    int universe_size; /* 0: not given (yet) */
    const char *hostfile, *configfile;
    const char *launcher; /* the one to use for other hosts; NULL: the first installed one */
    bool elsewhere;       /* some named host is not this one: see launch/launch.h */
    struct words set;     /* NAME=VALUE for everyone's environment */
    enum inherit inherit;
    struct words names;        /* of INHERIT_LIST */
    struct words for_launcher; /* options of other launchers that the one for other hosts gets */
    const char *abi;           /* --abi; NULL: as is found */
    const char *interface;     /* -iface; NULL: not given */
    struct notices *notices;   /* command_line/notices.h */

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
    const char *hosts;       /* likewise: "LAUNCHER HOST:SLOTS,...", for `inkling where` */
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
