/* report: what became of the hints that the program gave (INKLING_HINTS_REPORT, mpiexec --hints-report). */
#ifndef HINT_REPORT_H
#define HINT_REPORT_H

#include "hint/hint.h"

/* The legal values of the row HINT_HINTS_REPORT, in its order. */
enum report_level {
    REPORT_OFF,
    REPORT_FIRST, /* rank 0 of each object reports */
    REPORT_ALL    /* every rank reports */
};

static inline enum report_level report_level(void)
{
    return (enum report_level)hint_value(&hint_process, HINT_HINTS_REPORT);
}

/* Why a hint in force has no effect on an object; NULL: it has one. */
typedef const char *report_absence(const void *object, enum hint_id id);

/* Prints one line on standard error for each key that was ever offered to h, the hints of `object`, which is called
 * `title`. absence NULL: all hints in force have effects. Returns the number of lines. */
int report_print(const char *title, struct hints *h, report_absence *absence, const void *object);

/* Keeps, for the report only, an offered key that has no row. */
void report_keep_stray(struct hints *h, const char *key);

#endif
