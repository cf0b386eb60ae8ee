/* Attributes: integers in Fortran, pointers in C (20.3.7).
 *
 * What Fortran sets is kept in a cell, and the attribute is the cell's address: C finds a pointer to an MPI_Aint, whose
 * first half is the int that MPI_ATTR_PUT sets. A value that is no cell was set in C, and is itself the integer. A cell
 * lives until a Fortran keyval's delete function, or the process, ends. */
#ifndef FORTRAN_ATTRIBUTES_H
#define FORTRAN_ATTRIBUTES_H

#include "user_functions.h"

int fortran_comm_create_keyval(fortran_function *copy, fortran_function *delete, int *keyval,
                               const MPI_Aint *state);
int fortran_type_create_keyval(fortran_function *copy, fortran_function *delete, int *keyval,
                               const MPI_Aint *state);
int fortran_win_create_keyval(fortran_function *copy, fortran_function *delete, int *keyval,
                              const MPI_Aint *state);
int fortran_keyval_create(fortran_function *copy, fortran_function *delete, int *keyval, const int *state);
int fortran_comm_set_attribute(const int *comm, const int *keyval, const MPI_Aint *value);
int fortran_type_set_attribute(const int *type, const int *keyval, const MPI_Aint *value);
int fortran_win_set_attribute(const int *win, const int *keyval, const MPI_Aint *value);
int fortran_comm_get_attribute(const int *comm, const int *keyval, MPI_Aint *value, int *flag);
int fortran_type_get_attribute(const int *type, const int *keyval, MPI_Aint *value, int *flag);
int fortran_win_get_attribute(const int *win, const int *keyval, MPI_Aint *value, int *flag);
int fortran_attr_put(const int *comm, const int *keyval, const int *value);
int fortran_attr_get(const int *comm, const int *keyval, int *value, int *flag);

#endif
