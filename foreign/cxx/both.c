/* What the C++ bindings of both ABIs have, as far as it is more than a C procedure with other arguments (gen/cxx_binding.py). */
#include "foreign/cxx/objects.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without memory the job ends. */
static void *both_alloc(size_t size)
{
    void *memory = malloc(size);

    if (!memory) {
        fprintf(stderr, "inkling: no memory for the C++ bindings\n");
        exit(1);
    }
    return memory;
}

/* The C++ library of the program, which loads it. */
extern void *operator_new(size_t size) __asm__("_Znwm") __attribute__((weak));
extern void operator_delete(void *memory) __asm__("_ZdlPv") __attribute__((weak));
extern void *allocate_exception(size_t size) __asm__("__cxa_allocate_exception") __attribute__((weak));
extern _Noreturn void throw_exception(void *exception, const void *type,
                                      void (*end)(void *)) __asm__("__cxa_throw") __attribute__((weak));
extern const void *const exception_type[] __asm__("_ZTIN3MPI9ExceptionE");

void *cxx_new(size_t size)
{
    return operator_new ? operator_new(size) : both_alloc(size);
}

void cxx_delete(void *memory)
{
    if (operator_delete)
        operator_delete(memory);
    else
        free(memory);
}

/* Objects. */

struct cxx_Comm cxx_comm(MPI_Comm comm)
{
    int is_inter = 0, topology = MPI_UNDEFINED;

    if (comm != MPI_COMM_NULL)
        MPI_Comm_test_inter(comm, &is_inter);
    if (comm != MPI_COMM_NULL && !is_inter)
        MPI_Topo_test(comm, &topology);
    if (is_inter)
        return (struct cxx_Comm){intercomm_table + 2, comm};
    if (topology == MPI_CART)
        return (struct cxx_Comm){cartcomm_table + 2, comm};
    return (struct cxx_Comm){topology == MPI_GRAPH ? graphcomm_table + 2 : intracomm_table + 2, comm};
}

struct cxx_Datatype cxx_datatype(MPI_Datatype type)
{
    return (struct cxx_Datatype){datatype_table + 2, type};
}

/* Reductions. */

void cxx_operation(void *in, void *inout, int *length, void *type, cxx_function *function)
{
    struct cxx_Datatype object = cxx_datatype(*(MPI_Datatype *)type);

    ((void (*)(const void *, void *, int, const struct cxx_Datatype *))function)(in, inout, *length, &object);
}

/* Error handlers. */

void cxx_handler(enum cxx_kind kind, void *object, int *code, cxx_function *function)
{
    void (*handler)(void *, int *, ...) = (void (*)(void *, int *, ...))function;

    if (kind == CXX_COMM) {
        struct cxx_Comm comm = cxx_comm(*(MPI_Comm *)object);
        handler(&comm, code);
    } else if (kind == CXX_WIN) {
        struct cxx_Win win = {win_table + 2, *(MPI_Win *)object};
        handler(&win, code);
    } else {
        struct cxx_File file = {file_table + 2, *(MPI_File *)object};
        handler(&file, code);
    }
}

EXPORTED struct cxx_Errhandler *
comm_errhandler(struct cxx_Errhandler *out,
                cxx_function *function) __asm__("_ZN3MPI4Comm17Create_errhandlerEPFvRS0_PizE");
struct cxx_Errhandler *comm_errhandler(struct cxx_Errhandler *out, cxx_function *function)
{
    *out = (struct cxx_Errhandler){errhandler_table + 2, MPI_ERRHANDLER_NULL};
    inkling_cxx_handler(CXX_COMM, function, &out->handle);
    return out;
}

EXPORTED struct cxx_Errhandler *
win_errhandler(struct cxx_Errhandler *out,
               cxx_function *function) __asm__("_ZN3MPI3Win17Create_errhandlerEPFvRS0_PizE");
struct cxx_Errhandler *win_errhandler(struct cxx_Errhandler *out, cxx_function *function)
{
    *out = (struct cxx_Errhandler){errhandler_table + 2, MPI_ERRHANDLER_NULL};
    inkling_cxx_handler(CXX_WIN, function, &out->handle);
    return out;
}

EXPORTED struct cxx_Errhandler *
file_errhandler(struct cxx_Errhandler *out,
                cxx_function *function) __asm__("_ZN3MPI4File17Create_errhandlerEPFvRS0_PizE");
struct cxx_Errhandler *file_errhandler(struct cxx_Errhandler *out, cxx_function *function)
{
    *out = (struct cxx_Errhandler){errhandler_table + 2, MPI_ERRHANDLER_NULL};
    inkling_cxx_handler(CXX_FILE, function, &out->handle);
    return out;
}

