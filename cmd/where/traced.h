/* traced: a process that uses this library, read from outside.
 *
 * All is read by process_vm_readv, which needs the right to trace the process: the same user, or root (ptrace(2), "Ptrace access
 * mode checking"). Where that is refused to its user, the process is asked (asked.c). Nothing else is written, and no address that is read from the process is used but for further reads, so whatever lies
 * there can only be wrong. Each list that is followed has a bound.
 */
#ifndef CMD_WHERE_TRACED_H
#define CMD_WHERE_TRACED_H

#include "plain/where_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    TRACED_JOB_SIZE = 128
};

struct traced {
    pid_t pid, parent;
    char state;      /* as in /proc/PID/stat: R, S, T, Z ... */
    bool is_own;     /* of the user who asks */
    bool is_refused; /* it may not be read; what mpiexec has told it in its environment is known */
    bool is_told;    /* of these: it reads its memory itself when it is asked */
    struct where_table table;
    bool is_open;              /* the library has been started there: rank, size and job are its own */
    int rank, size;            /* in MPI_COMM_WORLD */
    char job[TRACED_JOB_SIZE]; /* name of the job */
    char launch
        [TRACED_JOB_SIZE]; /* what mpiexec calls the job, where another launcher has started it for mpiexec; "" */
    char program[64], command[256]; /* its file; the command line */
    double started;                 /* seconds since the host started */
};

enum traced_find {
    TRACED_FOUND,
    TRACED_NONE,    /* no process, or none with this library */
    TRACED_REFUSED, /* it may not be read, and nothing is known of it */
    TRACED_OTHER    /* the library there has another version of the table */
};

/* Looks at a process. */
enum traced_find traced_find(pid_t pid, struct traced *t);
/* Asks one that may not be read. False: it does not answer. */
bool traced_ask(struct traced *t);

/* A variable of the environment that a process was started with; "": it has none, or may not be read. */
void traced_variable(pid_t pid, const char *name, char *to, size_t room);

/* Without its folders. */
const char *traced_base_name(const char *path);

/* Reads all of it or nothing. */
bool traced_read(const struct traced *t, uint64_t address, void *to, size_t bytes);
/* Reads twice, until both are alike: for what no later comparison covers. False: it cannot be read, or changes all the time. */
bool traced_read_same(const struct traced *t, uint64_t address, void *to, size_t bytes);
/* As many of the bytes as can be read from the first one on. */
size_t traced_read_some(const struct traced *t, uint64_t address, void *to, size_t bytes);
uint64_t traced_word(const struct traced *t, uint64_t address); /* 0: it cannot be read */
uint32_t traced_half(const struct traced *t, uint64_t address); /* likewise, 4 bytes */
/* A text of the process, cut where it does not fit, with what is not printable as '?'. "": it cannot be read. */
void traced_text(const struct traced *t, uint64_t address, char *to, size_t room);

/* The state of one thread; 0: it is gone. */
char traced_thread_state(pid_t pid, pid_t tid);

/* A thread's number in the innermost container that it is in. */
pid_t traced_inner_number(pid_t pid, pid_t tid);

/* Whether another process traces the thread now. */
bool traced_is_busy(pid_t pid, pid_t tid);

/* How long its threads have had cores, in ticks of the clock (sysconf(_SC_CLK_TCK)); 0: it is gone. */
uint64_t traced_ticks(pid_t pid);

#endif
