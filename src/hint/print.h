/* print: the hint table as text for people: `inkling hints`, `inkling hints KEY`, the page HINTS.md. */
#ifndef HINT_PRINT_H
#define HINT_PRINT_H

#include "hint/gains.h"

#include <stdio.h>

/* `gains`: what was measured (hint/gains.h), which all of these say. */

/* One line per row, grouped by kind of object: of those that have the word in their key, meaning or effect; NULL: of
 * all. Then the keys that are no hints (hint/other_key.c), likewise. Returns how many. */
int hint_print_summary(FILE *out, const struct gains *gains, const char *word);
/* The same rows, whole, as a JSON array. */
int hint_print_json(FILE *out, const struct gains *gains, const char *word);
/* Everything about one row. */
void hint_print_row(FILE *out, const struct gains *gains, const struct hint_row *row);
/* Everything about a key that is no hint, or also something else. False: there is none. */
bool hint_print_other(FILE *out, const char *key);
/* The page HINTS.md, whole; `make` writes and installs it, and gen/man.py reads it. */
void hint_print_markdown(FILE *out, const struct gains *gains);

/* other_key: info keys that are no hints of an object: some call takes them, or some call reports them. */

struct other_key {
    const char *key;
    const char *of;    /* the calls, or the object that reports it */
    const char *value; /* what values it has */
    const char *text;  /* what it does, one sentence */
    const char *since;
};

/* Ended by a NULL key. A key that means several things has several rows, one after the other. */
extern const struct other_key other_key_table[];

/* The first row of this key; NULL: there is none. */
const struct other_key *other_key_find(const char *key);

#endif
