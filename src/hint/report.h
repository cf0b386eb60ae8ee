/* report: what became of the hints that the program gave (INKLING_HINTS_REPORT, mpiexec --hints-report). */
#ifndef HINT_REPORT_H
#define HINT_REPORT_H

#include "hint/hint.h"

/* The legal values of the row, in its order. */
enum report_level {
    REPORT_OFF,
    REPORT_FIRST, /* rank 0 of each object tells */
    REPORT_ALL    /* every rank does */
};

static inline enum report_level report_level(void)
{
    return (enum report_level)hint_value(&hint_process, HINT_HINTS_REPORT);
}

/* One line on standard error for each key that was ever offered to h, the hints of `object`. Returns how
 * many. */
int report_print(const char *object, struct hints *h);

/* The keys of no row that were offered; kept for the report only. */
void report_keep_stray(struct hints *h, const char *key);

#endif
