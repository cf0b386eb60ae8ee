/* ranks: 1 2 3  timeout: 120  env: GLIBC_TUNABLES=glibc.malloc.tcache_count=0  not: address not: thread */
/* What is made, used and freed again and again leaves no memory behind: each kind of object, of message and of collective. malloc keeps no
 * blocks for a thread here, which it would count as in use. */
#include "check.h"

#include <malloc.h>
#include <unistd.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

enum {
    WARM = 20,  /* cycles after which the library has the tables and the pools that it keeps */
    TIMES = 60, /* and those that are looked at */
    TRIES = 6,  /* a pool may grow, or a message be on its way, in some of them */
    LEAST = 16, /* bytes that an allocation takes */
    LARGE = 50000
};

static int rank, size, counts[8], places[8], out[LARGE], in[LARGE];
static MPI_Comm line; /* a ring */
static MPI_Datatype gaps;
static char path[64];

static void dup_comm(void)
{
    MPI_Comm comm, other;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Sendrecv(out, 1, MPI_INT, (rank + 1) % size, 0, in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
                    MPI_STATUS_IGNORE));
    OK(MPI_Comm_split(comm, rank % 2, 0, &other));
    OK(MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, other));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free(&other));
}

static void idup_comm(void)
{
    MPI_Comm comm;
    MPI_Request request;

    OK(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
}

static void split_comm_by_host(void)
{
    MPI_Comm comm;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &comm));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_set_name(comm, "host"));
    OK(MPI_Comm_free(&comm));
}

static void make_comm_of_group(void)
{
    MPI_Group world, others, both;
    MPI_Comm comm;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, (int[]){rank}, &others));
    OK(MPI_Group_union(world, others, &both));
    OK(MPI_Comm_create(MPI_COMM_WORLD, both, &comm));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, others, rank, &comm));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_create_from_group(world, "cycle", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&both));
    OK(MPI_Group_free(&others));
    OK(MPI_Group_difference(world, MPI_GROUP_EMPTY, &others));
    OK(MPI_Group_intersection(world, others, &both));
    OK(MPI_Group_free(&both));
    OK(MPI_Group_free(&others));
    OK(MPI_Group_free(&world));
}

static void make_intercomm(void)
{
    MPI_Comm half, other, merged;

    if (size == 1)
        return;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 1, &other));
    OK(MPI_Allreduce(out, in, 10, MPI_INT, MPI_SUM, other));
    OK(MPI_Intercomm_merge(other, rank == 0, &merged));
    OK(MPI_Comm_free(&half));
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_free(&merged));
}

static void make_topologies(void)
{
    MPI_Comm grid, sub, graph;
    int dims[2] = {size, 1}, degree = 1, next = (rank + 1) % size, before = (rank + size - 1) % size;

    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){1, 0}, 1, &grid));
    OK(MPI_Cart_sub(grid, (int[]){1, 0}, &sub));
    OK(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, sub));
    OK(MPI_Comm_free(&sub));
    OK(MPI_Comm_free(&grid));
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                             &graph));
    OK(MPI_Comm_free(&graph));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &degree, 1, &next, &degree, MPI_INFO_NULL,
                                      1, &graph));
    OK(MPI_Neighbor_alltoall(out, 1, gaps, in, 1, gaps, graph));
    OK(MPI_Comm_dup(graph, &sub));
    OK(MPI_Comm_free(&graph));
    OK(MPI_Comm_free(&sub));
    OK(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){1}, (int[]){0}, 0, &graph));
    if (graph != MPI_COMM_NULL)
        OK(MPI_Comm_free(&graph));
}

