/* datarep: representations of data in files (MPI-5.0 section 14.5).
 *
 * "native" and "internal" are the bytes of memory. "external32" is converted by datatype/external.c; the program's
 * own (MPI_Register_datarep) by its functions. Representations are registered for the life of the process.
 *
 * A datatype in the file: where a predefined type has another size there, datarep_type builds the type again from
 * values of that size, as the same calls would on a machine with such values. Byte displacements stay as they are.
 */
#ifndef FILE_DATAREP_H
#define FILE_DATAREP_H

#include "datatype/datatype.h"

struct datarep;

/* The one that a file has first. */
const struct datarep *datarep_native(void);
/* MPI_ERR_UNSUPPORTED_DATAREP when there is none of this name. */
int datarep_find(const char *name, const struct datarep **datarep);
const char *datarep_name(const struct datarep *datarep);

/* Whether bytes in the file differ from those in memory, when they are written or read. */
bool datarep_converts(const struct datarep *datarep, bool is_write);
/* Whether callbacks of the program convert. */
bool datarep_is_programs(const struct datarep *datarep);

/* The type as it lies in the file, with a reference. Calls the program's extent function. */
int datarep_type(const struct datarep *datarep, struct datatype *type, struct datatype **in_file);

/* Converts all items; `in_file` has room for them without gaps. */
int datarep_write(const struct datarep *datarep, const struct user_buffer *items, void *in_file,
                  MPI_Count bytes);
/* Converts the whole values among the first `bytes` bytes of what was read. */
int datarep_read(const struct datarep *datarep, const void *in_file, MPI_Count bytes, MPI_Count item_bytes,
                 const struct user_buffer *items);
/* The bytes in memory of the whole values among these bytes in the file. item_bytes: of one item in the file. */
MPI_Count datarep_memory_bytes(const struct datatype *type, MPI_Count item_bytes, MPI_Count bytes);

/* Body of MPI_Register_datarep and its _c form: of each pair of functions one is NULL. */
int datarep_register(const char *name, MPI_Datarep_conversion_function *read,
                     MPI_Datarep_conversion_function_c *read_c, MPI_Datarep_conversion_function *write,
                     MPI_Datarep_conversion_function_c *write_c, MPI_Datarep_extent_function *extent,
                     void *extra_state);

#endif
