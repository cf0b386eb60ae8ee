/* finding_print: writes a list of findings, with files and lines: as text, JSON or SARIF 2.1.0. mpiexec uses it too. */
#ifndef INSIGHT_BOARD_FINDING_PRINT_H
#define INSIGHT_BOARD_FINDING_PRINT_H

#include "insight/board/finding_list.h"

/* `how`: forms with commas between: "text", also where it is NULL or another word: to standard error; "json:FILE", "sarif:FILE": a file,
 * and one line to standard error; where it cannot be written, text, which begins with why; "suppress:FILE": what is dropped
 * before (suppression.h), also from the list. has_files: else all forms are text. Sorts the list.
 * Returns the number of findings that are no notes. */
int finding_print(struct finding_list *printed, const char *how, bool has_files);
/* How long the first form is. A comma in a path ends it only before another form. */
size_t finding_print_form(const char *how);
/* Whether it says what is not told. */
bool finding_print_suppresses(const char *form);

#endif