/* Exceptions. */

void cxx_throw(const void *exception, size_t size, void (*end)(void *))
{
    if (allocate_exception && throw_exception)
        throw_exception(memcpy(allocate_exception(size), exception, size), exception_type, end);
    fprintf(stderr,
            "inkling: MPI::ERRORS_THROW_EXCEPTIONS needs the C++ library libstdc++.so.6 in the process\n");
    exit(1);
}

/* Attributes. The state of a key lives as long as the process, since attributes outlive their key. */

struct kept_keyval {
    struct kept_keyval *next; /* of `keyvals`, so that those who look for leaks find it */
    struct cxx_keyval functions;
};
static struct kept_keyval *_Atomic keyvals; /* pushed with release; nobody reads the list */

static struct kept_keyval *keep_keyval(const struct cxx_keyval *functions)
{
    struct kept_keyval *k = both_alloc(sizeof *k);

    k->functions = *functions;
    k->next = atomic_load_explicit(&keyvals, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&keyvals, &k->next, k, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    return k;
}

static int copy_attribute(const struct cxx_keyval *k, const void *object, int keyval, void *in, void *out,
                          int *flag)
{
    int (*copy)(const void *, int, void *, void *, void *, bool *) =
        (int (*)(const void *, int, void *, void *, void *, bool *))k->copy;
    bool is_copied = false;
    int error = copy ? copy(object, keyval, k->extra_state, in, out, &is_copied) : MPI_SUCCESS;

    *flag = is_copied;
    return error;
}

static int delete_attribute(const struct cxx_keyval *k, void *object, int keyval, void *value)
{
    int (*delete)(void *, int, void *, void *) = (int (*)(void *, int, void *, void *))k->delete;

    return delete ? delete (object, keyval, value, k->extra_state) : MPI_SUCCESS;
}

static int copy_of_comm(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    const struct cxx_keyval *k = &((struct kept_keyval *)state)->functions;
    struct cxx_Comm object;

    if (k->c_copy)
        return ((MPI_Comm_copy_attr_function *)k->c_copy)(comm, keyval, k->extra_state, in, out, flag);
    object = cxx_comm(comm);
    return copy_attribute(k, &object, keyval, in, out, flag);
}

static int deletion_of_comm(MPI_Comm comm, int keyval, void *value, void *state)
{
    const struct cxx_keyval *k = &((struct kept_keyval *)state)->functions;
    struct cxx_Comm object;

    if (k->c_delete)
        return ((MPI_Comm_delete_attr_function *)k->c_delete)(comm, keyval, value, k->extra_state);
    object = cxx_comm(comm);
    return delete_attribute(k, &object, keyval, value);
}

static int copy_of_type(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    const struct cxx_keyval *k = &((struct kept_keyval *)state)->functions;
    struct cxx_Datatype object = cxx_datatype(type);

    if (k->c_copy)
        return ((MPI_Type_copy_attr_function *)k->c_copy)(type, keyval, k->extra_state, in, out, flag);
    return copy_attribute(k, &object, keyval, in, out, flag);
}

static int deletion_of_type(MPI_Datatype type, int keyval, void *value, void *state)
{
    const struct cxx_keyval *k = &((struct kept_keyval *)state)->functions;
    struct cxx_Datatype object = cxx_datatype(type);

    if (k->c_delete)
        return ((MPI_Type_delete_attr_function *)k->c_delete)(type, keyval, value, k->extra_state);
    return delete_attribute(k, &object, keyval, value);
}

static int copy_of_win(MPI_Win win, int keyval, void *state, void *in, void *out, int *flag)
{
    const struct cxx_keyval *k = &((struct kept_keyval *)state)->functions;
    struct cxx_Win object = {win_table + 2, win};

    if (k->c_copy)
        return ((MPI_Win_copy_attr_function *)k->c_copy)(win, keyval, k->extra_state, in, out, flag);
    return copy_attribute(k, &object, keyval, in, out, flag);
}

static int deletion_of_win(MPI_Win win, int keyval, void *value, void *state)
{
    const struct cxx_keyval *k = &((struct kept_keyval *)state)->functions;
    struct cxx_Win object = {win_table + 2, win};

    if (k->c_delete)
        return ((MPI_Win_delete_attr_function *)k->c_delete)(win, keyval, value, k->extra_state);
    return delete_attribute(k, &object, keyval, value);
}

int cxx_comm_keyval(const struct cxx_keyval *functions, int *keyval)
{
    return MPI_Comm_create_keyval(copy_of_comm, deletion_of_comm, keyval, keep_keyval(functions));
}

int cxx_type_keyval(const struct cxx_keyval *functions, int *keyval)
{
    return MPI_Type_create_keyval(copy_of_type, deletion_of_type, keyval, keep_keyval(functions));
}

int cxx_win_keyval(const struct cxx_keyval *functions, int *keyval)
{
    return MPI_Win_create_keyval(copy_of_win, deletion_of_win, keyval, keep_keyval(functions));
}

/* Data representations, which are never freed. */

struct kept_datarep {
    struct kept_datarep *next; /* of `datareps`, so that those who look for leaks find it */
    struct cxx_datarep functions;
};
static struct kept_datarep *_Atomic datareps; /* pushed with release; nobody reads the list */

static int convert(const struct cxx_datarep *d, cxx_function *function, void *userbuf, MPI_Datatype type,
                   int count, void *filebuf, MPI_Offset position)
{
    struct cxx_Datatype object = cxx_datatype(type);
    int error = ((int (*)(void *, struct cxx_Datatype *, int, void *, MPI_Offset, void *))function)(
        userbuf, &object, count, filebuf, position, d->extra_state);

    return d->is_void ? MPI_SUCCESS : error;
}

static int datarep_read(void *userbuf, MPI_Datatype type, int count, void *filebuf, MPI_Offset position,
                        void *state)
{
    const struct cxx_datarep *d = &((struct kept_datarep *)state)->functions;

    return convert(d, d->read, userbuf, type, count, filebuf, position);
}

static int datarep_write(void *userbuf, MPI_Datatype type, int count, void *filebuf, MPI_Offset position,
                         void *state)
{
    const struct cxx_datarep *d = &((struct kept_datarep *)state)->functions;

    return convert(d, d->write, userbuf, type, count, filebuf, position);
}

static int datarep_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    const struct cxx_datarep *d = &((struct kept_datarep *)state)->functions;
    struct cxx_Datatype object = cxx_datatype(type);
    int error = ((int (*)(const struct cxx_Datatype *, MPI_Aint *, void *))d->extent)(&object, extent,
                                                                                      d->extra_state);

