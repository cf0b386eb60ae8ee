/* construct: a datatype under construction. */
#ifndef DATATYPE_CONSTRUCT_H
#define DATATYPE_CONSTRUCT_H

#include "datatype/contents.h"
#include "datatype/shape.h"

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

#endif
