/* handle: handles whose kind is known only at run time. object/object.h says what a handle is. Each noun
 * finds its own: comm_find, datatype_find, ... */
#ifndef API_HANDLE_H
#define API_HANDLE_H

#include "object/object.h"

/* The live object of a kind and word; NULL if there is none. */
void *handle_find(enum object_kind kind, uint64_t word);

/* The null handle of a kind. */
uint64_t handle_null(enum object_kind kind);

/* Bodies of MPI_X_toint and MPI_X_fromint. For a word that is no handle of this kind, handle_to_int raises
 * the kind's error class and returns 0. For an integer that no handle has, handle_from_int raises it and
 * returns the null handle. */
int handle_to_int(uint64_t word, enum object_kind kind);
uint64_t handle_from_int(int value, enum object_kind kind);

/* handle_names: the names of the standard's constants, made by gen/ from api/constants.txt. */

struct handle_name {
    unsigned value;
    const char *name;
};

/* The predefined handles, such as 0x101 "MPI_COMM_WORLD". A NULL name ends the list. */
extern const struct handle_name handle_names[];

#endif
