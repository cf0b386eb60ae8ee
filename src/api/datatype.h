/* Bodies of MPI_Type_X that need the API's own types. */
#ifndef API_DATATYPE_H
#define API_DATATYPE_H

#include "datatype/datatype.h"

int api_type_get_envelope(struct datatype *type, int *integers, int *addresses, int *datatypes,
                          int *combiner);
int api_type_get_envelope_c(struct datatype *type, MPI_Count *integers, MPI_Count *addresses,
                            MPI_Count *large_counts, MPI_Count *datatypes, int *combiner);
int api_type_get_contents(struct datatype *type, int max_integers, int max_addresses, int max_datatypes,
                          int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]);
int api_type_get_contents_c(struct datatype *type, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                            MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype datatypes[]);
/* That of MPI_DATATYPE_NULL, too. */
int api_type_get_name(MPI_Datatype handle, char *name, int *length);
int api_type_create_struct(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                           const MPI_Datatype handles[], struct datatype **type);
int api_type_create_darray(bool large, int size, int rank, int ndims, struct counts gsizes,
                           const int distribs[], const int dargs[], const int psizes[], int order,
                           struct datatype *of, struct datatype **type);

#endif
