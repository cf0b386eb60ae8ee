/* finding: adds what a check has found to the board's list. */
#ifndef INSIGHT_FINDINGS_FINDING_H
#define INSIGHT_FINDINGS_FINDING_H

#include "insight/board/board.h"
#include "insight/board/finding_list.h"

#include <signal.h>
#include <stdbool.h>

enum {
    FINDING_PLACE_BITS = 10 /* of the table of places */
};

/* What is known about a finding; any part may be NULL. */
struct intercept;
struct finding_about {
    enum finding_class class;
    struct intercept *call;
    struct call_place at;    /* a place instead of `where` */
    void *where, *made;      /* addresses in this process; where NULL: the call's */
    struct call_place other; /* a place of another rank, or of an earlier call */
    const char *role, *made_by, *fix;
    const int *rank; /* whose call it is, in MPI_COMM_WORLD; NULL: this rank's */
    bool is_quiet;   /* is a consequence if the call has been reported already */
    bool is_certain; /* nothing that the checks remember is in it: the library has said so */
};

void finding_add(const struct finding_about *about, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* Takes back what begins so: it is no longer true. */
void finding_withdraw(const char *text);
/* Whether one of these classes was found by any rank. */
bool finding_is_known(uint64_t classes);
/* The place of an address of code. Those that were asked for before are known. */
struct known_place {
    void *address;
    struct call_place place;
};
extern struct known_place finding_known[];
extern struct known_place
    finding_last; /* that was asked for: a call asks several times, and a loop has one call */
struct call_place finding_place_late(void *address);

static inline size_t finding_place_index(const void *address)
{
    return ((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - FINDING_PLACE_BITS);
}

static inline struct call_place finding_place(void *address)
{
    const struct known_place *k = &finding_known[finding_place_index(address)];

    if (__builtin_expect(finding_last.address == address, 1))
        return finding_last.place;
    if (k->address != address)
        return finding_place_late(address);
    finding_last = *k;
    return k->place;
}
/* A place in a text, which is a file and a line when it is printed; never cut off: "" where there is no room. */
void finding_place_text(struct call_place place, char *text, size_t size);
/* This process has another board. */
void finding_forget_places(void);

/* crash_place: where the program was when a signal ended it (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), for the board's last words.
 *
 * The handler notes the place on a stack of its own and lets the signal end the process as before. It is set only where the program, or
 * the runtime library of its language, has none.
 */

enum {
    CRASH_STACK = 64 << 10
};

/* In MPI_Init, by the thread that calls it. */
void crash_place_open(void);
/* The handler of a signal is this one. */
bool crash_place_handles(const struct sigaction *action);
/* Gives the calling thread a stack for handlers, if it has none; false: it cannot, or that is too small. */
bool crash_place_has_stack(void);

/* keeper: tells what was found where no rank can any more, because they were killed and Inkling's mpiexec did not start them.
 *
 * The leader of a board (board_gather.c) starts a process that waits until all ranks that have the board have ended. It has no part in
 * MPI and does not belong to the program: it is nobody's child, in a session of its own, with standard error alone, or, where nobody reads that
 * any more, the file inkling-check.HOST.txt.
 */

/* The ranks have put their process ids on the board. */
void process_start_keeper(void);

/* process_tell: tells what was found, as far as it is this process's turn, and ends the job. */

enum {
    CODE_FOUND = 66 /* the exit code of a job in which something was found */
};

/* Tells what the board has, once. */
void process_tell(void);
/* Ends the job, as an error with a fatal handler does. */
_Noreturn void process_abort(int code, enum board_end why);

#endif
