/* buffer_overlap: whether a collective would write what it reads, when both buffers begin at the same address.
 *
 * The standard forbids that the buffers share bytes, and not that they share an address: the parts of one
 * array may be sent and others received, by displacements or by types with gaps. Asked is only what can be
 * told cheaply; where that is nothing, the call runs. */
#ifndef API_BUFFER_OVERLAP_H
#define API_BUFFER_OVERLAP_H

#include "datatype/datatype.h"

/* One buffer: a part for each of so many ranks, or a single one. */
struct overlap_side {
    int parts;
    MPI_Count each;               /* items of the single part, */
    struct counts counts, displs; /* or of each, and where it is: in items, */
    const struct datatype *type;
    const MPI_Datatype *types; /* or, where each has a type of its own, in bytes; NULL: all have `type` */
};

/* Whether it is certain that the two have a byte in common. */
bool buffer_overlap_is_certain(const struct overlap_side *a, const struct overlap_side *b);

#endif
