/* attachment: the memory of a dynamic window (MPI-5.0 section 12.2.4).
 *
 * Each rank keeps a list of its attachments. A rank that has shared memory also shows all of them in a table there, so
 * origins refuse what is not attached. The first ATTACHMENTS_SHOWN are behind its control block, more in a block of its
 * heap, which a larger one may replace. Such blocks stay until the window is freed, since an origin may still read
 * one. A target that serves messages looks at its list, and counts the operations that use an attachment, since the
 * agent goes on with an operation after it has begun: such memory is not detached. Loads, stores and copies of origins are
 * complete when their calls return, and are not counted.
 *
 * Owner of the shared table: its rank, under the window's lock. `version` is odd while it writes. A reader
 * loads it, acquire, before and after, and reads again where they differ. A writer that has died leaves it odd for
 * ever; its readers check whether it is lost.
 */
#ifndef WIN_ATTACHMENT_H
#define WIN_ATTACHMENT_H

#include "win/target.h"

enum {
    ATTACHMENTS_SHOWN = 60
};

struct attachment {
    _Atomic uint64_t first, bytes; /* relaxed */
};

struct attachments_shown {
    _Alignas(64) _Atomic uint32_t version;
    _Atomic uint32_t count; /* relaxed */
    _Atomic uint64_t
        more; /* where those behind the first ATTACHMENTS_SHOWN are, in the rank's memory; relaxed */
    struct attachment at[ATTACHMENTS_SHOWN];
};

/* Bodies of MPI_Win_attach and _detach. */
int win_attach(struct win *win, void *base, MPI_Aint size);
int win_detach(struct win *win, const void *base);

/* Of a new dynamic window. Where it has shared control blocks, the shared tables are behind them. */
int attachment_open(struct win *win);
void attachment_close(struct win *win);

/* Where a target is whose rank, address, count and type are set; its data span so many bytes, from `begin` on, not none. They
 * may lie in any number of attachments, side by side or not. MPI_ERR_RMA_RANGE: the rank has not attached all of them, as far
 * as this process can see. Or the loss of the rank while it changed its table, or no room to map that. */
int attachment_find(struct target *t, MPI_Count begin, size_t bytes);
/* The same for a part of a target that was found: `bytes` bytes without gaps at t->address. */
void attachment_find_part(struct target *t, size_t bytes);
/* As attachment_find, for the agent that begins to use this rank's memory; nothing there is detached until it has done so. */
int attachment_use(struct target *t);
void attachment_end_use(const struct target *t);

#endif
