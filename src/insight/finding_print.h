/* finding_print: writes a list of findings, with files and lines: as text, JSON or SARIF 2.1.0. mpiexec uses it too. */
#ifndef INSIGHT_FINDING_PRINT_H
#define INSIGHT_FINDING_PRINT_H

#include "insight/finding_list.h"

/* `how`: NULL or another word: text to standard error; "json:FILE", "sarif:FILE": a file, and one line to standard error.
 * Returns the number of findings that are no notes; -1 if the file cannot be written. */
int finding_print(const struct finding_list *printed, const char *how);

#endif
