/* value_index: the types of a value and an index that MPI_Type_get_value_index makes (MPI-5.0 section 6.9.4): predefined, without a
 * name, of this process alone. Other processes know one by its parts. */
#ifndef DATATYPE_VALUE_INDEX_H
#define DATATYPE_VALUE_INDEX_H

#include "datatype/datatype.h"

/* The named types of both parts. False: `type` is no such pair. */
bool value_index_parts(const struct datatype *type, struct datatype **value, struct datatype **index);
/* Where the index is, in bytes behind the value's address. */
MPI_Count value_index_place(const struct datatype *value, const struct datatype *index);

#endif
