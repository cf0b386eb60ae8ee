/* construct: what constructors of datatypes work with: the arguments, which are kept, the shape, which is computed of the parts'
 * shapes, and both together, a datatype under construction. */
#ifndef DATATYPE_CONSTRUCT_H
#define DATATYPE_CONSTRUCT_H

#include "base/counts.h"
#include "datatype/datatype.h"

/* contents: the arguments that a datatype was built with, for MPI_Type_get_envelope and
 * MPI_Type_get_contents.
 *
 * The large-count form of a constructor puts its counts, displacements and extents among the large counts.
 * The other form puts counts among the integers and byte displacements among the addresses. Contents are
 * constant after construction and shared by reference count.
 */

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

/* shape: bounds, size, alignment and layouts that a constructor computes from the parts of a datatype
 * (MPI-5.0 section 5.1).
 *
 * The bounds are those of the standard's type map. The data alone determines the true bounds. Markers (of
 * MPI_Type_create_resized and of arrays) determine lb and ub where there are any. Elsewhere the data does,
 * and the extent is rounded up to the strictest alignment. What that added to a part counts in the whole, as in a C
 * struct of structs: the whole does not end before its parts do, also where they begin at odd addresses.
 */

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

/* A datatype under construction. */
struct construct {
    int combiner;
    struct contents *contents; /* owned */
    struct shape shape;
    struct datatype *basic; /* the one type of all values, NULL when there are several */
};

/* Begins a type built from `parts`. Consumes its contents, even on error (NULL: no memory). */
int construct_start(struct construct *c, int combiner, struct contents *contents,
                    struct datatype *const *parts, MPI_Count n);
/* Makes the type, or on error releases what construct_start made. */
int construct_finish(struct construct *c, int error, struct datatype **type);
/* Makes a type with the layout of another. Consumes contents. */
int construct_same(int combiner, struct contents *contents, struct datatype *of, struct datatype **type);

/* How a datatype was built (MPI-5.0 section 5.1.13), and the constructors that take handles of
 * datatypes. */

int datatype_get_envelope(struct datatype *type, int *integers, int *addresses, int *datatypes,
                          int *combiner);
int datatype_get_envelope_c(struct datatype *type, MPI_Count *integers, MPI_Count *addresses,
                            MPI_Count *large_counts, MPI_Count *datatypes, int *combiner);
int datatype_get_contents(struct datatype *type, int max_integers, int max_addresses, int max_datatypes,
                          int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]);
int datatype_get_contents_c(struct datatype *type, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                            MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype datatypes[]);
int datatype_struct_of_handles(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                               const MPI_Datatype handles[], struct datatype **type);
int datatype_create_darray(bool large, int size, int rank, int ndims, struct counts gsizes,
                           const int distribs[], const int dargs[], const int psizes[], int order,
                           struct datatype *of, struct datatype **type);

#endif
