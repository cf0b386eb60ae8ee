/* diagnosis: a line of `inkling doctor`. */
#ifndef CMD_DIAGNOSIS_H
#define CMD_DIAGNOSIS_H

#include <stdbool.h>

enum diagnosis {
    FINE,
    SLOWER, /* works, but could be better */
    BROKEN  /* MPI programs cannot run */
};

/* Findings are members of a JSON array from now on, behind so many that others have printed; or lines for people. */
void diagnosis_as_json(bool wants_json, int printed);
/* How many members there are. */
int diagnosis_count(void);
/* Prints a finding. `fix` is printed unless all is fine; NULL: there is none. Returns the verdict. */
enum diagnosis diagnosis_tell(enum diagnosis verdict, const char *what, const char *found, const char *fix);

#endif
