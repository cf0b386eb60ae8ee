/* rebuild: the same constructors on other predefined types, as a machine would build a type whose values have
 * other sizes. */
#ifndef DATATYPE_REBUILD_H
#define DATATYPE_REBUILD_H

#include "datatype/datatype.h"

/* Gives what stands for a predefined type, with a reference. */
typedef int rebuild_fn(const void *state, struct datatype *predefined, struct datatype **instead);

/* Byte displacements, strides and bounds that the program gave stay; all else follows from the new sizes. The
 * result is committed, and has a reference; it is the type itself if no predefined type in it was replaced. */
int datatype_rebuild(struct datatype *type, rebuild_fn *replace, const void *state,
                     struct datatype **rebuilt);

#endif