    return d->is_void ? MPI_SUCCESS : error;
}

int cxx_datarep(const char *name, const struct cxx_datarep *functions)
{
    struct kept_datarep *d = both_alloc(sizeof *d);

    d->functions = *functions;
    d->next = atomic_load_explicit(&datareps, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&datareps, &d->next, d, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    return MPI_Register_datarep(name, d->functions.read ? datarep_read : MPI_CONVERSION_FN_NULL,
                                d->functions.write ? datarep_write : MPI_CONVERSION_FN_NULL,
                                d->functions.extent ? datarep_extent : NULL, d);
}

/* Copies of communicators, which the program deletes. */

static struct cxx_Comm *clone(const struct cxx_Comm *comm, const void *const *table)
{
    MPI_Comm made = MPI_COMM_NULL;
    int error = MPI_Comm_dup(comm->handle, &made);
    struct cxx_Comm *copy;

    if (error)
        cxx_failed_on_comm(comm, error);
    copy = cxx_new(sizeof *copy);
    *copy = (struct cxx_Comm){table + 2, made};
    return copy;
}

EXPORTED struct cxx_Comm *clone_intracomm(const struct cxx_Comm *comm) __asm__("_ZNK3MPI9Intracomm5CloneEv");
struct cxx_Comm *clone_intracomm(const struct cxx_Comm *comm)
{
    return clone(comm, intracomm_table);
}

EXPORTED struct cxx_Comm *clone_intercomm(const struct cxx_Comm *comm) __asm__("_ZNK3MPI9Intercomm5CloneEv");
struct cxx_Comm *clone_intercomm(const struct cxx_Comm *comm)
{
    return clone(comm, intercomm_table);
}

EXPORTED struct cxx_Comm *clone_cartcomm(const struct cxx_Comm *comm) __asm__("_ZNK3MPI8Cartcomm5CloneEv");
struct cxx_Comm *clone_cartcomm(const struct cxx_Comm *comm)
{
    return clone(comm, cartcomm_table);
}

EXPORTED struct cxx_Comm *clone_graphcomm(const struct cxx_Comm *comm) __asm__("_ZNK3MPI9Graphcomm5CloneEv");
struct cxx_Comm *clone_graphcomm(const struct cxx_Comm *comm)
{
    return clone(comm, graphcomm_table);
}

/* Methods with arrays of bool, or with their arguments in another order than the procedure. */

/* Freed also when an exception is thrown. */
struct ints {
    int *at;
};

static void free_ints(struct ints *ints)
{
    free(ints->at);
}

static struct ints ints_of(const bool *flags, int count)
{
    struct ints ints = {both_alloc((size_t)(count > 0 ? count : 1) * sizeof *ints.at)};

    for (int i = 0; i < count; i++)
        ints.at[i] = flags[i];
    return ints;
}

/* Handles of an array of objects. */
struct handles {
    void *at;
};

static void free_handles(struct handles *handles)
{
    free(handles->at);
}

static struct handles types_of(const struct cxx_Datatype *types, int count)
{
    struct handles handles = {both_alloc((size_t)(count > 0 ? count : 1) * sizeof(MPI_Datatype))};

    for (int i = 0; i < count; i++)
        ((MPI_Datatype *)handles.at)[i] = types[i].handle;
    return handles;
}

static struct handles infos_of(const struct cxx_Info *infos, int count)
{
    struct handles handles = {both_alloc((size_t)(count > 0 ? count : 1) * sizeof(MPI_Info))};

    for (int i = 0; i < count; i++)
        ((MPI_Info *)handles.at)[i] = infos[i].handle;
    return handles;
}

EXPORTED void alltoallw(const struct cxx_Comm *comm, const void *in, const int *incounts, const int *indispls,
                        const struct cxx_Datatype *intypes, void *out, const int *outcounts,
                        const int *outdispls,
                        const struct cxx_Datatype
                            *outtypes) __asm__("_ZNK3MPI4Comm9AlltoallwEPKvPKiS4_PKNS_8DatatypeEPvS4_S4_S7_");
void alltoallw(const struct cxx_Comm *comm, const void *in, const int *incounts, const int *indispls,
               const struct cxx_Datatype *intypes, void *out, const int *outcounts, const int *outdispls,
               const struct cxx_Datatype *outtypes)
{
    struct handles ins __attribute__((cleanup(free_handles))) = {NULL},
                       outs __attribute__((cleanup(free_handles))) = {NULL};
    int is_inter = 0, size = 0, error;

    MPI_Comm_test_inter(comm->handle, &is_inter);
    if (is_inter)
        MPI_Comm_remote_size(comm->handle, &size);
    else
        MPI_Comm_size(comm->handle, &size);
    if (in != MPI_IN_PLACE)
        ins = types_of(intypes, size);
    outs = types_of(outtypes, size);
    error = MPI_Alltoallw(in, incounts, indispls, ins.at, out, outcounts, outdispls, outs.at, comm->handle);
    if (error)
        cxx_failed_on_comm(comm, error);
}

EXPORTED void
type_contents(const struct cxx_Datatype *type, int integer_count, int address_count, int type_count,
              int *integers, MPI_Aint *addresses,
              struct cxx_Datatype *types) __asm__("_ZNK3MPI8Datatype12Get_contentsEiiiPiPlPS0_");
void type_contents(const struct cxx_Datatype *type, int integer_count, int address_count, int type_count,
                   int *integers, MPI_Aint *addresses, struct cxx_Datatype *types)
{
    struct handles made __attribute__((cleanup(free_handles))) = types_of(types, type_count);
    int error = MPI_Type_get_contents(type->handle, integer_count, address_count, type_count, integers,
                                      addresses, made.at);

    if (error)
        cxx_failed(error);
    else
        for (int i = 0; i < type_count; i++)
            types[i].handle = ((MPI_Datatype *)made.at)[i];
}

EXPORTED struct cxx_Comm *
spawn_multiple(struct cxx_Comm *out, const struct cxx_Comm *comm, int count, char **commands, char ***argvs,
               const int *maxprocs, const struct cxx_Info *infos, int root,
               int *codes) __asm__("_ZN3MPI9Intracomm14Spawn_multipleEiPPKcPS3_PKiPKNS_4InfoEiPi");
struct cxx_Comm *spawn_multiple(struct cxx_Comm *out, const struct cxx_Comm *comm, int count, char **commands,
                                char ***argvs, const int *maxprocs, const struct cxx_Info *infos, int root,
                                int *codes)
{
    int rank = 0, error;
    struct handles handles __attribute__((cleanup(free_handles))) = {NULL};

    MPI_Comm_rank(comm->handle, &rank);
    handles = infos_of(infos, rank == root ? count : 0); /* significant at the root alone */
    *out = (struct cxx_Comm){intercomm_table + 2, MPI_COMM_NULL};
    error = MPI_Comm_spawn_multiple(count, commands, argvs, maxprocs, handles.at, root, comm->handle,
                                    &out->handle, codes);
    if (error)
        cxx_failed_on_comm(comm, error);
    return out;
}

EXPORTED struct cxx_Comm *
spawn_without(struct cxx_Comm *out, const struct cxx_Comm *comm, int count, char **commands, char ***argvs,
              const int *maxprocs, const struct cxx_Info *infos,
              int root) __asm__("_ZN3MPI9Intracomm14Spawn_multipleEiPPKcPS3_PKiPKNS_4InfoEi");
struct cxx_Comm *spawn_without(struct cxx_Comm *out, const struct cxx_Comm *comm, int count, char **commands,
                               char ***argvs, const int *maxprocs, const struct cxx_Info *infos, int root)
{
    return spawn_multiple(out, comm, count, commands, argvs, maxprocs, infos, root, MPI_ERRCODES_IGNORE);
}

static int dimensions_of(MPI_Comm comm)
{
    int count = 0;

    MPI_Cartdim_get(comm, &count);
    return count;
}

EXPORTED struct cxx_Comm *create_cart(struct cxx_Comm *out, const struct cxx_Comm *comm, int count,
                                      const int *dims, const bool *periods,
                                      bool reorder) __asm__("_ZNK3MPI9Intracomm11Create_cartEiPKiPKbb");
struct cxx_Comm *create_cart(struct cxx_Comm *out, const struct cxx_Comm *comm, int count, const int *dims,
                             const bool *periods, bool reorder)
{
    struct ints ints __attribute__((cleanup(free_ints))) = ints_of(periods, count);
    int error;

    *out = (struct cxx_Comm){cartcomm_table + 2, MPI_COMM_NULL};
    error = MPI_Cart_create(comm->handle, count, dims, ints.at, reorder, &out->handle);
    if (error)
        cxx_failed_on_comm(comm, error);
    return out;
}

EXPORTED struct cxx_Comm *cart_sub(struct cxx_Comm *out, const struct cxx_Comm *comm,
                                   const bool *remain) __asm__("_ZNK3MPI8Cartcomm3SubEPKb");
struct cxx_Comm *cart_sub(struct cxx_Comm *out, const struct cxx_Comm *comm, const bool *remain)
{
    struct ints ints __attribute__((cleanup(free_ints))) = ints_of(remain, dimensions_of(comm->handle));
    int error;

    *out = (struct cxx_Comm){cartcomm_table + 2, MPI_COMM_NULL};
    error = MPI_Cart_sub(comm->handle, ints.at, &out->handle);
    if (error)
        cxx_failed_on_comm(comm, error);
    return out;
}

EXPORTED int cart_map(const struct cxx_Comm *comm, int count, const int *dims,
                      const bool *periods) __asm__("_ZNK3MPI8Cartcomm3MapEiPKiPKb");
int cart_map(const struct cxx_Comm *comm, int count, const int *dims, const bool *periods)
{
    struct ints ints __attribute__((cleanup(free_ints))) = ints_of(periods, count);
    int rank = MPI_UNDEFINED, error = MPI_Cart_map(comm->handle, count, dims, ints.at, &rank);

    if (error)
        cxx_failed_on_comm(comm, error);
    return rank;
}

EXPORTED void cart_get(const struct cxx_Comm *comm, int count, int *dims, bool *periods,
                       int *coords) __asm__("_ZNK3MPI8Cartcomm8Get_topoEiPiPbS1_");
void cart_get(const struct cxx_Comm *comm, int count, int *dims, bool *periods, int *coords)
{
    struct ints ints __attribute__((cleanup(free_ints))) = ints_of(periods, count);
    int error = MPI_Cart_get(comm->handle, count, dims, ints.at, coords);

    if (error)
        cxx_failed_on_comm(comm, error);
    else
        for (int i = 0; i < count; i++)
            periods[i] = ints.at[i] != 0;
}

EXPORTED void unpack(const struct cxx_Datatype *type, const void *in, int size, void *out, int count,
                     int *position,
                     const struct cxx_Comm *comm) __asm__("_ZNK3MPI8Datatype6UnpackEPKviPviRiRKNS_4CommE");
void unpack(const struct cxx_Datatype *type, const void *in, int size, void *out, int count, int *position,
            const struct cxx_Comm *comm)
{
    int error = MPI_Unpack(in, size, position, out, count, type->handle, comm->handle);

    if (error)
        cxx_failed_on_comm(comm, error);
}

/* Requests of the program's. */

int cxx_query(cxx_function *query, void *extra_state, MPI_Status *status)
{
    struct cxx_Status object = {status_table + 2, *status};
    int error = ((int (*)(void *, struct cxx_Status *))query)(extra_state, &object);

    *status = object.status;
    return error;
}
