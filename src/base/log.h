/* log: one-line messages to standard error, prefixed "inkling: ". For what a user must see although no MPI
 * call can return it. Never on a hot path. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

/* "inkling: warning: ..." */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* Who is offered the text of each warning first, and says whether it tells it to the user: boot, where the
 * launcher puts what ranks say alike into one line. NULL, as in the beginning: nobody. */
typedef bool log_teller_fn(const char *text);
void log_set_teller(log_teller_fn *teller);

/* "inkling: <topic>: ...". For what the user asked to be told. */
void log_tell(const char *topic, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* "inkling: error: ...", then _exit(1). For a broken start, before any error handler exists. */
_Noreturn void log_die(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif
