/* Objects of the C++ bindings, of any class: a table of virtual functions, which may be the program's own, then a handle. The tables are by the
 * names that g++ gives them; what is known of the type is in the two words before the first function. */
#ifndef FOREIGN_CXX_OBJECTS_H
#define FOREIGN_CXX_OBJECTS_H

#include <mpi.h>

#include "foreign/cxx/cxx.h"

#include <stdbool.h>
#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

struct cxx_Comm {
    const void *functions;
    MPI_Comm handle;
};
struct cxx_Datatype {
    const void *functions;
    MPI_Datatype handle;
};
struct cxx_Errhandler {
    const void *functions;
    MPI_Errhandler handle;
};
struct cxx_File {
    const void *functions;
    MPI_File handle;
};
struct cxx_Group {
    const void *functions;
    MPI_Group handle;
};
struct cxx_Info {
    const void *functions;
    MPI_Info handle;
};
struct cxx_Op {
    const void *functions;
    MPI_Op handle;
};
struct cxx_Request {
    const void *functions;
    MPI_Request handle;
};
struct cxx_Win {
    const void *functions;
    MPI_Win handle;
};
struct cxx_Status {
    const void *functions;
    MPI_Status status;
};

extern const void *const intracomm_table[] __asm__("_ZTVN3MPI9IntracommE");
extern const void *const intercomm_table[] __asm__("_ZTVN3MPI9IntercommE");
extern const void *const cartcomm_table[] __asm__("_ZTVN3MPI8CartcommE");
extern const void *const graphcomm_table[] __asm__("_ZTVN3MPI9GraphcommE");
extern const void *const datatype_table[] __asm__("_ZTVN3MPI8DatatypeE");
extern const void *const errhandler_table[] __asm__("_ZTVN3MPI10ErrhandlerE");
extern const void *const file_table[] __asm__("_ZTVN3MPI4FileE");
extern const void *const request_table[] __asm__("_ZTVN3MPI8GrequestE");
extern const void *const status_table[] __asm__("_ZTVN3MPI6StatusE");
extern const void *const win_table[] __asm__("_ZTVN3MPI3WinE");

/* The communicator as an object of its class. */
struct cxx_Comm cxx_comm(MPI_Comm comm);
struct cxx_Datatype cxx_datatype(MPI_Datatype type);

/* What a key of attributes calls: functions in C++, or in C; NULL: not that one. */
struct cxx_keyval {
    cxx_function *copy, *delete, *c_copy, *c_delete;
    void *extra_state;
};
/* As MPI_X_create_keyval. */
int cxx_comm_keyval(const struct cxx_keyval *functions, int *keyval);
int cxx_type_keyval(const struct cxx_keyval *functions, int *keyval);
int cxx_win_keyval(const struct cxx_keyval *functions, int *keyval);

/* What a data representation calls; NULL for read or write: MPI_CONVERSION_FN_NULL. */
struct cxx_datarep {
    cxx_function *read, *write, *extent;
    void *extra_state;
    bool is_void; /* they return no error */
};
int cxx_datarep(const char *name, const struct cxx_datarep *functions); /* as MPI_Register_datarep */

/* Calls the query function of a request of the program's. */
int cxx_query(cxx_function *query, void *extra_state, MPI_Status *status);

/* For cxx_calls (cxx.h). */
void cxx_operation(void *in, void *inout, int *length, void *type, cxx_function *function);
void cxx_handler(enum cxx_kind kind, void *object, int *code, cxx_function *function);

/* A procedure that the library of bindings has called has returned an error. */
void cxx_failed_on_comm(const struct cxx_Comm *comm, int error);
void cxx_failed_on_win(const struct cxx_Win *win, int error);
void cxx_failed_on_file(const struct cxx_File *file, int error);
void cxx_failed(int error); /* elsewhere */

/* Memory of the program's, as operator new and delete have it. */
void *cxx_new(size_t size);
void cxx_delete(void *memory);
/* Throws an MPI::Exception of `size` bytes, of which `end` is the destructor. */
_Noreturn void cxx_throw(const void *exception, size_t size, void (*end)(void *));

#endif