static void make_types(void)
{
    const int ones[] = {1, 2};
    const MPI_Aint at[] = {0, 16};
    const MPI_Datatype parts[] = {MPI_INT, gaps};
    MPI_Datatype type[9];

    OK(MPI_Type_contiguous(3, gaps, &type[0]));
    OK(MPI_Type_vector(2, 1, 3, MPI_INT, &type[1]));
    OK(MPI_Type_create_hvector(2, 1, 24, gaps, &type[2]));
    OK(MPI_Type_indexed(2, ones, (int[]){0, 5}, MPI_INT, &type[3]));
    OK(MPI_Type_create_hindexed(2, ones, at, MPI_INT, &type[4]));
    OK(MPI_Type_create_struct(2, ones, at, parts, &type[5]));
    OK(MPI_Type_create_subarray(1, (int[]){9}, (int[]){3}, (int[]){2}, MPI_ORDER_C, MPI_INT, &type[6]));
    OK(MPI_Type_create_resized(gaps, -4, 64, &type[7]));
    OK(MPI_Type_dup(gaps, &type[8]));
    for (int i = 0; i < 9; i++) {
        int at_pack = 0;

        OK(MPI_Type_commit(&type[i]));
        OK(MPI_Pack(out + 100, 1, type[i], in, sizeof in, &at_pack, MPI_COMM_WORLD));
        at_pack = 0;
        OK(MPI_Pack_external("external32", out + 100, 1, type[i], in, sizeof in, &(MPI_Aint){0}));
        OK(MPI_Type_free(&type[i]));
    }
}

static int keep(MPI_Comm comm, int key, void *state, void *value, void *copy, int *flag)
{
    (void)comm, (void)key, (void)state;
    *(void **)copy = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static void raise_nothing(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void add(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)b)[i] += ((int *)a)[i];
}

static void make_small_objects(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Info info, copy;
    MPI_Op op;
    int key;

    OK(MPI_Comm_create_keyval(keep, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key));
    OK(MPI_Comm_create_errhandler(raise_nothing, &handler));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "a", "1"));
    OK(MPI_Info_set(info, "a", "2"));
    OK(MPI_Info_set(info, "b", "3"));
    OK(MPI_Info_delete(info, "b"));
    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_free(&info));
    OK(MPI_Info_free(&copy));
    OK(MPI_Op_create(add, 0, &op));
    OK(MPI_Allreduce(out, in, LARGE, MPI_INT, op, MPI_COMM_WORLD));
    OK(MPI_Reduce_local(out, in, 5, MPI_INT, op));
    OK(MPI_Op_free(&op));
}

static void make_errors(void)
{
    int class, code;

    OK(MPI_Add_error_class(&class));
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_string(code, "one"));
    OK(MPI_Add_error_string(code, "another"));
    OK(MPI_Remove_error_string(code));
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(class));
}

static void open_session(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Info info;

    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Session_get_pset_info(session, "mpi://SELF", &info));
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_info(session, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_Group_free(&group));
    OK(MPI_Session_finalize(&session));
    OK(MPI_Get_hw_resource_info(&info));
    OK(MPI_Info_free(&info));
}

/* By each of the protocols, with a type and without, before it is expected and after. */
static void send_all(int count, MPI_Datatype type, int is_late)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request[2];

    if (is_late)
        OK(MPI_Isend(out, count, type, to, 3, MPI_COMM_WORLD, &request[1]));
    if (is_late)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Irecv(in, count, type, from, 3, MPI_COMM_WORLD, &request[0]));
    if (!is_late)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    if (!is_late)
        OK(MPI_Issend(out, count, type, to, 3, MPI_COMM_WORLD, &request[1]));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
}

static void send_messages(void)
{
    for (int is_late = 0; is_late < 2; is_late++)
        for (int count = 0; count <= LARGE / 8; count = count * 25 + 1) {
            send_all(count, MPI_INT, is_late);
            send_all(count, gaps, is_late);
        }
}

