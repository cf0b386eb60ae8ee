/* log: one-line messages to standard error, prefixed "inkling: ", for what a user must see although no MPI
 * call can return it. Never on a hot path. */
#ifndef PLAIN_LOG_H
#define PLAIN_LOG_H

#include <stdbool.h>

/* "inkling: warning: ..." */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* A function that gets the text of each warning first, and returns whether it reports it to the user. boot
 * sets one where the launcher prints equal warnings of several ranks once. NULL, as at the beginning:
 * none. */
typedef bool log_sink_fn(const char *text);
void log_set_sink(log_sink_fn *sink);

/* "inkling: <topic>: ...". For what the user asked for. */
void log_print(const char *topic, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* "inkling: error: ...", then _exit(1). For a failed start, before any error handler exists, and for what no call can return.
 * Where the launcher does not notice, boot sets a function that says it instead and ends the job: the other processes would wait. */
typedef void log_end_fn(int code, const char *text);
void log_set_end(log_end_fn *end);
_Noreturn void log_die(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif
