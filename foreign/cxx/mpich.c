/* The functions of MPICH's C++ bindings that are not in its headers, as far as they are more than names (gen/foreign_cxx.py): a
 * program brings the rest with it. By the names that g++ gives them. Errors have met the handler of the object in the call itself. */
#include <mpi.h>

#include <stdbool.h>

#define EXPORTED __attribute__((visibility("default")))

/* An object of any class: a table of its virtual functions, then its handle. */
struct object {
    const void *functions;
    int handle;
};
struct file {
    const void *functions;
    MPI_File handle;
};

EXPORTED void init(int *argc, char ***argv) __asm__("_ZN3MPI4InitERiRPPc");
void init(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
}

EXPORTED void init_without(void) __asm__("_ZN3MPI4InitEv");
void init_without(void)
{
    MPI_Init(NULL, NULL);
}

EXPORTED int init_thread(int *argc, char ***argv, int required) __asm__("_ZN3MPI11Init_threadERiRPPci");
int init_thread(int *argc, char ***argv, int required)
{
    int provided;

    MPI_Init_thread(argc, argv, required, &provided);
    return provided;
}

EXPORTED int init_thread_without(int required) __asm__("_ZN3MPI11Init_threadEi");
int init_thread_without(int required)
{
    return init_thread(NULL, NULL, required);
}

EXPORTED void finalize(void) __asm__("_ZN3MPI8FinalizeEv");
void finalize(void)
{
    MPI_Finalize();
}

EXPORTED bool is_initialized(void) __asm__("_ZN3MPI14Is_initializedEv");
bool is_initialized(void)
{
    int flag;

    MPI_Initialized(&flag);
    return flag;
}

EXPORTED bool is_finalized(void) __asm__("_ZN3MPI12Is_finalizedEv");
bool is_finalized(void)
{
    int flag;

    MPI_Finalized(&flag);
    return flag;
}

EXPORTED int query_thread(void) __asm__("_ZN3MPI12Query_threadEv");
int query_thread(void)
{
    int provided;

    MPI_Query_thread(&provided);
    return provided;
}

EXPORTED bool is_thread_main(void) __asm__("_ZN3MPI14Is_thread_mainEv");
bool is_thread_main(void)
{
    int flag;

    MPI_Is_thread_main(&flag);
    return flag;
}

EXPORTED double wtime(void) __asm__("_ZN3MPI5WtimeEv");
double wtime(void)
{
    return MPI_Wtime();
}

EXPORTED double wtick(void) __asm__("_ZN3MPI5WtickEv");
double wtick(void)
{
    return MPI_Wtick();
}

EXPORTED void get_version(int *version, int *subversion) __asm__("_ZN3MPI11Get_versionERiS0_");
void get_version(int *version, int *subversion)
{
    MPI_Get_version(version, subversion);
}

EXPORTED void get_processor_name(char *name, int *length) __asm__("_ZN3MPI18Get_processor_nameEPcRi");
void get_processor_name(char *name, int *length)
{
    MPI_Get_processor_name(name, length);
}

EXPORTED MPI_Aint get_address(const void *location) __asm__("_ZN3MPI11Get_addressEPKv");
MPI_Aint get_address(const void *location)
{
    MPI_Aint address;

    MPI_Get_address(location, &address);
    return address;
}

EXPORTED void compute_dims(int nodes, int ndims, int *dims) __asm__("_ZN3MPI12Compute_dimsEiiPi");
void compute_dims(int nodes, int ndims, int *dims)
{
    MPI_Dims_create(nodes, ndims, dims);
}

EXPORTED void attach_buffer(void *buffer, int size) __asm__("_ZN3MPI13Attach_bufferEPvi");
void attach_buffer(void *buffer, int size)
{
    MPI_Buffer_attach(buffer, size);
}

EXPORTED int detach_buffer(void **buffer) __asm__("_ZN3MPI13Detach_bufferERPv");
int detach_buffer(void **buffer)
{
    int size;

    MPI_Buffer_detach(buffer, &size);
    return size;
}

EXPORTED void *alloc_mem(MPI_Aint size, const struct object *info) __asm__("_ZN3MPI9Alloc_memElRKNS_4InfoE");
void *alloc_mem(MPI_Aint size, const struct object *info)
{
    void *memory = NULL;

    MPI_Alloc_mem(size, info->handle, &memory);
    return memory;
}

EXPORTED void free_mem(void *memory) __asm__("_ZN3MPI8Free_memEPv");
void free_mem(void *memory)
{
    MPI_Free_mem(memory);
}

