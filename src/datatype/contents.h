/* contents: the arguments that a datatype was built with, for MPI_Type_get_envelope and
 * MPI_Type_get_contents.
 *
 * The large-count form of a constructor puts its counts, displacements and extents among the large counts.
 * The other form puts counts among the integers and byte displacements among the addresses. Contents are
 * constant after construction and shared by reference count.
 */
#ifndef DATATYPE_CONTENTS_H
#define DATATYPE_CONTENTS_H

#include "base/counts.h"
#include "datatype/datatype.h"

struct contents {
    _Atomic int refs;
    bool large;
    MPI_Count integers, addresses, large_counts, datatypes; /* how many there are already */
    int *integer;
    MPI_Aint *address;
    MPI_Count *large_count;
    struct datatype **datatype; /* referenced */
};

/* Makes contents with room for this many arguments: plain integers, counts, extents, datatypes. NULL: no memory. */
struct contents *contents_new(bool large, MPI_Count integers, MPI_Count counts, MPI_Count extents,
                              MPI_Count datatypes);
void contents_ref(struct contents *c);
void contents_unref(struct contents *c); /* NULL is fine */

/* In the order of the constructor's parameters. */
void contents_add_integers(struct contents *c, const int *values, MPI_Count n);
void contents_add_integer(struct contents *c, int value);
void contents_add_counts(struct contents *c, struct counts values, MPI_Count n);
void contents_add_count(struct contents *c, MPI_Count value);
void contents_add_extents(struct contents *c, struct counts values, MPI_Count n);
void contents_add_extent(struct contents *c, MPI_Count value);
void contents_add_datatypes(struct contents *c, struct datatype *const *types, MPI_Count n);

#endif
