/* error: error classes and codes, and their texts (MPI-5.0 sections 9.4 and 9.5).
 *
 * The predefined classes are data. The program may add classes, codes of a class, and texts for both. These
 * get the lowest free numbers above MPI_ERR_LASTCODE. All of it is local to the process and may be used at
 * any time from any thread: one lock, always taken.
 */
#ifndef OBJECT_ERROR_H
#define OBJECT_ERROR_H

#include "object/object.h"

/* MPI_LASTUSEDCODE: the highest number in use, at least MPI_ERR_LASTCODE. The attribute gives out its address. */
extern int error_last_used;

/* The constant's name; NULL if the number is not a predefined class. */
const char *error_name(int error_class);

int error_add_class(int *error_class);
int error_add_code(int error_class, int *code);
int error_add_string(int code, const char *text);
/* Removed in the order string, code, class. What others still depend on cannot be removed: MPI_ERR_ARG. */
int error_remove_class(int error_class);
int error_remove_code(int code);
int error_remove_string(int code);

int error_get_class(int code, int *error_class);
/* The text of MPI_Error_string, at most MPI_MAX_ERROR_STRING - 1 characters. For a predefined class that the
 * calling thread failed with last: "NAME: description: note". */
int error_get_string(int code, char *text, int *length);

#endif
