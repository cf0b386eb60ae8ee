/* worker: threads of the process that move nonblocking accesses.
 *
 * A few threads, started when the first access waits for one and ended with the last file. A thread takes a task,
 * moves its access, converts its data (never by callbacks of the program), and puts the task on the list of those
 * that are over. It touches no reference count, and no object of MPI but the file's constant fields. A thread that
 * polls takes tasks off that list and completes their requests; the worker wakes sleeping waiters of its process.
 */
#ifndef FILE_WORKER_H
#define FILE_WORKER_H

#include "file/access.h"

struct task;

/* The memory of a nonblocking access, its request included. What follows cannot fail. */
int worker_prepare(struct file *file, struct task **task);
/* There will be no access. task: may be NULL. */
void worker_drop(struct task *task);
/* Takes over task and access. */
void worker_start(struct task *task, struct file_access *access, struct request **request);
/* The same for an access that was moved already: a complete request. `error`: of the move. */
void worker_done(struct task *task, struct file_access *access, int error, struct request **request);

/* Waits until no access to the file is in flight. */
void worker_drain(struct file *file);
/* Counts open files; the threads end with the last. */
void worker_file_opened(void);
void worker_file_closed(void);

#endif
