/* handle: handles whose kind is only known as the program runs (see object/object.h for what a handle is). Each noun finds
 * its own: comm_find, datatype_find, ... */
#ifndef API_HANDLE_H
#define API_HANDLE_H

#include "object/object.h"

/* The live object of a kind and word, NULL if there is none. */
void *handle_find(enum object_kind kind, uint64_t word);

/* The null handle of a kind. */
uint64_t handle_null(enum object_kind kind);

/* Bodies of MPI_X_toint and MPI_X_fromint. What is no handle of this kind raises the kind's error class and
 * gives 0; what is no such integer gives the null handle after raising. */
int handle_to_int(uint64_t word, enum object_kind kind);
uint64_t handle_from_int(int value, enum object_kind kind);

#endif
