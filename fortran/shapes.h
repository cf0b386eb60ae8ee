/* Datatypes of array sections with gaps, for the next section of the same shape: what was made and committed for one message.
 *
 * Only datatypes of predefined ones are here, whose handles always mean the same. A shape belongs to the call that has taken it out
 * of the table, and that gives it back behind its use. So no thread meets one that another uses or frees; two that send the same
 * shape at once have one each, and the last one given back stays. What else lies in its place then is freed.
 *
 * A delete callback on MPI_COMM_SELF, which MPI_Finalize calls first, frees all. A program with sessions alone has no such
 * communicator, and shapes_add keeps nothing. */
#ifndef FORTRAN_SHAPES_H
#define FORTRAN_SHAPES_H

#include "convert.h"

#define SHAPE_RANKS 15 /* Fortran has no more dimensions */

struct shape {
    MPI_Datatype made;
    MPI_Datatype type; /* this and the rest is what `made` is the datatype of */
    MPI_Count count;
    size_t length; /* of an element */
    int rank;
    struct {
        ptrdiff_t extent, stride;
    } dim[SHAPE_RANKS];
};

struct section;

/* A shape is the caller's until shapes_give. NULL: there is none. */
struct shape *shapes_take(const struct section *section, MPI_Count count, MPI_Datatype type);
struct shape *shapes_add(const struct section *section, MPI_Count count, MPI_Datatype type,
                         MPI_Datatype made);
void shapes_give(struct shape *shape);

#endif
