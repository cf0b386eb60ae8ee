/* construct: a datatype under construction. */
#ifndef DATATYPE_CONSTRUCT_H
#define DATATYPE_CONSTRUCT_H

#include "datatype/contents.h"
#include "datatype/datatype.h"
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
