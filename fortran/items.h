/* What datatypes are made of; items of a datatype with gaps on the row of an array section's elements. */
#ifndef FORTRAN_ITEMS_H
#define FORTRAN_ITEMS_H

#include "section.h"

/* The datatypes from which a derived one was made, by its constructor: from malloc, as many as *types, each to be dropped. NULL:
 * it is predefined, or there is no memory. */
MPI_Datatype *items_inner(MPI_Datatype type, MPI_Count *types, int *combiner);
void items_drop(MPI_Datatype inner);

/* Makes a datatype of `count` items of `type`, which lie within the row: one of it, at the section's address, is the same data in
 * the same order. It is made of the basic datatype of `type`, where that has a single one, which fits into the elements; else of
 * bytes. What is wrong has been raised. */
int items_type(const struct section *section, MPI_Count count, MPI_Datatype type, MPI_Datatype *made);

#endif