EXPORTED int get_error_class(int code) __asm__("_ZN3MPI15Get_error_classEi");
int get_error_class(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class;
}

EXPORTED void get_error_string(int code, char *string,
                               int *length) __asm__("_ZN3MPI16Get_error_stringEiPcRi");
void get_error_string(int code, char *string, int *length)
{
    MPI_Error_string(code, string, length);
}

EXPORTED int add_error_class(void) __asm__("_ZN3MPI15Add_error_classEv");
int add_error_class(void)
{
    int class;

    MPI_Add_error_class(&class);
    return class;
}

EXPORTED int add_error_code(int class) __asm__("_ZN3MPI14Add_error_codeEi");
int add_error_code(int class)
{
    int code;

    MPI_Add_error_code(class, &code);
    return code;
}

EXPORTED void add_error_string(int code, const char *string) __asm__("_ZN3MPI16Add_error_stringEiPKc");
void add_error_string(int code, const char *string)
{
    MPI_Add_error_string(code, string);
}

EXPORTED void call_world_handler(int code) __asm__("_ZN3MPI23MPIR_Call_world_errhandEi");
void call_world_handler(int code)
{
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
}

EXPORTED void call_comm_handler(const struct object *comm,
                                int code) __asm__("_ZNK3MPI4Comm15Call_errhandlerEi");
void call_comm_handler(const struct object *comm, int code)
{
    MPI_Comm_call_errhandler(comm->handle, code);
}

EXPORTED void call_window_handler(const struct object *win,
                                  int code) __asm__("_ZNK3MPI3Win15Call_errhandlerEi");
void call_window_handler(const struct object *win, int code)
{
    MPI_Win_call_errhandler(win->handle, code);
}

EXPORTED void call_file_handler(const struct file *file,
                                int code) __asm__("_ZNK3MPI4File15Call_errhandlerEi");
void call_file_handler(const struct file *file, int code)
{
    MPI_File_call_errhandler(file->handle, code);
}

EXPORTED void pack(const struct object *type, const void *in, int count, void *out, int size, int *position,
                   const struct object *comm) __asm__("_ZNK3MPI8Datatype4PackEPKviPviRiRKNS_4CommE");
void pack(const struct object *type, const void *in, int count, void *out, int size, int *position,
          const struct object *comm)
{
    MPI_Pack(in, count, type->handle, out, size, position, comm->handle);
}

EXPORTED void unpack(const struct object *type, const void *in, int size, void *out, int count, int *position,
                     const struct object *comm) __asm__("_ZNK3MPI8Datatype6UnpackEPKviPviRiRKNS_4CommE");
void unpack(const struct object *type, const void *in, int size, void *out, int count, int *position,
            const struct object *comm)
{
    MPI_Unpack(in, size, position, out, count, type->handle, comm->handle);
}

EXPORTED int pack_size(const struct object *type, int count,
                       const struct object *comm) __asm__("_ZNK3MPI8Datatype9Pack_sizeEiRKNS_4CommE");
int pack_size(const struct object *type, int count, const struct object *comm)
{
    int size;

    MPI_Pack_size(count, type->handle, comm->handle, &size);
    return size;
}

EXPORTED void open_port(const struct object *info, char *port) __asm__("_ZN3MPI9Open_portERKNS_4InfoEPc");
void open_port(const struct object *info, char *port)
{
    MPI_Open_port(info->handle, port);
}

EXPORTED void close_port(const char *port) __asm__("_ZN3MPI10Close_portEPKc");
void close_port(const char *port)
{
    MPI_Close_port(port);
}

EXPORTED void publish_name(const char *service, const struct object *info,
                           const char *port) __asm__("_ZN3MPI12Publish_nameEPKcRKNS_4InfoES1_");
void publish_name(const char *service, const struct object *info, const char *port)
{
    MPI_Publish_name(service, info->handle, port);
}

EXPORTED void lookup_name(const char *service, const struct object *info,
                          char *port) __asm__("_ZN3MPI11Lookup_nameEPKcRKNS_4InfoEPc");
void lookup_name(const char *service, const struct object *info, char *port)
{
    MPI_Lookup_name(service, info->handle, port);
}

EXPORTED void unpublish_name(const char *service, const struct object *info,
                             const char *port) __asm__("_ZN3MPI14Unpublish_nameEPKcRKNS_4InfoES1_");
void unpublish_name(const char *service, const struct object *info, const char *port)
{
    MPI_Unpublish_name(service, info->handle, port);
}
