/* wrap: libinkling_insight.so, which looks at every MPI call of a program and says what is wrong with it.
 *
 * It stands before any library with the ABI of MPI-5.0, by LD_PRELOAD, and uses the standard's C interface only. Each MPI_ and
 * PMPI_ name is a generated wrapper (gen/insight.py): it puts its arguments into an array, asks the checks of its family
 * (checks.txt) before and after, and calls the next function of its own name. So a PMPI tool of the program works, above or
 * below: above, in the executable, it calls the PMPI_ wrappers; below, in a library, the MPI_ wrappers call it. What the tool
 * calls then, and what MPI calls itself, in a callback of the program, is passed on unseen, but for what a callback frees. The
 * checks' own calls go to the PMPI_ functions, past the tool.
 *
 * Ranks of a host share a board (board.h): the messages under way, the collectives that have begun, who waits for what, and the
 * findings (finding.h). mpiexec prints them at the end of the job; under another launcher the last rank does, or, where there are
 * several boards, rank 0 (board_gather.c). A check never waits for another rank and never changes who waits for whom, but where all are in
 * one collective call anyway: MPI_Init, MPI_Finalize, and calls that make windows and communicators of sessions. Objects are known
 * by handle (tracked.h).
 *
 * Threads: one lock, call_lock.h, is held while checks run, and never while the library below does.
 */
#ifndef INSIGHT_WRAP_WRAP_H
#define INSIGHT_WRAP_WRAP_H

#include "insight/board/board.h"
#include "insight/call/intercept.h"

/* False: the call is passed on unseen. */
bool wrap_begin(struct intercept *call);
/* Returns the error for the program. */
int wrap_end(struct intercept *call, int error);

/* process_state: how a process begins and ends, as checks see it: the library below, the board, and what runs beside the program.
 *
 * Checks begin with MPI_Init or the first session, and what is left is looked for in MPI_Finalize or when the last session ends. A
 * process of which only sessions are known has the rank of "mpi://WORLD"; nobody need open one, so nothing waits for others: ranks are
 * compared only where mpiexec has given all of them a board, and without it each tells for itself.
 */

/* Finds the library below and the board, as far as they can be found before MPI_Init. */
void process_open(void);
/* Says calls that MPI_Init must precede, or that MPI_Finalize has ended. */
void process_check_order(struct intercept *call);

/* hang: a deadlock is said, and the job ended, when ranks wait for each other and nothing moves.
 *
 * Each process has a watchdog thread. When a call has waited for a while it writes on the board whom it waits for: all of them, or
 * one of them. The first waiting rank then works out who can go on: who runs, and who waits for those that can. If others are
 * left, and were the same before, they never will.
 *
 * A rank that polls with MPI_Test, or is in no call, may yet go on by itself. When nothing has moved for five seconds where no deadlock
 * can be proved, the first rank that has not ended says what each of them does: a deadlock if all wait or poll, else a note. The job goes
 * on, and what was said is taken back once something moves.
 */

void hang_start(void);
void hang_stop(void);
/* Without locks: waits until the watchdog that was stopped has ended. */
void hang_join(void);

/* circle: the ranks that wait for each other, as the board has them. */

enum {
    PATIENCE_MS =
        1500 /* half of it in its call before a rank says whom it waits for, half that nothing changes */
};

/* What this rank has seen before. */
struct circle {
    uint64_t sum, since; /* of what all have done, and since when */
};

bool circle_awaits(const struct board_rank *r, int target);
/* The first of those that will never go on, where this rank is the first that waits; -1: there are none, or it is not certain
 * yet. Marks in goes[] who can go on. */
int circle_find(struct circle *c, bool *goes);

/* awaited_text: what a rank waits for that the call does not say: the operations of its requests, where they were posted, and messages
 * that have come and that none of its receives takes.
 */

/* For hang.c, of a call that waits; "": nothing. With places as finding_place_text writes them. */
void awaited_text_describe(const struct intercept *call, char *text, size_t size);

/* board_gather: which ranks have one board, and how the findings of several boards come together.
 *
 * Under Inkling's mpiexec all ranks have the board that it made. Under another launcher the lowest rank of each host makes one, and
 * leads those who have it. What ranks of one board do is compared; where there are several, the leaders add up the findings along
 * a tree in MPI_Finalize, over communicators that the program never sees, and rank 0 of MPI_COMM_WORLD tells them all.
 */

/* In MPI_Init; collective over MPI_COMM_WORLD. */
void board_gather_open(void);
/* For the first session of a process; nobody else need open one. */
void board_gather_open_alone(void);
/* In MPI_Finalize, while MPI is up; collective over MPI_COMM_WORLD if there are several boards, else nothing. The
 * caller does not have the lock. */
void board_gather_findings(struct intercept *call);

#endif
