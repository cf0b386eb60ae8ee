/* ranks: 1 2 3 */
/* docs/TOLERANCES.md, row by row: what the standard forbids or does not speak of, and programs do. */
#include "check.h"

#include <string.h>

static int rank, size;

static void characters(void)
{
    static const struct {
        MPI_Op op;
        char result; /* of 6 and 6, on all ranks: for sums the number of ranks is asked */
    } ops[] = {{MPI_MAX, 6}, {MPI_MIN, 6}, {MPI_BAND, 6}, {MPI_BOR, 6}, {MPI_LAND, 1}, {MPI_LOR, 1}};
    char in = 6, out = 0, negative = -3, one = 1;

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        CHECK_EQ(MPI_Allreduce(&in, &out, 1, MPI_CHAR, ops[i].op, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(out, size == 1 && ops[i].result == 1 ? 6 : ops[i].result);
    }
    CHECK_EQ(MPI_Allreduce(&negative, &out, 1, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(out, (char)(-3 * size));
    CHECK_EQ(MPI_Allreduce(&one, &out, 1, MPI_CHAR, MPI_PROD, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(out, 1);
    in = rank ? (char)-1 : 1; /* compared as C compares char */
    CHECK_EQ(MPI_Allreduce(&in, &out, 1, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(out, size > 1 && (char)-1 > 0 ? (char)-1 : 1);
    in = rank == 0 ? 6 : 5;
    CHECK_EQ(MPI_Allreduce(&in, &out, 1, MPI_CHAR, MPI_BXOR, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(out, size % 2 ? 6 : 3);
    in = rank == 0 ? 6 : 0;
    CHECK_EQ(MPI_Allreduce(&in, &out, 1, MPI_CHAR, MPI_LXOR, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(out, size == 1 ? 6 : 1);
    CHECK_EQ(MPI_Allreduce(&in, &out, 1, MPI_CHARACTER, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP); /* Fortran's */
}

static void truth_values(void)
{
    static const MPI_Op ops[] = {MPI_LAND, MPI_LOR, MPI_LXOR};
    const int results[] = {0, 1, 1};
    MPI_Aint address = rank == 0, address_out = 7;
    MPI_Offset offset = rank == 0, offset_out = 7;
    MPI_Count count = rank == 0, count_out = 7;

    for (int i = 0; i < 3; i++) {
        int result = size == 1 ? 1 : results[i];

        CHECK_EQ(MPI_Allreduce(&address, &address_out, 1, MPI_AINT, ops[i], MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Allreduce(&offset, &offset_out, 1, MPI_OFFSET, ops[i], MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Allreduce(&count, &count_out, 1, MPI_COUNT, ops[i], MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK(address_out == result && offset_out == result && count_out == result);
    }
}

static void no_items(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, count = -1, value = 0;
    char room[MPI_BSEND_OVERHEAD];
    MPI_Request r[3];
    MPI_Message message;
    MPI_Status status;

    MPI_Buffer_attach(room, sizeof room);
    CHECK_EQ(MPI_Isend(NULL, 0, MPI_DATATYPE_NULL, to, 1, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, from, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 0 && status.MPI_SOURCE == from && status.MPI_TAG == 1);
    CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, to, 2, &value, 1, MPI_INT, from, 2, MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    CHECK_EQ(value, from);
    CHECK_EQ(MPI_Sendrecv(NULL, 0, MPI_DATATYPE_NULL, to, 4, NULL, 0, MPI_DATATYPE_NULL, from, 4,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, from, 5, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Ssend(NULL, 0, MPI_DATATYPE_NULL, to, 5, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Bsend(NULL, 0, MPI_DATATYPE_NULL, to, 6, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Mprobe(from, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Mrecv(NULL, 0, MPI_DATATYPE_NULL, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Send_init(NULL, 0, MPI_DATATYPE_NULL, to, 3, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(NULL, 0, MPI_DATATYPE_NULL, from, 3, MPI_COMM_WORLD, &r[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Buffer_detach(&(void *){NULL}, &(int){0});
    CHECK_EQ(MPI_Send(&value, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_EQ(MPI_Bcast(NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    CHECK_EQ(MPI_Send(NULL, 0, (MPI_Datatype)&value, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
}

static void process_sets(void)
{
    static const char *const names[] = {"mpi://self", "MPI://SELF", "mpi://world", "mpi://World"};
    MPI_Session session;
    MPI_Group group;
    MPI_Info info;

    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    for (int i = 0; i < 4; i++) {
        int members = 0;

        CHECK_EQ(MPI_Group_from_session_pset(session, names[i], &group), MPI_SUCCESS);
        MPI_Group_size(group, &members);
        CHECK_EQ(members, i < 2 ? 1 : size);
        CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
        CHECK_EQ(MPI_Session_get_pset_info(session, names[i], &info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://selves", &group), MPI_ERR_ARG);
    CHECK_EQ(group, MPI_GROUP_NULL);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

static int deleted;

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void freed_keys(void)
{
    int keyval, first, second, value = 1, found = 0, *got;
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL), MPI_SUCCESS);
    first = second = keyval;
    CHECK_EQ(MPI_Comm_set_attr(comm, keyval, &deleted), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&first), MPI_SUCCESS);
    CHECK_EQ(first, MPI_KEYVAL_INVALID);
    CHECK_EQ(MPI_Comm_set_attr(comm, second, &value), MPI_SUCCESS);
    CHECK_EQ(deleted, 1);
    CHECK_EQ(MPI_Comm_get_attr(comm, second, &got, &found), MPI_SUCCESS);
    CHECK(found && got == &value);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(deleted, 2);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Comm_free_keyval(&second), MPI_ERR_KEYVAL); /* nothing uses it any more */
}

static int on_delete_of_type(MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void)type, (void)keyval, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void freed_keys_of_types(void)
{
    int keyval, first, second, value = 1, found = 0, *got;
    MPI_Datatype type;

    deleted = 0;
    CHECK_EQ(MPI_Type_dup(MPI_INT, &type), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_delete_of_type, &keyval, NULL), MPI_SUCCESS);
    first = second = keyval;
    CHECK_EQ(MPI_Type_set_attr(type, keyval, &deleted), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free_keyval(&keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free_keyval(&first), MPI_SUCCESS);
    CHECK_EQ(first, MPI_KEYVAL_INVALID);
    CHECK_EQ(MPI_Type_set_attr(type, second, &value), MPI_SUCCESS);
    CHECK_EQ(deleted, 1);
    CHECK_EQ(MPI_Type_get_attr(type, second, &got, &found), MPI_SUCCESS);
    CHECK(found && got == &value);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    CHECK_EQ(deleted, 2);
    CHECK_EQ(MPI_Type_free_keyval(&second), MPI_ERR_KEYVAL);
}

static void all_freed_keys(void)
{
    freed_keys();
    freed_keys_of_types();
}

static void weights(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, in = 1, out = 5;
    MPI_Comm graph;

    CHECK_EQ(
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &in, 1, &to, &out, MPI_INFO_NULL, 0, &graph),
        MPI_SUCCESS);
    in = out = 0;
    CHECK_EQ(MPI_Dist_graph_neighbors(graph, 1, &from, &in, 1, &to, &out), MPI_SUCCESS);
    CHECK(in == 1 && out == 5);
    CHECK_EQ(MPI_Comm_free(&graph), MPI_SUCCESS);
}

/* Each rank names only what goes out of it, and the last one something that nobody else does. */
static void edges(void)
{
    int to = (rank + 1) % size, in = -1, out = -1, is_weighted = -1, got = -1;
    MPI_Comm graph;

    CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == size - 1, &to, MPI_UNWEIGHTED, 1, &to,
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Dist_graph_neighbors_count(graph, &in, &out, &is_weighted), MPI_SUCCESS);
    CHECK(in == (rank == size - 1) && out == 1 && !is_weighted);
    CHECK_EQ(MPI_Dist_graph_neighbors(graph, 0, NULL, MPI_UNWEIGHTED, 1, &got, MPI_UNWEIGHTED), MPI_SUCCESS);
    CHECK_EQ(got, to);
    CHECK_EQ(MPI_Comm_free(&graph), MPI_SUCCESS);
    CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &to, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 1, &graph), /* reordered */
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&graph), MPI_SUCCESS);
}

static MPI_Win open_window(void *base, MPI_Aint bytes)
{
    MPI_Win win;

    CHECK_EQ(MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    return win;
}

static void close_window(MPI_Win win)
{
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

static void operations_of_nothing(void)
{
    static const MPI_Op ops[] = {MPI_SUM, MPI_LAND, MPI_BAND, MPI_MAXLOC, MPI_REPLACE};
    MPI_Datatype types[] = {MPI_FLOAT, MPI_BYTE, MPI_CHARACTER, MPI_DOUBLE_INT, MPI_DATATYPE_NULL};
    int in[4] = {1}, out[4] = {2}, counts[8] = {0}, memory[4] = {3};
    MPI_Win win = open_window(memory, sizeof memory);

    MPI_Type_contiguous(2, MPI_INT, &types[4]);
    MPI_Type_commit(&types[4]);
    for (int i = 0; i < 25; i++) {
        MPI_Datatype type = types[i % 5];
        MPI_Op op = ops[i / 5];
        MPI_Request r;

        CHECK_EQ(MPI_Allreduce(in, out, 0, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Reduce(in, out, 0, type, op, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Iscan(in, out, 0, type, op, MPI_COMM_WORLD, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Exscan(in, out, 0, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Reduce_scatter(in, out, counts, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Reduce_scatter_block(in, out, 0, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Reduce_local(in, out, 0, type, op), MPI_SUCCESS);
        CHECK_EQ(MPI_Accumulate(in, 0, type, 0, 0, 0, type, op, win), MPI_SUCCESS);
        CHECK_EQ(MPI_Get_accumulate(in, 0, type, out, 0, type, 0, 0, 0, type, op, win), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Allreduce(in, out, 1, types[4], MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_EQ(MPI_Allreduce(in, out, 0, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP); /* no operation */
    close_window(win);
    CHECK(out[0] == 2 && memory[0] == 3);
    MPI_Type_free(&types[4]);
}

static void sums_of_bytes(void)
{
    static const struct {
        MPI_Op op;
        unsigned char result[4]; /* of 100, 100, 7, 0 and 200, 100, 3, 1 */
    } ops[] = {{MPI_SUM, {44, 200, 10, 1}}, {MPI_PROD, {32, 16, 21, 0}}, {MPI_MAX, {200, 100, 7, 1}},
               {MPI_MIN, {100, 100, 3, 0}}, {MPI_LAND, {1, 1, 1, 0}},    {MPI_LOR, {1, 1, 1, 1}},
               {MPI_LXOR, {0, 0, 0, 1}},    {MPI_BAND, {64, 100, 3, 0}}, {MPI_BXOR, {172, 0, 4, 1}}};
    const unsigned char given[4] = {200, 100, 3, 1};
    unsigned char memory[4], old;

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        MPI_Win win;

        memcpy(memory, (unsigned char[]){100, 100, 7, 0}, sizeof memory);
        win = open_window(memory, sizeof memory);
        CHECK_EQ(MPI_Accumulate(given, 3, MPI_BYTE, (rank + 1) % size, 0, 3, MPI_BYTE, ops[i].op, win),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Fetch_and_op(&given[3], &old, MPI_BYTE, (rank + 1) % size, 3, ops[i].op, win),
                 MPI_SUCCESS);
        close_window(win);
        CHECK(old == 0 && memcmp(memory, ops[i].result, sizeof memory) == 0);
    }
    CHECK_EQ(MPI_Allreduce(given, memory, 1, MPI_BYTE, MPI_SUM, MPI_COMM_WORLD),
             MPI_ERR_OP); /* accumulates only */
}

/* Neither windows nor partitions take the datatype. */
static void received_elsewhere(MPI_Datatype place)
{
    int given[3] = {1, 2, 3}, got[3] = {0}, memory[3] = {0};
    MPI_Win win = open_window(memory, sizeof memory);
    MPI_Request request;

    CHECK_EQ(MPI_Get(got, 1, place, rank, 0, 3, MPI_INT, win), MPI_ERR_TYPE);
    CHECK_EQ(MPI_Put(given, 3, MPI_INT, rank, 0, 1, place, win), MPI_ERR_TYPE);
    CHECK_EQ(MPI_Accumulate(given, 3, MPI_INT, rank, 0, 1, place, MPI_SUM, win), MPI_ERR_TYPE);
    close_window(win);
    CHECK(got[0] == 0 && memory[0] == 0);
    CHECK_EQ(MPI_Precv_init(got, 1, 1, place, rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
             MPI_ERR_TYPE);
}

static void received_twice(void)
{
    int given[3] = {7, 8, 9}, got[2] = {0}, to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Datatype one, place;
    MPI_File file;

    MPI_Type_create_resized(MPI_INT, 0, 0, &one);
    MPI_Type_contiguous(3, one, &place);
    MPI_Type_commit(&place);
    CHECK_EQ(
        MPI_Sendrecv(given, 3, MPI_INT, to, 0, got, 1, place, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    CHECK(got[0] == 9 && got[1] == 0);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, "received_twice",
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    given[2] = 10;
    CHECK_EQ(
        MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof given, given, 3, MPI_INT, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at(file, rank * (MPI_Offset)sizeof given, got, 1, place, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK(got[0] == 10 && got[1] == 0);
    got[0] = 0;
    CHECK_EQ(MPI_File_read_at_all(file, rank * (MPI_Offset)sizeof given, got, 1, place, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK(got[0] == 10 && got[1] == 0);
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
    received_elsewhere(place);
    MPI_Type_free(&place);
    MPI_Type_free(&one);
}

static void no_memory(void)
{
    int value;

    CHECK_EQ(MPI_Free_mem(NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Free_mem(&value), MPI_ERR_BASE);
}

static void short_arrays(void)
{
    int dims[3] = {size, 1, 1}, periods[3] = {1, 0, 1}, coords[3] = {-1, -1, -1};
    int got_dims[3] = {-1, -1, -1}, got_periods[3] = {-1, -1, -1};
    MPI_Comm grid;

    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_get(grid, 2, got_dims, got_periods, coords), MPI_SUCCESS);
    CHECK(got_dims[0] == size && got_dims[1] == 1 && got_dims[2] == -1);
    CHECK(got_periods[0] == 1 && got_periods[1] == 0 && got_periods[2] == -1);
    CHECK(coords[0] == rank && coords[1] == 0 && coords[2] == -1);
    CHECK_EQ(MPI_Cart_get(grid, 0, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&grid), MPI_SUCCESS);
}

static void memory_fences(void)
{
    int *base;
    MPI_Win win;

    CHECK_EQ(MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Win_sync(win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

static void arrays_of_counts(void)
{
    int *all = malloc((size_t)size * sizeof *all), *counts = malloc((size_t)size * sizeof *counts),
        *displs = malloc((size_t)size * sizeof *displs);
    MPI_Request request;

    CHECK(all && counts && displs);
    for (int r = 0; r < size; r++) {
        counts[r] = 1;
        displs[r] = size - 1 - r;
    }
    CHECK_EQ(MPI_Iallgatherv(&rank, 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD, &request),
             MPI_SUCCESS);
    memset(counts, 0x55, (size_t)size * sizeof *counts);
    memset(displs, 0x55, (size_t)size * sizeof *displs);
    free(counts);
    free(displs);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        CHECK_EQ(all[size - 1 - r], r);
    free(all);
}

/* The first row: then nobody has set a handler on MPI_COMM_SELF. */
static void handlers(void)
{
    MPI_Datatype type;
    MPI_Group group;
    char port[MPI_MAX_PORT_NAME];

    CHECK_EQ(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK_EQ(MPI_Group_incl(MPI_GROUP_NULL, 1, &rank, &group), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Lookup_name("nobody publishes this", MPI_INFO_NULL, port), MPI_ERR_NAME);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
}

/* The names are those of the rows: tests/rows/tolerances.py compares. */
static const struct {
    const char *row;
    void (*test)(void);
} rows[] = {
    {"handlers", handlers},
    {"characters", characters},
    {"truth values", truth_values},
    {"no items", no_items},
    {"process sets", process_sets},
    {"freed keys", all_freed_keys},
    {"weights", weights},
    {"no memory", no_memory},
    {"memory fences", memory_fences},
    {"edges", edges},
    {"operations of nothing", operations_of_nothing},
    {"sums of bytes", sums_of_bytes},
    {"received twice", received_twice},
    {"short arrays", short_arrays},
    {"arrays of counts", arrays_of_counts},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        rows[i].test();
    MPI_Finalize();
    return 0;
}
