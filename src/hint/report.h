/* report: what became of the hints that the program gave (INKLING_HINTS_REPORT, mpiexec --hints-report).
 *
 * An object tells of each key that it was ever offered: when it gets hints, so that nothing is lost if the job does not
 * end well, and when it is freed, then with what was counted. Inkling's mpiexec listens, and says at the end of the job
 * what many ranks and objects tell alike in one line (cmd/mpiexec/run/told.h). Where nobody listens, each process
 * prints its own lines when its objects are freed.
 */
#ifndef HINT_REPORT_H
#define HINT_REPORT_H

#include "hint/hint.h"

/* The legal values of the row HINT_HINTS_REPORT, in its order. */
enum report_level {
    REPORT_OFF,
    REPORT_FIRST, /* like lines of all ranks and objects are one; where mpiexec does not listen, rank 0 of each object prints */
    REPORT_ALL /* each line of each rank */
};

enum {
    REPORT_COUNTS = 3,
    REPORT_LINE_SIZE = 2048
};

static inline enum report_level report_level(void)
{
    return (enum report_level)hint_value(&hint_process, HINT_HINTS_REPORT);
}

/* What a hint in force has done for an object. */
struct report_effect {
    const char *absence; /* why it has no effect; NULL: it has one */
    const char *
        unused; /* why it had none if count[0] and what is counted against the hint are 0 at its end; NULL: it had one */
    const char *counted; /* as of a line, below */
    uint64_t count[REPORT_COUNTS];
};
typedef void report_effect_fn(const void *object, enum hint_id id, struct report_effect *effect);

struct report_object {
    const char *kind;  /* "communicator" ... */
    const char *title; /* its name, or its kind if it has none */
    int rank,
        size; /* of this process in it; size 0: it is this process's alone, of this rank in MPI_COMM_WORLD */
    const void *place; /* tells it from the others that live now */
    bool is_final;     /* it is freed, or MPI ends: what was counted is told */
};

/* Tells one line for each key that was ever offered to h, the hints of the object. effect NULL: all hints in force have
 * effects; `of` is handed to it. Returns the number of lines. */
int report_hints(const struct report_object *object, struct hints *h, report_effect_fn *effect,
                 const void *of);
/* Tells one more line about it: what was counted. */
void report_fact(const struct report_object *object, const char *counted,
                 const uint64_t count[REPORT_COUNTS]);
/* Tells how many objects a hint from outside has matched (hint/outside.h): `text` is the line of this number, `key` its key. */
void report_outside(int rank, int number, const char *text, const char *key, uint64_t matches);
/* This process has told nothing. */
void report_none(int rank);

/* Keeps, for the report only, an offered key that has no row. */
void report_keep_stray(struct hints *h, const char *key);

/* The one stream of what this process tells mpiexec for its user: lines of a kind, "hint" (this report; fields between tabs) or
 * "stats" (runtime/stats.c). Who hears them, by whichever connection there is; NULL: nobody. boot sets it, and
 * boot/report_sender.c where another launcher has started the process. */
typedef bool report_listener_fn(const char *kind, const char *line);
void report_set_listener(report_listener_fn *listener);
/* False: nobody has heard it. */
bool report_tell(const char *kind, const char *line);
/* Whether a process with this rank in an object tells of it. */
bool report_is_wanted(int rank);

/* A line: its fields, in this order. */
struct report_line {
    bool is_each;  /* REPORT_ALL */
    bool is_final; /* as of the object */
    uint64_t place;
    int rank, size;
    const char *kind,
        *title; /* kind "outside": a hint from outside; its title is its line, whose number is its place */
    const char *key;   /* "": what was counted is told of the object as a whole */
    const char *value; /* NULL: it is not set */
    const char *why;   /* "active: ..." ... */
    const char *giver; /* the call that gave it; NULL: not known */
    const char *
        counted; /* each # stands for the next count, each % for the one before it over the next; "": nothing */
    uint64_t count[REPORT_COUNTS];
};
/* Takes fields apart, in place. False: they are none. */
bool report_parse(char *text, struct report_line *line);
/* Writes what follows the title: `KEY = "VALUE", WHY; given by GIVER; COUNTED`. */
void report_format(const struct report_line *line, char *buffer, size_t size);

#endif
