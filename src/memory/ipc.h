/* ipc: memory of devices that other processes of the host export, imported by this one (struct ipc_export,
 * kind.h).
 *
 * An import costs much more than a copy, so imports are kept for the next message. No message says that the
 * owner has freed the memory. A process finds out when the owner exports another allocation at the same
 * place, and closes the old import. It keeps few imports, the ones used last, and closes all when the library
 * closes. Refusals are kept in the same way: the driver is asked once.
 *
 * An import must stay open while a device copies from it, so each use is counted. Any thread.
 */
#ifndef MEMORY_IPC_H
#define MEMORY_IPC_H

#include "memory/kind.h"

enum {
    IPC_IMPORTS_MAX = 32
};

struct ipc_import;

/* The address here of `bytes` at `address` in the memory of process `owner` (any number that tells processes
 * apart), for copies whose other side is `beside`; valid until ipc_import_end. NULL: refused, or the export
 * does not cover them, or all entries are in use. */
struct ipc_import *ipc_import_begin(int owner, const struct ipc_export *exported, uint64_t address,
                                    size_t bytes, const void *beside, const void **at);
void ipc_import_end(struct ipc_import *b);

/* Closes what the owner exported; all imports. */
void ipc_forget(int owner);
void ipc_forget_all(void);

/* How many imports are open now; how often a driver was asked to import since the beginning. */
int ipc_import_count(void);
unsigned long ipc_import_calls(void);

#endif
