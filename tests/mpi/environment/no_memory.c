/* ranks: 1  not: address  not: thread  also: INKLING_HINTS_REPORT=first */
/* Each allocation fails once in the calls that make objects and requests. The call either returns an error
 * and no result, or goes on without the memory; the next call works. What was allocated in vain, or for
 * objects that are gone, is freed.
 *
 * Objects are allocated in chunks, so each step makes many of them before it drops them.
 */
#include "check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *at);

enum {
    CROWD = 72,
    AGAIN = 5 /* crowds that fill a room when each leaves its objects in it */
};

#define SEEN_BY_ALL __attribute__((visibility("default"))) /* by the library, which is to call these */

static long until_failure; /* allocations; 0: none fails */
static bool is_armed;
static _Atomic long live; /* blocks that are not free */

static bool fails(void)
{
    if (!is_armed || until_failure == 0 || --until_failure)
        return false;
    errno = ENOMEM;
    return true;
}

static void *counted(void *at)
{
    live += at != NULL;
    return at;
}

SEEN_BY_ALL void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

SEEN_BY_ALL void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

SEEN_BY_ALL void *realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    return old ? __libc_realloc(old, size) : counted(__libc_malloc(size));
}

SEEN_BY_ALL void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

SEEN_BY_ALL int posix_memalign(void **at, size_t alignment, size_t size)
{
    void *found = fails() ? NULL : counted(__libc_memalign(alignment, size));

    if (!found)
        return ENOMEM;
    *at = found;
    return 0;
}

SEEN_BY_ALL void free(void *at)
{
    live -= at != NULL;
    __libc_free(at);
}

static MPI_Comm comm[CROWD];
static MPI_Group group[CROWD], world_group;
static MPI_Info info[CROWD], some_info;
static MPI_Datatype type[CROWD], mixed;
static MPI_Request request[CROWD];
static MPI_Session session[CROWD];
static MPI_Errhandler errhandler[CROWD];
static MPI_Op op[CROWD];
static void *memory[CROWD];
static int number[CROWD], value[CROWD], zeros[CROWD], ones[CROWD];
static int keyval = MPI_KEYVAL_INVALID, type_keyval = MPI_KEYVAL_INVALID;

/* Allocations may fail in the call only. */
#define TRY(call) (is_armed = true, tried(call))

static int tried(int code)
{
    is_armed = false;
    return code;
}

static void forget(void)
{
    for (int i = 0; i < CROWD; i++) {
        comm[i] = MPI_COMM_NULL;
        group[i] = MPI_GROUP_NULL;
        info[i] = MPI_INFO_NULL;
        type[i] = MPI_DATATYPE_NULL;
        request[i] = MPI_REQUEST_NULL;
        session[i] = MPI_SESSION_NULL;
        errhandler[i] = MPI_ERRHANDLER_NULL;
        op[i] = MPI_OP_NULL;
        memory[i] = NULL;
        number[i] = MPI_KEYVAL_INVALID;
    }
}

/* What follows makes the i-th of a kind, or drops it. */
static int dup_comm(int i)
{
    return TRY(MPI_Comm_dup(MPI_COMM_SELF, &comm[i]));
}

static int idup_comm(int i)
{
    return TRY(MPI_Comm_idup(MPI_COMM_SELF, &comm[i], &request[i]));
}

static int drop_idup(int i)
{
    CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    return MPI_Comm_free(&comm[i]);
}

static int split(int i)
{
    return TRY(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm[i]));
}

static int split_shared(int i)
{
    return TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, some_info, &comm[i]));
}

static int create_cart(int i)
{
    return TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, ones, zeros, 1, &comm[i]));
}

static int create_graph(int i)
{
    return TRY(MPI_Graph_create(MPI_COMM_WORLD, 1, ones, zeros, 1, &comm[i]));
}

static int create_dist_graph(int i)
{
    return TRY(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zeros, ones, zeros, ones, some_info, 1, &comm[i]));
}

static int create_adjacent(int i)
{
    return TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zeros, ones, 1, zeros, ones, some_info, 1,
                                              &comm[i]));
}

static int from_group(int i)
{
    return TRY(MPI_Comm_create_from_group(world_group, "no_memory", some_info, MPI_ERRORS_RETURN, &comm[i]));
}

static int drop_comm(int i)
{
    return MPI_Comm_free(&comm[i]);
}

static int include(int i)
{
    return TRY(MPI_Group_incl(world_group, 1, zeros, &group[i]));
}

