/* buffer_overlap: whether a collective would write what it reads, when both buffers begin at the same
 * address.
 *
 * The standard forbids that the buffers share bytes. It does not forbid that they share an address:
 * displacements or types with gaps may select different parts of one array. Only cheap checks are made. The
 * call runs unless they prove an overlap.
 */
#ifndef API_BUFFER_OVERLAP_H
#define API_BUFFER_OVERLAP_H

#include "datatype/datatype.h"

/* One buffer: one part for each of several ranks, or a single part. */
struct overlap_side {
    int parts;
    MPI_Count each;               /* the single part: items */
    struct counts counts, displs; /* several parts: items of each, and displacements in items */
    const struct datatype *type;
    const MPI_Datatype *types; /* each part's own type, displacements in bytes; NULL: all have `type` */
};

/* Whether the two certainly have a byte in common. */
bool buffer_overlap_is_certain(const struct overlap_side *a, const struct overlap_side *b);

#endif
