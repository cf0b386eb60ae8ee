/* advise: makes advice of a profile (insight/observe/profile.h): which hints a program could truthfully give, and what else would gain.
 *
 * A rule (rules.c) looks at the counts of one object and adds an advice, or says why not. It advises only what held for every
 * call of every rank, at least ADVICE_CALLS times. The writers print the same list as text, as JSON, as one HTML page and as a
 * file for mpiexec --hints: lines of KEY=VALUE@WHERE.
 */
#ifndef INSIGHT_ADVISE_ADVISE_H
#define INSIGHT_ADVISE_ADVISE_H

#include "hint/gains.h"
#include "hint/hint.h"
#include "insight/observe/profile.h"
#include "plain/source_place.h"

#include <stdio.h>

enum {
    ADVICE_CALLS = 16, /* fewer prove nothing */
    ADVICES = 512,
    ADVICE_TEXT = 400
};

enum advice_kind {
    ADVICE_HINT,      /* give this hint */
    ADVICE_BUFFER,    /* take memory of MPI_Alloc_mem */
    ADVICE_BALANCE,   /* ranks wait for others in a collective */
    ADVICE_NO_EFFECT, /* a hint that was given and does nothing */
    ADVICE_UNKNOWN,   /* a key that no object has */
    ADVICE_NOT,       /* a hint that may not be given, and why */
    ADVICE_KINDS
};

struct advice {
    enum advice_kind kind;
    int object;      /* -1: none */
    const char *key; /* ADVICE_HINT and ADVICE_NOT: a row of the hint table */
    char value[64];
    char text[ADVICE_TEXT]; /* ADVICE_HINT: the evidence, in counts */
    char gain[ADVICE_TEXT]; /* "" : none is known */
    double seconds;         /* what would be saved, of all ranks together; 0: not modelled */
    bool is_given;          /* the program gives the hint already */
    bool is_idle;           /* true, but it gains nothing: not in this run, or not by Inkling */
};

struct advice_list {
    const struct profile *profile;
    const struct gains *gains; /* what the hints were worth when they were measured */
    struct advice advice[ADVICES];
    int count;
    bool has_all; /* hints that gain nothing are printed with the others */
    struct source_place object[PROFILE_OBJECTS], site[PROFILE_SITES];
    char where[PROFILE_OBJECTS][640]; /* of the hints file; "" : cannot be told from others */
};

/* The names that JSON has: "hint", ... */
extern const char *const advice_names[ADVICE_KINDS];
extern const char *const advice_uses[USES];

/* Reads DIR/profile, prints the advice (as_json: what advice.json has), and writes advice.json, advice.html and hints.txt. Hints that
 * gain nothing are only counted in the text, and left out of hints.txt, unless all are wanted. */
int advise_write(const char *folder, FILE *out, bool as_json, bool all);

/* rules.c, which also works out `where` */
void advise_apply_rules(struct advice_list *list);

/* print_*.c */
void advise_print_text(const struct advice_list *list, const char *folder, FILE *out);
void advise_print_json(const struct advice_list *list, FILE *out);
void advise_print_hints(const struct advice_list *list, FILE *out);
/* The lines that give a hint to an object, in "C", "Fortran" or "mpi4py". */
void advise_format_lines(const struct advice_list *list, const struct advice *a, const char *language,
                         char *text, size_t size);
/* "communicator heat (MPI_Comm_dup_with_info at heat.c:58)" */
void advise_format_object(const struct advice_list *list, int object, char *text, size_t size);
/* "heat.c:58 (main)", or the module and the offset */
void advise_format_place(const struct advice_list *list, struct profile_place place,
                         const struct source_place *line, char *text, size_t size);

#endif
