/* The functions of Open MPI's C++ bindings that are not in its headers, as far as they are more than names (gen/foreign_cxx.py):
 * a program brings the rest with it. By the names that g++ gives them. */
#include <mpi.h>

#define EXPORTED __attribute__((visibility("default")))

/* An object of any class: a table of its virtual functions, then its handle. */
struct communicator {
    const void *functions;
    MPI_Comm handle;
};
struct datatype {
    const void *functions;
    MPI_Datatype handle;
};
struct window {
    const void *functions;
    MPI_Win handle;
};
struct file {
    const void *functions;
    MPI_File handle;
};

extern const void *const comm_functions[] __asm__("_ZTVN3MPI4CommE");

/* MPI::Comm::Comm(), of a whole object and of a part of one. */
EXPORTED void comm_make(struct communicator *comm) __asm__("_ZN3MPI4CommC2Ev");
EXPORTED void comm_make_whole(struct communicator *comm) __asm__("_ZN3MPI4CommC1Ev")
    __attribute__((alias("_ZN3MPI4CommC2Ev")));
void comm_make(struct communicator *comm)
{
    comm->functions = comm_functions + 2; /* behind what is known of the type */
    comm->handle = MPI_COMM_NULL;
}

/* MPI::Comm::Comm(const MPI::Comm_Null &) */
EXPORTED void comm_copy(struct communicator *comm,
                        const struct communicator *from) __asm__("_ZN3MPI4CommC2ERKNS_9Comm_NullE");
EXPORTED void comm_copy_whole(struct communicator *comm,
                              const struct communicator *from) __asm__("_ZN3MPI4CommC1ERKNS_9Comm_NullE")
    __attribute__((alias("_ZN3MPI4CommC2ERKNS_9Comm_NullE")));
void comm_copy(struct communicator *comm, const struct communicator *from)
{
    comm->functions = comm_functions + 2;
    comm->handle = from->handle;
}

/* MPI::InitializeIntercepts(), which MPI::Init calls in the headers: there is nothing to prepare. */
EXPORTED void prepare(void) __asm__("_ZN3MPI20InitializeInterceptsEv");
void prepare(void)
{
}

/* MPI::Datatype::Free(), MPI::Win::Free(), MPI::File::Close() */
EXPORTED void datatype_free(struct datatype *type) __asm__("_ZN3MPI8Datatype4FreeEv");
void datatype_free(struct datatype *type)
{
    MPI_Type_free(&type->handle);
}
EXPORTED void window_free(struct window *win) __asm__("_ZN3MPI3Win4FreeEv");
void window_free(struct window *win)
{
    MPI_Win_free(&win->handle);
}
EXPORTED void file_close(struct file *file) __asm__("_ZN3MPI4File5CloseEv");
void file_close(struct file *file)
{
    MPI_File_close(&file->handle);
}
