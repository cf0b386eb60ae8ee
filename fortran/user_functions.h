/* User functions that are written in Fortran: operations, error handlers, data representations, generalized requests.
 *
 * C hands an extra state on to most functions; there the Fortran functions are kept. Operations and error handlers get none:
 * each distinct Fortran function gets a slot, that is, a C function of its own (slots.c), for good. */
#ifndef FORTRAN_USER_FUNCTIONS_H
#define FORTRAN_USER_FUNCTIONS_H

#include "convert.h"

typedef void fortran_function(void); /* of whatever arguments */

/* The extra state of a program's functions. They get the value that the starting call had: it is an IN argument, so the variable
 * may be gone by then. What one of them stores in its argument the next one gets, and the program's variable as well, since
 * programs read it there. The standard lets it: an IN argument is not updated "during the call's execution" (3.3), and the
 * functions run later. */
struct extra_state {
    MPI_Aint value;
    void *variable;
    bool is_default_integer; /* what variable is: that of MPI_KEYVAL_CREATE, or an MPI_Aint */
};

struct extra_state extra_state_of(const MPI_Aint *variable);
struct extra_state extra_state_of_default(const int *variable);
/* Behind a function: what it has left in its argument. */
void extra_state_put(struct extra_state *state, MPI_Aint value);

int fortran_op_create(fortran_function *function, const int *commute, int *op);
int fortran_op_create_large(fortran_function *function, const int *commute, int *op);
int fortran_comm_create_errhandler(fortran_function *function, int *errhandler);
int fortran_file_create_errhandler(fortran_function *function, int *errhandler);
int fortran_win_create_errhandler(fortran_function *function, int *errhandler);
int fortran_session_create_errhandler(fortran_function *function, int *errhandler);
int fortran_grequest_start(fortran_function *query, fortran_function *free, fortran_function *cancel,
                           const MPI_Aint *state, int *request, const void *caller);
int fortran_register_datarep(const char *name, fortran_function *read, fortran_function *write,
                             fortran_function *extent, const MPI_Aint *state, size_t name_length);
int fortran_register_datarep_large(const char *name, fortran_function *read, fortran_function *write,
                                   fortran_function *extent, const MPI_Aint *state, size_t name_length);

#endif