static void probe_and_cancel(void)
{
    int to = (rank + 1) % size;
    MPI_Request request;
    MPI_Message message;

    OK(MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Isend(out, 3, gaps, to, 4, MPI_COMM_WORLD, &request));
    OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(in, 3, gaps, &message, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv_replace(in, LARGE / 8, gaps, to, 5, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    OK(MPI_Isendrecv_replace(in, 10, MPI_INT, to, 6, (rank + size - 1) % size, 6, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* In communicators of their own, in which nothing is polled for. */
static void send_to_self(void)
{
    MPI_Request request[2];
    MPI_Comm comm;

    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Sendrecv(out, 2, MPI_INT, 0, 0, in, 2, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Isend(out, 2, gaps, 0, 1, comm, &request[0]));
    OK(MPI_Irecv(in, 2, gaps, 0, 1, comm, &request[1]));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    OK(MPI_Comm_free(&comm));
}

static void send_buffered(void)
{
    static char room[5000 + MPI_BSEND_OVERHEAD];
    char *back;
    int bytes;

    OK(MPI_Buffer_attach(room, sizeof room));
    OK(MPI_Bsend(out, 1000, MPI_INT, rank, 8, MPI_COMM_WORLD));
    OK(MPI_Recv(in, 1000, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Buffer_detach(&back, &bytes));
}

static void start_persistent(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request[2];

    OK(MPI_Send_init(out, 10, gaps, to, 9, MPI_COMM_WORLD, &request[0]));
    OK(MPI_Recv_init(in, 10, gaps, from, 9, MPI_COMM_WORLD, &request[1]));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Startall(2, request));
        OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    }
    OK(MPI_Request_free(&request[0]));
    OK(MPI_Request_free(&request[1]));
    OK(MPI_Psend_init(out, 4, 10, gaps, to, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]));
    OK(MPI_Precv_init(in, 2, 20, gaps, from, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]));
    OK(MPI_Startall(2, request));
    OK(MPI_Pready_range(0, 3, request[0]));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    OK(MPI_Request_free(&request[0]));
    OK(MPI_Request_free(&request[1]));
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    return MPI_Status_set_elements(status, MPI_INT, 1);
}

static int leave(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int ignore(void *state, int is_complete)
{
    (void)state, (void)is_complete;
    return MPI_SUCCESS;
}

static void start_generalized(void)
{
    MPI_Request request;

    OK(MPI_Grequest_start(query, leave, ignore, NULL, &request));
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* With a few items, and with many. */
static void call_collectives(void)
{
    for (int count = 1; count < LARGE / 12; count *= 1000) {
        OK(MPI_Bcast(in, count, gaps, 0, MPI_COMM_WORLD));
        OK(MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD));
        OK(MPI_Allreduce(out, in, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        OK(MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, 0, MPI_COMM_WORLD));
        OK(MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, 0, MPI_COMM_WORLD));
        OK(MPI_Allgather(out, count, gaps, in, count, gaps, MPI_COMM_WORLD));
        OK(MPI_Alltoall(out, count, gaps, in, count, gaps, MPI_COMM_WORLD));
        OK(MPI_Scan(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        OK(MPI_Exscan(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        OK(MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    }
    OK(MPI_Gatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Scatterv(out, counts, places, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Allgatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

static void call_nonblocking(void)
{
    MPI_Request request[6];

    OK(MPI_Ibarrier(MPI_COMM_WORLD, &request[0]));
    OK(MPI_Ibcast(in, 10, gaps, 0, MPI_COMM_WORLD, &request[1]));
    OK(MPI_Iallreduce(out, in + 1000, 3000, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[2]));
    OK(MPI_Ialltoall(out, 2, MPI_INT, in + 5000, 2, MPI_INT, MPI_COMM_WORLD, &request[3]));
    OK(MPI_Iallgatherv(out, 2, MPI_INT, in + 6000, counts, places, MPI_INT, MPI_COMM_WORLD, &request[4]));
    OK(MPI_Ineighbor_alltoall(out, 2, MPI_INT, in + 7000, 2, MPI_INT, line, &request[5]));
    OK(MPI_Waitall(6, request, MPI_STATUSES_IGNORE));
}

static void start_collectives(void)
{
    MPI_Request request[3];

    OK(MPI_Allreduce_init(out, in, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]));
    OK(MPI_Bcast_init(in + 100, 3000, gaps, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]));
    OK(MPI_Alltoallv_init(out, counts, places, MPI_INT, in + 40000, counts, places, MPI_INT, MPI_COMM_WORLD,
                          MPI_INFO_NULL, &request[2]));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Startall(3, request));
        OK(MPI_Waitall(3, request, MPI_STATUSES_IGNORE));
    }
    for (int i = 0; i < 3; i++)
        OK(MPI_Request_free(&request[i]));
}

/* Of memory of the library or of the program; with accesses of each kind. */
static void use_window(MPI_Win win)
{
    int to = (rank + 1) % size;
    MPI_Request request;

    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, 10, gaps, to, 0, 10, gaps, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Accumulate(out, 10, MPI_INT, to, 0, 10, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(out, 2, gaps, in, 2, gaps, to, 0, 2, gaps, MPI_SUM, win));
    OK(MPI_Fetch_and_op(out, in, MPI_INT, to, 0, MPI_SUM, win));
    OK(MPI_Rget(in, 100, MPI_INT, to, 0, 100, MPI_INT, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Win_unlock_all(win));
}

static void make_windows(void)
{
    static int memory[200];
    void *base;
    MPI_Win win;

    OK(MPI_Win_allocate(sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    use_window(win);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    use_window(win);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_attach(win, memory, sizeof memory));
    OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
    OK(MPI_Alloc_mem(70000, MPI_INFO_NULL, &base));
    OK(MPI_Free_mem(base));
}

static void use_file(void)
{
    MPI_Request request;
    MPI_File file;

    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &file));
    OK(MPI_File_set_view(file, 4 * rank, MPI_INT, gaps, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, out, 100, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_iwrite_at(file, 0, out, 5, gaps, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, in, 10, gaps, MPI_STATUS_IGNORE));
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    OK(MPI_File_write_shared(file, out, 5, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_iread_all(file, in, 5, MPI_INT, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
}

static void use_tools(void)
{
    MPI_T_pvar_session session;
    int provided, count;

    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_get_num(&count));
    for (int i = 0; i < count; i++) {
        MPI_T_pvar_handle handle;
        int items;

        if (MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &items) == MPI_SUCCESS)
            OK(MPI_T_pvar_handle_free(session, &handle));
    }
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
}

static const struct step {
    const char *name;
    void (*cycle)(void);
} steps[] = {
    {"communicators", dup_comm},
    {"communicators without blocking", idup_comm},
    {"communicators of hosts", split_comm_by_host},
    {"groups", make_comm_of_group},
    {"intercommunicators", make_intercomm},
    {"topologies", make_topologies},
    {"datatypes", make_types},
    {"attributes, handlers, infos, operations", make_small_objects},
    {"error codes", make_errors},
    {"sessions", open_session},
    {"messages", send_messages},
    {"probes and cancelled messages", probe_and_cancel},
    {"own communicators", send_to_self},
    {"buffered messages", send_buffered},
    {"persistent messages", start_persistent},
    {"generalized requests", start_generalized},
    {"collectives", call_collectives},
    {"nonblocking collectives", call_nonblocking},
    {"persistent collectives", start_collectives},
    {"windows", make_windows},
    {"files", use_file},
    {"MPI_T", use_tools},
};

static void repeat(const struct step *step, int times)
{
    for (int i = 0; i < times; i++)
        step->cycle();
}

/* Bytes in use while no rank is in a cycle, whose messages would wait here. */
static long long bytes_in_use(void)
{
    struct mallinfo2 memory;

    OK(MPI_Barrier(MPI_COMM_WORLD));
    memory = mallinfo2();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return (long long)(memory.uordblks + memory.hblkhd);
}

/* Bytes that stay after TIMES cycles. */
static long long left_by(const struct step *step)
{
    long long before = bytes_in_use();

    repeat(step, TIMES);
    return bytes_in_use() - before;
}

static void check_step(const struct step *step)
{
    long long least = 0;
    int leaves = 1;

    repeat(step, WARM);
    for (int i = 0; i < TRIES && leaves; i++) {
        long long left = left_by(step);

        least = i == 0 || left < least ? left : least;
        leaves = least >= TIMES * LEAST;
        OK(MPI_Allreduce(MPI_IN_PLACE, &leaves, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    }
    if (least >= TIMES * LEAST)
        fprintf(stderr, "%s: %d cycles leave %lld bytes\n", step->name, TIMES, least);
    CHECK(least < TIMES * LEAST);
}

int main(int argc, char **argv)
{
    long number = getpid();

    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    snprintf(path, sizeof path, "/dev/shm/cycles.%ld", number);
    for (int i = 0; i < size; i++) {
        counts[i] = 2;
        places[i] = 2 * i;
    }
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &gaps));
    OK(MPI_Type_commit(&gaps));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &line));
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
        if (argc < 2 || strstr(steps[s].name, argv[1]))
            check_step(&steps[s]);
    OK(MPI_Comm_free(&line));
    OK(MPI_Type_free(&gaps));
    OK(MPI_Finalize());
    return 0;
}
