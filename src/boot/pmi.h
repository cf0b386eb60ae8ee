/* pmi: the client side of PMI-1, over the socket that the launcher left us in PMI_FD.
 *
 * pmi_open() greets without waiting for the answer: that is read when the first question is asked.
 */
#ifndef BOOT_PMI_H
#define BOOT_PMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The socket in PMI_FD; -1 when there is none (any more: it does not outlive an exec of this process). */
int pmi_find(void);
/* kvs: the name of the key-value space when known, else NULL and it is asked for at need. */
int pmi_open(int fd, const char *kvs);

const char *pmi_kvs(void); /* NULL, with a note, when the launcher does not tell */
int pmi_appnum(int *appnum);
int pmi_universe_size(int *size);

int pmi_put(const char *key, const char *value);
int pmi_fence(void);
/* One space of keys serves all processes. */
int pmi_get(int process, const char *key, char *value, size_t size);
bool pmi_find_nodes(int size, uint64_t *node);

/* Sends a command with descriptors, which has no answer. May be called by any thread. */
int pmi_pass(const char *command, const int *passed, int count);

/* A warning, for mpiexec alone: it tells what ranks say alike once. False: it could not be sent. */
bool pmi_warn(const char *text);
/* Sends the abort; `why` may be NULL and is for our own mpiexec only. Returns. */
void pmi_abort(int code, const char *why);
/* Waits until the launcher has closed the connection, at most so long. */
void pmi_linger(int milliseconds);
/* await: whether to wait for the launcher's answer; the connection is closed then. */
int pmi_close(bool await);

#endif
