/* cxx: between the library of an ABI's C procedures and that of its C++ bindings, which calls user functions that are in C++. */
#ifndef FOREIGN_CXX_CXX_H
#define FOREIGN_CXX_CXX_H

#include <stdbool.h>
#include <stdint.h>

typedef void cxx_function(void); /* a user function of any type */

enum cxx_kind {
    CXX_COMM,
    CXX_WIN,
    CXX_FILE,
    CXX_KINDS
};

/* The library of C++ says once, when it is loaded, how user functions are called. */
struct cxx_calls {
    void (*operation)(void *in, void *inout, int *length, void *type, cxx_function *function);
    /* of an error handler that inkling_cxx_handler has made; object: a pointer to its handle */
    void (*handler)(enum cxx_kind kind, void *object, int *code, cxx_function *function);
    void (*raise)(
        int code); /* of MPI::ERRORS_THROW_EXCEPTIONS; NULL: the program's own part of the bindings throws */
};

/* Of an operation that was made of cxx_calls.operation: MPI_Op in the ABI's own types, F_Op in foreign/. */
#ifdef FOREIGN_FOREIGN_H
typedef F_Op cxx_op;
#else
#include <mpi.h>
typedef MPI_Op cxx_op;
#endif

#define CXX_SHARED __attribute__((visibility("default")))
CXX_SHARED void inkling_cxx_calls(const struct cxx_calls *calls);
/* That operation calls the function. Open MPI's headers know it as ompi_op_set_cxx_callback. */
CXX_SHARED void inkling_cxx_operation(cxx_op op, cxx_function *function);
/* errhandler: where the handle goes. Returns as MPI_Comm_create_errhandler. */
CXX_SHARED int inkling_cxx_handler(enum cxx_kind kind, cxx_function *function, void *errhandler);

/* Whether what this thread's last error has run is the handler of this object, by its handle, for this error. Once. */
CXX_SHARED bool inkling_cxx_was_handled(enum cxx_kind kind, uint64_t object, int code);

#endif
