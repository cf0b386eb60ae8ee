/* shape: bounds, size, alignment and layouts that a constructor computes from the parts of a datatype
 * (MPI-5.0 section 5.1).
 *
 * The bounds are those of the standard's type map. The data alone determines the true bounds. Markers (of
 * MPI_Type_create_resized and of arrays) determine lb and ub where there are any. Elsewhere the data does,
 * and the extent is rounded up to the strictest alignment. What that added to a part counts in the whole, as in a C
 * struct of structs: the whole does not end before its parts do, also where they begin at odd addresses.
 */
#ifndef DATATYPE_SHAPE_H
#define DATATYPE_SHAPE_H

#include "datatype/datatype.h"

struct shape {
    MPI_Count size, alignment;
    MPI_Count true_lb, true_ub; /* when size > 0 */
    MPI_Count end;              /* the same as true_ub, with what was added to the extents of the parts */
    MPI_Count lb, ub;           /* the markers, if is_marked */
    bool is_marked;
    struct layout *plain, *typed; /* owned; the same layout when all values are of one type */
};

/* Makes an empty shape. is_mixed: the values will be of several types. */
int shape_start(struct shape *shape, bool is_mixed);
void shape_free(struct shape *shape);

/* The shape of a datatype. It takes no references to the layouts. */
struct shape shape_of(const struct datatype *type);

/* Adds `count` copies of a part, `stride` bytes apart. MPI_ERR_COUNT when sizes or bounds overflow. */
int shape_add(struct shape *shape, MPI_Count at, MPI_Count count, MPI_Count stride, const struct shape *part);
/* Sets the markers and drops the old ones. */
void shape_mark(struct shape *shape, MPI_Count lb, MPI_Count ub);

/* The bounds that the shape has as a datatype; the extent is the distance between items in bytes. */
MPI_Count shape_lb(const struct shape *shape);
MPI_Count shape_extent(const struct shape *shape);

/* Gives size, bounds and layouts to the type. */
void shape_finish(struct shape *shape, struct datatype *type);

/* x * y; MPI_ERR_COUNT on overflow. */
int shape_multiply(MPI_Count x, MPI_Count y, MPI_Count *product);

#endif
