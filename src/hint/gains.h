/* gains: what each hint was worth when it was measured, on which machine and when. That is data, not a part of the library:
 * `make bench-hints` writes the file (bench/hints.py), which lies beside the commands, share/inkling/gains.json.
 */
#ifndef HINT_GAINS_H
#define HINT_GAINS_H

#include "hint/hint.h"

struct gain {
    double ratio;     /* how many times better the value is with the hint */
    double off, on;   /* the two values, in the unit of the text */
    const char *text; /* one sentence or several */
};

struct gains {
    char *owned; /* the texts */
    const char *machine, *date;
    struct gain of[HINT_COUNT]; /* text NULL: not measured */
};

/* Reads the file. An error: there is none, or it is malformed; g is then empty. */
int gains_read(const char *path, struct gains *g);
void gains_fini(struct gains *g);

/* Those of the file beside the running command, read at the first call: empty if there is none. A malformed file is
 * told on standard error. Not for several threads. */
const struct gains *gains_here(void);

/* NULL: it was not measured. */
const struct gain *gains_find(const struct gains *g, enum hint_id id);
/* Whether so little was measured that it may be noise. */
bool gains_are_none(const struct gain *gain);
/* Its text, behind "no measured effect: " if there is none; "not measured here" for NULL. */
void gains_format(const struct gain *gain, char *buffer, size_t size);

#endif