static int include_range(int i)
{
    return TRY(MPI_Group_range_incl(world_group, 1, (int[1][3]){{0, 0, 1}}, &group[i]));
}

static int drop_group(int i)
{
    return group[i] == MPI_GROUP_EMPTY ? MPI_SUCCESS : MPI_Group_free(&group[i]);
}

static int dup_info(int i)
{
    return TRY(MPI_Info_dup(some_info, &info[i]));
}

static int get_info(int i)
{
    return TRY(MPI_Comm_get_info(MPI_COMM_SELF, &info[i]));
}

static int drop_info(int i)
{
    return MPI_Info_free(&info[i]);
}

static int set_info(int i)
{
    char key[16];

    snprintf(key, sizeof key, "key%d", i);
    return TRY(MPI_Info_set(some_info, key, "a value"));
}

static int delete_key(int i)
{
    char key[16];

    snprintf(key, sizeof key, "key%d", i);
    return MPI_Info_delete(some_info, key);
}

static int contiguous(int i)
{
    return TRY(MPI_Type_contiguous(3, mixed, &type[i]));
}

static int vector(int i)
{
    return TRY(MPI_Type_vector(3, 2, 5, mixed, &type[i]));
}

static int make_indexed(MPI_Datatype *t)
{
    int displs[CROWD];

    for (int k = 0; k < CROWD; k++)
        displs[k] = 3 * k + k * k % 5;
    return MPI_Type_indexed(CROWD, ones, displs, MPI_INT, t);
}

static int indexed(int i)
{
    return TRY(make_indexed(&type[i]));
}

static int structure(int i)
{
    return TRY(
        MPI_Type_create_struct(2, ones, (MPI_Aint[]){0, 40}, (MPI_Datatype[]){mixed, MPI_CHAR}, &type[i]));
}

static int subarray(int i)
{
    return TRY(MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 3}, ones, MPI_ORDER_C, mixed, &type[i]));
}

static int darray(int i)
{
    return TRY(MPI_Type_create_darray(
        2, 1, 2, (int[]){5, 7}, (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
        (int[]){2, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 1}, MPI_ORDER_C, MPI_INT, &type[i]));
}

static int resized(int i)
{
    return TRY(MPI_Type_create_resized(mixed, 0, 64, &type[i]));
}

static int dup_type(int i)
{
    return TRY(MPI_Type_dup(mixed, &type[i]));
}

/* Whether its items overlap is found out, which takes a list of its bytes. */
static int commit(int i)
{
    CHECK_EQ(make_indexed(&type[i]), MPI_SUCCESS);
    int code = TRY(MPI_Type_commit(&type[i]));

    if (code)
        MPI_Type_free(&type[i]);
    return code;
}

static int drop_type(int i)
{
    return MPI_Type_free(&type[i]);
}

static int create_keyval(int i)
{
    return TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &number[i], NULL));
}

static int drop_keyval(int i)
{
    return MPI_Comm_free_keyval(&number[i]);
}

static int set_attribute(int i)
{
    if (keyval == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm[i]), MPI_SUCCESS);
    int code = TRY(MPI_Comm_set_attr(comm[i], keyval, &value[i]));
    void *found = NULL;
    int is_set = 0;

    CHECK_EQ(MPI_Comm_get_attr(comm[i], keyval, (void *)&found, &is_set), MPI_SUCCESS);
    CHECK_EQ(is_set, code == MPI_SUCCESS);
    if (code)
        MPI_Comm_free(&comm[i]);
    return code;
}

static int set_type_attribute(int i)
{
    if (type_keyval == MPI_KEYVAL_INVALID)
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL);
    CHECK_EQ(MPI_Type_dup(MPI_INT, &type[i]), MPI_SUCCESS);
    int code = TRY(MPI_Type_set_attr(type[i], type_keyval, &value[i]));
    void *found = NULL;
    int is_set = 0;

    CHECK_EQ(MPI_Type_get_attr(type[i], type_keyval, (void *)&found, &is_set), MPI_SUCCESS);
    CHECK_EQ(is_set, code == MPI_SUCCESS);
    if (code)
        MPI_Type_free(&type[i]);
    return code;
}

static void handle_error(MPI_Comm *c, int *code, ...)
{
    (void)c;
    (void)code;
}

static int create_errhandler(int i)
{
    return TRY(MPI_Comm_create_errhandler(handle_error, &errhandler[i]));
}

