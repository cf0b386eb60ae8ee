/* finding_list: the findings of a board, and the modules that their places are in. Like ones are one, with a count.
 *
 * A list goes as it stands from the board of one host to that of another (board_gather.c), and from that of a spawned job to that of
 * the job that spawned it. The board's lock protects it; `count` and `unchecked` are also read without.
 */
#ifndef INSIGHT_BOARD_FINDING_LIST_H
#define INSIGHT_BOARD_FINDING_LIST_H

#include "plain/source_place.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum finding_class {
    FINDING_NONE,
    FINDING_ARGUMENT,
    FINDING_CALL_ORDER,
    FINDING_COLLECTIVE,
    FINDING_ROOT,
    FINDING_OPERATION,
    FINDING_TYPE,
    FINDING_COUNT,
    FINDING_DEADLOCK,
    FINDING_LEAK,
    FINDING_REQUEST,
    FINDING_BUFFER,
    FINDING_EPOCH,
    FINDING_CONFLICT,
    FINDING_THREAD,
    FINDING_HINT,
    FINDING_LOST,
    FINDING_RACE,
    FINDING_TOLERANCE,
    FINDING_STANDSTILL,
    FINDING_BUFFERING,
    FINDING_FILE_CONFLICT,
    FINDING_ACCUMULATE_ORDER,
    FINDING_CRASH,
    FINDING_CLASSES
};
/* The names that reports have. */
extern const char *const finding_names[FINDING_CLASSES];

/* A place of the program: an address in a module of the board's list; 0: unknown. */
struct call_place {
    uint32_t module;
    uint64_t offset;
};

struct finding {
    int class;
    bool is_spawned; /* of a job that the program has spawned: so are its ranks */
    uint64_t count;
    uint64_t ranks[8]; /* a bit for each */
    struct call_place where, other, made;
    char text[3072];  /* what */
    char call[320];   /* the call with its arguments; "" : none */
    char role[64];    /* what `other` is, such as "the other call" */
    char made_by[64]; /* what was made at `made`, such as "the window" */
    char fix[256];
};

enum {
    LIST_FINDINGS = 256,
    LIST_MODULES = 128,
    LIST_PATH = 512
};

/* What was left out, as bits. */
enum unchecked {
    UNCHECKED_COLLECTIVES = 1, /* no room on the board */
    UNCHECKED_MESSAGES = 2,
    UNCHECKED_WINDOWS = 4,
    UNCHECKED_HOSTS = 8,     /* what ranks of several boards do is not compared */
    UNCHECKED_LISTS = 16,    /* of a host whose ranks did not reach MPI_Finalize */
    UNCHECKED_FAR = 64,      /* collectives between hosts, after the first ones */
    UNCHECKED_SESSIONS = 32, /* ranks that only use sessions, and have no board in common */
    UNCHECKED_MEMORY =
        128 /* all that followed when a rank could not make a record: there are no more findings */
};

struct finding_list {
    _Atomic uint32_t count;
    _Atomic uint32_t unchecked;
    uint32_t modules;
    uint64_t lost; /* findings that there was no room for */
    char module[LIST_MODULES]
               [LIST_PATH]; /* paths of program and libraries; place.module is one more than the index */
    struct finding finding[LIST_FINDINGS];
};

/* One more than the index of the module; 0: no room. */
uint32_t finding_list_module(struct finding_list *list, const char *path);
/* With its ranks and its count. */
void finding_list_add(struct finding_list *list, const struct finding *finding);
/* Adds all of another list. spawned: it is that of a job that the program has spawned. */
void finding_list_merge(struct finding_list *list, const struct finding_list *other, bool spawned);
/* What may be right all the same. */
bool finding_list_is_note(const struct finding *finding);
/* In the order in which they are told, which does not depend on who came first: what may be the cause of other findings, then what is
 * left at the end, then notes; of these by place. Nobody adds to the list meanwhile. */
void finding_list_sort(struct finding_list *list);
void finding_list_leave_out(struct finding_list *list, enum unchecked what);
/* False: a rank does not know all that it must, so what the checks believe may be wrong. */
bool finding_list_is_trusted(const struct finding_list *list);

/* finding_print: writes a list of findings, with files and lines: as text, JSON or SARIF 2.1.0. mpiexec uses it too. */

/* `how`: forms with commas between: "text", also where it is NULL or another word: to standard error; "json:FILE", "sarif:FILE": a file,
 * and one line to standard error; where it cannot be written, text, which begins with why; "suppress:FILE": what is dropped
 * before (suppression.c), also from the list. has_files: else all forms are text. Sorts the list.
 * Returns the number of findings that are no notes. */
int finding_print(struct finding_list *printed, const char *how, bool has_files);
/* How long the first form is. A comma in a path ends it only before another form. */
size_t finding_print_form(const char *how);
/* Whether it says what is not told. */
bool finding_print_suppresses(const char *form);

/* suppression: findings that the user does not want to be told of: --check=suppress:FILE, a text of lines
 *
 *     CLASS [@ WHERE]     for findings of this class whose place is WHERE
 *     # a comment
 *
 * WHERE is FILE, FILE:LINE, FUNCTION(), or the name of the program or library that the place is in; FILE and library may have
 * folders before them. CLASS and WHERE are patterns as in a shell: * is any text, ? any character, [ab] one of these.
 */

struct suppression; /* a line */

/* The lines of the file, the last one first. NULL: it has none, or `why` says what is wrong with it. */
struct suppression *suppression_read(const char *path, char *why, size_t size);
void suppression_free(struct suppression *list);
/* Whether a line is for findings of this class at this place, in this program or library. */
bool suppression_matches(const struct suppression *list, enum finding_class class, const char *module,
                         const struct source_place *place);

#endif
