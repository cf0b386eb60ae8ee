/* pmi: the client side of PMI-1, over the socket in PMI_FD.
 *
 * pmi_open() sends init and does not wait for the answer; the first request reads it.
 */
#ifndef BOOT_PMI_H
#define BOOT_PMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The socket in PMI_FD; -1 when there is none (it does not outlive an exec of this process). */
int pmi_find(void);
/* kvs: the name of the key-value space; NULL: not known, and requested when needed. */
int pmi_open(int fd, const char *kvs);

const char *pmi_kvs(void); /* NULL, with a note, when the launcher does not say */
int pmi_appnum(int *appnum);
int pmi_universe_size(int *size);

int pmi_put(const char *key, const char *value);
int pmi_fence(void);
/* One key-value space serves all processes. */
int pmi_get(int process, const char *key, char *value, size_t size);
bool pmi_find_nodes(int size, uint64_t *node);

/* Sends a command with descriptors, which has no answer. Any thread may call it. */
int pmi_pass(const char *command, const int *passed, int count);

/* Sends a warning, to Inkling's mpiexec only, which prints equal warnings of several ranks once. False: it
 * could not be sent. */
bool pmi_warn(const char *text);
/* Sends a line of the report on hints, to Inkling's mpiexec only (hint/report.h). False: it could not be sent. */
bool pmi_send_hint(const char *line);
/* Sends what this process counted, to Inkling's mpiexec only (runtime/stats.h). False: it could not be sent. */
bool pmi_send_stats(const char *line);
/* Sends the abort and returns. `why` may be NULL, and is for Inkling's mpiexec only. */
void pmi_abort(int code, const char *why);
/* Waits until the launcher has closed the connection, for at most so long. */
void pmi_linger(int milliseconds);
/* await: waits for the launcher's answer and closes the connection. */
int pmi_close(bool await);

#endif
