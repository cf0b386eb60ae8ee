/* asked: the memory of a process that may not be read, as far as the process reads it itself when it is asked (net/shm/tell.h).
 *
 * It answers while it polls: when it waits in MPI, or its progress thread does. What does not answer soon is not asked again for a
 * second.
 */
#ifndef CMD_WHERE_ASKED_H
#define CMD_WHERE_ASKED_H

#include "cmd/where/stack.h"

/* Whether it answers. Its library must be of this version. */
bool asked_begin(pid_t pid);
/* As many of the bytes as can be read from the first one on. */
size_t asked_read(pid_t pid, uint64_t address, void *to, size_t bytes);
/* What has been read is kept until the next stack is captured, or this is called. */
void asked_renew(void);
/* What stack_capture copies. False: the thread does not answer. */
bool asked_capture(const struct traced *t, pid_t tid, const struct script_thread *python,
                   struct stack_copy *copy);

#endif