static int drop_errhandler(int i)
{
    return MPI_Errhandler_free(&errhandler[i]);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *t)
{
    (void)t;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int create_op(int i)
{
    return TRY(MPI_Op_create(add, 1, &op[i]));
}

static int drop_op(int i)
{
    return MPI_Op_free(&op[i]);
}

static int receive(int i)
{
    return TRY(MPI_Irecv(&value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int send_to_it(int i)
{
    CHECK_EQ(MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(value[i], i);
    return MPI_SUCCESS;
}

static int send(int i)
{
    value[i] = i;
    return TRY(MPI_Isend(&value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int receive_it(int i)
{
    int got = -1;

    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, i);
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static int init_allreduce(int i)
{
    return TRY(MPI_Allreduce_init(MPI_IN_PLACE, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, some_info,
                                  &request[i]));
}

static int zero; /* sent by collectives */

static int ibarrier(int i)
{
    return TRY(MPI_Ibarrier(MPI_COMM_WORLD, &request[i]));
}

static int ibcast(int i)
{
    return TRY(MPI_Ibcast(&value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]));
}

static int igather(int i)
{
    return TRY(MPI_Igather(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]));
}

static int iscatter(int i)
{
    return TRY(MPI_Iscatter(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]));
}

static int iallgather(int i)
{
    return TRY(MPI_Iallgather(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, MPI_COMM_WORLD, &request[i]));
}

static int ialltoall(int i)
{
    return TRY(MPI_Ialltoall(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, MPI_COMM_WORLD, &request[i]));
}

static int ireduce(int i)
{
    return TRY(MPI_Ireduce(&zero, &value[i], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request[i]));
}

static int iallreduce(int i)
{
    return TRY(MPI_Iallreduce(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int ireduce_scatter(int i)
{
    return TRY(MPI_Ireduce_scatter(&zero, &value[i], ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int iscan(int i)
{
    return TRY(MPI_Iscan(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int iexscan(int i)
{
    return TRY(MPI_Iexscan(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int wait_for_it(int i)
{
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static int drop_request(int i)
{
    return MPI_Request_free(&request[i]);
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int free_state(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int is_complete)
{
    (void)state;
    (void)is_complete;
    return MPI_SUCCESS;
}

static int start_generalized(int i)
{
    return TRY(MPI_Grequest_start(query, free_state, cancel, NULL, &request[i]));
}

static int complete_generalized(int i)
{
    CHECK_EQ(MPI_Grequest_complete(request[i]), MPI_SUCCESS);
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static int begin_session(int i)
{
    return TRY(MPI_Session_init(some_info, MPI_ERRORS_RETURN, &session[i]));
}

static int end_session(int i)
{
    return MPI_Session_finalize(&session[i]);
}

static int allocate(int i)
{
    return TRY(MPI_Alloc_mem(1000, some_info, (void *)&memory[i]));
}

static int drop_memory(int i)
{
    return MPI_Free_mem(memory[i]);
}

static int add_class(int i)
{
    return TRY(MPI_Add_error_class(&number[i]));
}

static int remove_class(int i)
{
    return MPI_Remove_error_class(number[i]);
}

static const struct step {
    const char *name;
    int (*make)(int i);
    int (*drop)(int i);
} steps[] = {
    {"MPI_Comm_create_keyval", create_keyval, drop_keyval},
    {"MPI_Comm_dup", dup_comm, drop_comm},
    {"MPI_Comm_idup", idup_comm, drop_idup},
    {"MPI_Comm_split", split, drop_comm},
    {"MPI_Comm_split_type", split_shared, drop_comm},
    {"MPI_Cart_create", create_cart, drop_comm},
    {"MPI_Graph_create", create_graph, drop_comm},
    {"MPI_Dist_graph_create", create_dist_graph, drop_comm},
    {"MPI_Dist_graph_create_adjacent", create_adjacent, drop_comm},
    {"MPI_Comm_create_from_group", from_group, drop_comm},
    {"MPI_Group_incl", include, drop_group},
    {"MPI_Group_range_incl", include_range, drop_group},
    {"MPI_Info_dup", dup_info, drop_info},
    {"MPI_Comm_get_info", get_info, drop_info},
    {"MPI_Info_set", set_info, delete_key},
    {"MPI_Type_contiguous", contiguous, drop_type},
    {"MPI_Type_vector", vector, drop_type},
    {"MPI_Type_indexed", indexed, drop_type},
    {"MPI_Type_create_struct", structure, drop_type},
    {"MPI_Type_create_subarray", subarray, drop_type},
    {"MPI_Type_create_darray", darray, drop_type},
    {"MPI_Type_create_resized", resized, drop_type},
    {"MPI_Type_dup", dup_type, drop_type},
    {"MPI_Type_commit", commit, drop_type},
    {"MPI_Comm_set_attr", set_attribute, drop_comm},
    {"MPI_Type_set_attr", set_type_attribute, drop_type},
    {"MPI_Comm_create_errhandler", create_errhandler, drop_errhandler},
    {"MPI_Op_create", create_op, drop_op},
    {"MPI_Irecv", receive, send_to_it},
    {"MPI_Isend", send, receive_it},
    {"MPI_Allreduce_init", init_allreduce, drop_request},
    {"MPI_Ibarrier", ibarrier, wait_for_it},
    {"MPI_Ibcast", ibcast, wait_for_it},
    {"MPI_Igather", igather, wait_for_it},
    {"MPI_Iscatter", iscatter, wait_for_it},
    {"MPI_Iallgather", iallgather, wait_for_it},
    {"MPI_Ialltoall", ialltoall, wait_for_it},
    {"MPI_Ireduce", ireduce, wait_for_it},
    {"MPI_Iallreduce", iallreduce, wait_for_it},
    {"MPI_Ireduce_scatter", ireduce_scatter, wait_for_it},
    {"MPI_Iscan", iscan, wait_for_it},
    {"MPI_Iexscan", iexscan, wait_for_it},
    {"MPI_Grequest_start", start_generalized, complete_generalized},
    {"MPI_Session_init", begin_session, end_session},
    {"MPI_Alloc_mem", allocate, drop_memory},
    {"MPI_Add_error_class", add_class, remove_class},
};

/* Whether some i-th object is there. */
static bool is_made(int i)
{
    return comm[i] != MPI_COMM_NULL || group[i] != MPI_GROUP_NULL || info[i] != MPI_INFO_NULL ||
           type[i] != MPI_DATATYPE_NULL || request[i] != MPI_REQUEST_NULL || session[i] != MPI_SESSION_NULL ||
           errhandler[i] != MPI_ERRHANDLER_NULL || op[i] != MPI_OP_NULL || memory[i] ||
           number[i] != MPI_KEYVAL_INVALID;
}

/* Makes a crowd, in which the n-th allocation fails; false: there are not so many. */
static bool take(const struct step *step, long n)
{
    int made, code = MPI_SUCCESS;

    forget();
    until_failure = n;
    for (made = 0; made < CROWD && code == MPI_SUCCESS; made++)
        code = step->make(made);
    if (code != MPI_SUCCESS) {
        made--;
        if (class_of(code) != MPI_ERR_NO_MEM || until_failure || is_made(made))
            fprintf(stderr, "%s, allocation %ld of %d calls\n", step->name, n, made + 1);
        CHECK_EQ(class_of(code), MPI_ERR_NO_MEM);
        CHECK_EQ(until_failure, 0);
        CHECK(!is_made(made));
    }
    bool is_over = until_failure > 0;
    until_failure = 0;
    while (made-- > 0) {
        CHECK(step->make == set_info || is_made(made));
        CHECK_EQ(step->drop(made), MPI_SUCCESS);
    }
    return !is_over;
}

static void check_freed(const struct step *step, long n, long before)
{
    if (live != before)
        fprintf(stderr, "%s, allocation %ld: %ld blocks are left\n", step->name, n, live - before);
    CHECK_EQ(live, before);
}

int main(void)
{
    long begin;

    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    MPI_Info_create(&some_info);
    MPI_Info_set(some_info, "a key", "its value");
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE},
                           &mixed);
    MPI_Type_commit(&mixed);
    for (int i = 0; i < CROWD; i++)
        ones[i] = 1;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        for (long n = 1; take(&steps[s], n); n++)
            if (n > 8) /* by then the library has its chunks, which stay */
                break;
        take(&steps[s], 0);
        begin = live;
        for (long n = 1; take(&steps[s], n); n += 1 + n / 20) /* the first ones all: the rest repeats */
            check_freed(&steps[s], n, begin);
        for (int i = 0; i < AGAIN; i++)
            take(&steps[s], 0);
        check_freed(&steps[s], 0, begin);
    }
    MPI_Type_free(&mixed);
    MPI_Comm_free_keyval(&keyval);
    MPI_Type_free_keyval(&type_keyval);
    MPI_Info_free(&some_info);
    MPI_Group_free(&world_group);
    MPI_Finalize();
    return 0;
}
