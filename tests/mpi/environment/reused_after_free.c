/* ranks: 2  timeout: 60  also: INKLING_CMA=false  also: INKLING_TRANSPORT=ofi */
/* What comes from a pool knows nothing of who had it before: an object is made with everything that it can have, freed, and made
 * again without; where it is freed while it is used, who uses it goes on with the old one. */
#include "check.h"

#include <stdbool.h>
#include <unistd.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

enum {
    COUNT = 30000, /* integers: not eager */
    ROUNDS = 3     /* pools give the last one back first, or the first */
};

static int rank, other;
static int out[2 * COUNT], in[2 * COUNT];
static char path[64];

static void fill(int round)
{
    for (int i = 0; i < 2 * COUNT; i++) {
        out[i] = (10 * round + rank) * COUNT + i;
        in[i] = -1;
    }
}

static void check(int count, int round)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(in[i], (10 * round + other) * COUNT + i);
}

static bool has_hint(MPI_Info info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL];
    int flag, length = sizeof value;

    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    OK(MPI_Info_free(&info));
    return flag && strcmp(value, expected) == 0;
}

/* Hints, name, attribute, topology and buffer; a receive that is posted when the communicator is freed. */
static void communicators(int round)
{
    static char room[1000];
    MPI_Comm comm, cart;
    MPI_Info info;
    MPI_Request request, send;
    int keyval, flag, length, status;
    char name[MPI_MAX_OBJECT_NAME];
    void *found;

    fill(round);
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){1}, 0, &cart));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_source", "true"));
    OK(MPI_Comm_set_info(cart, info));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_set_name(cart, "before"));
    OK(MPI_Comm_set_attr(cart, keyval, room));
    OK(MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN));
    OK(MPI_Comm_attach_buffer(cart, room, sizeof room));
    OK(MPI_Irecv(in, COUNT, MPI_INT, other, 4, cart, &request));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, other, 5, &flag, 1, MPI_INT, other, 5, cart, MPI_STATUS_IGNORE));
    OK(MPI_Isend(out, COUNT, MPI_INT, other, 4, cart, &send));
    OK(MPI_Request_free(&send));
    OK(MPI_Comm_detach_buffer(cart, &found, &length));
    OK(MPI_Comm_free(&cart)); /* with both under way */
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_get_info(comm, &info));
    CHECK(!has_hint(info, "mpi_assert_no_any_source", "true"));
    OK(MPI_Comm_get_name(comm, name, &length));
    CHECK_STR(name, "");
    OK(MPI_Comm_get_attr(comm, keyval, &found, &flag));
    CHECK(!flag);
    OK(MPI_Topo_test(comm, &status));
    CHECK_EQ(status, MPI_UNDEFINED);
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_EQ(class_of(MPI_Comm_detach_buffer(comm, &found, &length)), MPI_ERR_BUFFER);
    flag = -1;
    OK(MPI_Sendrecv(&round, 1, MPI_INT, other, 4, &flag, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
                    MPI_STATUS_IGNORE));
    CHECK_EQ(flag, round);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check(COUNT, round);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free_keyval(&keyval));
    OK(MPI_Barrier(MPI_COMM_WORLD)); /* the send has ended with the receive of the other */
}

/* Freed while it is under way; the next takes its place, and another status. */
static void requests(int round)
{
    MPI_Request send, receive[2];
    MPI_Status status[2];
    int small = -1, count;

    fill(round);
    OK(MPI_Irecv(in, COUNT, MPI_INT, other, 1, MPI_COMM_WORLD, &receive[0]));
    OK(MPI_Irecv(&small, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &receive[1]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Isend(out, COUNT, MPI_INT, other, 1, MPI_COMM_WORLD, &send));
    OK(MPI_Request_free(&send));
    OK(MPI_Isend(&round, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &send));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(2, receive, status));
    check(COUNT, round);
    CHECK_EQ(small, round);
    OK(MPI_Get_count(&status[0], MPI_INT, &count));
    CHECK_EQ(count, COUNT);
    OK(MPI_Get_count(&status[1], MPI_INT, &count));
    CHECK(count == 1 && status[1].MPI_TAG == 2 && status[1].MPI_SOURCE == other);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The next partitioned or persistent one has other partitions and counts. */
static void persistent(int round)
{
    MPI_Request request[2];

    for (int parts = 6; parts >= 2; parts -= 2) {
        fill(round + parts);
        OK(MPI_Psend_init(out, parts, COUNT / parts, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request[0]));
        OK(MPI_Precv_init(in, 1, COUNT, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]));
        OK(MPI_Startall(2, request));
        for (int p = 0; p < parts; p++)
            OK(MPI_Pready(p, request[0]));
        OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
        check(COUNT, round + parts);
        OK(MPI_Request_free(&request[0]));
        OK(MPI_Request_free(&request[1]));
        fill(round);
        OK(MPI_Allgather_init(out, parts, MPI_INT, in, parts, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request[0]));
        OK(MPI_Start(&request[0]));
        OK(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
        for (int i = 0; i < 2 * parts; i++)
            CHECK_EQ(in[i], (10 * round + i / parts) * COUNT + i % parts);
        OK(MPI_Request_free(&request[0]));
    }
}

/* Freed while a message uses it, and while the target of a window knows it by its number. */
static void types(int round)
{
    static int memory[8];
    MPI_Datatype type;
    MPI_Request request;
    MPI_Win win;

    fill(round);
    OK(MPI_Type_vector(COUNT, 1, 2, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Irecv(in, 1, type, other, 6, MPI_COMM_WORLD, &request));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_contiguous(COUNT, MPI_INT, &type)); /* in its place */
    OK(MPI_Type_commit(&type));
    OK(MPI_Send(out, 1, type, other, 6, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        CHECK(in[2 * i] == (10 * round + other) * COUNT + i && in[2 * i + 1] == -1);
    OK(MPI_Type_free(&type));
    OK(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (int stride = 2; stride <= 7; stride++) {
        memset(memory, 0, sizeof memory);
        OK(MPI_Win_fence(0, win));
        OK(MPI_Type_vector(2, 1, stride, MPI_INT, &type));
        OK(MPI_Type_commit(&type));
        OK(MPI_Put((int[]){stride, -stride}, 2, MPI_INT, other, 0, 1, type, win));
        OK(MPI_Type_free(&type));
        OK(MPI_Win_fence(0, win));
        for (int i = 0; i < 8; i++)
            CHECK_EQ(memory[i], i == 0 ? stride : i == stride ? -stride : 0);
    }
    OK(MPI_Win_free(&win));
}

static void largest(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)b)[i] = ((int *)a)[i] > ((int *)b)[i] ? ((int *)a)[i] : ((int *)b)[i];
}

static void smallest(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)b)[i] = ((int *)a)[i] < ((int *)b)[i] ? ((int *)a)[i] : ((int *)b)[i];
}

static void operations(int round)
{
    MPI_Op op;
    MPI_Request request;
    int mine = 10 * round + rank, one = -1, two = -1;

    OK(MPI_Op_create(largest, 1, &op));
    OK(MPI_Iallreduce(&mine, &one, 1, MPI_INT, op, MPI_COMM_WORLD, &request));
    OK(MPI_Op_free(&op));
    OK(MPI_Op_create(smallest, 1, &op));
    OK(MPI_Allreduce(&mine, &two, 1, MPI_INT, op, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(one == 10 * round + 1 && two == 10 * round);
    OK(MPI_Op_free(&op));
}

/* Memory is taken again for another window, of another size, unit and hints; what was attached is not. */
static void windows(int round)
{
    MPI_Win win;
    MPI_Info info;
    int *memory, size = (round + 1) * 1000, *unit, flag, value = -1;
    MPI_Aint *bytes, place, there;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_locks", round % 2 ? "true" : "false"));
    OK(MPI_Win_allocate(size * (MPI_Aint)sizeof(int), round + 1, info, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_get_info(win, &info));
    CHECK(has_hint(info, "no_locks", round % 2 ? "true" : "false"));
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK_EQ(*bytes, size * (MPI_Aint)sizeof(int));
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK_EQ(*unit, round + 1);
    memory[size - 1] = 7 * round + rank;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(&value, 1, MPI_INT, other, (size - 1) * (MPI_Aint)sizeof(int) / (round + 1), 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK((size - 1) * sizeof(int) % (unsigned)(round + 1) || value == 7 * round + other);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (int i = 1; i <= 3; i++) { /* the same place, a part of it and more of it */
        OK(MPI_Win_attach(win, in + 10, (2 * i % 3 + 1) * (MPI_Aint)sizeof(int)));
        OK(MPI_Get_address(in + 10, &place));
        OK(MPI_Sendrecv(&place, 1, MPI_AINT, other, 8, &there, 1, MPI_AINT, other, 8, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        in[10 + 2 * i % 3] = -1;
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win));
        OK(MPI_Put(&i, 1, MPI_INT, other, MPI_Aint_add(there, (2 * i % 3) * (MPI_Aint)sizeof(int)), 1,
                   MPI_INT, win));
        OK(MPI_Win_unlock(other, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_EQ(in[10 + 2 * i % 3], i);
        OK(MPI_Win_detach(win, in + 10));
    }
    OK(MPI_Win_free(&win));
}

/* Allocated memory that was sent from and received into is so again, in blocks of other sizes. */
static void memory(int round)
{
    for (int count = 1000; count <= COUNT; count += 7000) {
        int *from, *to;

        OK(MPI_Alloc_mem(count * (MPI_Aint)sizeof(int), MPI_INFO_NULL, &from));
        OK(MPI_Alloc_mem(2 * count * (MPI_Aint)sizeof(int), MPI_INFO_NULL, &to));
        for (int i = 0; i < count; i++)
            from[i] = round * COUNT + i;
        OK(MPI_Sendrecv(from, count, MPI_INT, other, 0, to + count, count, MPI_INT, other, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        CHECK_EQ(memcmp(from, to + count, (size_t)count * sizeof(int)), 0);
        OK(MPI_Free_mem(from));
        OK(MPI_Free_mem(to));
    }
}

/* View, atomicity, pointers and hints. */
static void files(int round)
{
    MPI_File file;
    MPI_Offset at;
    MPI_Datatype etype, filetype;
    MPI_Info info;
    char name[MPI_MAX_DATAREP_STRING];
    int flag;

    for (int turn = 0; turn < 2; turn++) {
        OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
        OK(MPI_File_get_position(file, &at));
        CHECK_EQ(at, 0);
        OK(MPI_File_get_position_shared(file, &at));
        CHECK_EQ(at, 0);
        OK(MPI_File_get_atomicity(file, &flag));
        CHECK(!flag);
        OK(MPI_File_get_view(file, &at, &etype, &filetype, name));
        CHECK(at == 0 && etype == MPI_BYTE && filetype == MPI_BYTE && strcmp(name, "native") == 0);
        OK(MPI_File_get_info(file, &info));
        CHECK(!has_hint(info, "cb_buffer_size", "1048576"));
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "cb_buffer_size", "1048576"));
        OK(MPI_File_set_view(file, 4, MPI_INT, MPI_INT, "external32", info));
        OK(MPI_Info_free(&info));
        OK(MPI_File_set_atomicity(file, 1));
        OK(MPI_File_write(file, out, round + 1, MPI_INT, MPI_STATUS_IGNORE));
        OK(MPI_File_write_ordered(file, out, 5, MPI_INT, MPI_STATUS_IGNORE));
        OK(MPI_File_close(&file));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        OK(MPI_File_delete(path, MPI_INFO_NULL));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A keyval that is freed while an attribute has it, and a class, a code and a text that are removed. */
static void numbers(int round)
{
    int old, new, flag, class, code, length;
    char text[MPI_MAX_ERROR_STRING];
    void *found;
    MPI_Comm comm;

    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &old, NULL));
    OK(MPI_Comm_set_attr(comm, old, &round));
    OK(MPI_Comm_free_keyval(&old));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &new, NULL));
    OK(MPI_Comm_get_attr(comm, new, &found, &flag));
    CHECK(!flag);
    OK(MPI_Comm_free_keyval(&new));
    OK(MPI_Comm_free(&comm));
    for (int turn = 0; turn < 2; turn++) {
        OK(MPI_Add_error_class(&class));
        OK(MPI_Add_error_code(class, &code));
        OK(MPI_Error_string(code, text, &length));
        CHECK_STR(text, "");
        OK(MPI_Add_error_string(code, "a text"));
        OK(MPI_Remove_error_string(code));
        OK(MPI_Remove_error_code(code));
        OK(MPI_Remove_error_class(class));
    }
}

/* A port that is closed is not the next one, though its socket may have the same number. */
static void ports(int round)
{
    char port[2][MPI_MAX_PORT_NAME];
    MPI_Comm comm;
    MPI_Info info;

    if (rank == 0)
        for (int k = 0; k < 2; k++) {
            OK(MPI_Open_port(MPI_INFO_NULL, port[k]));
            if (k == 0)
                OK(MPI_Close_port(port[k]));
        }
    OK(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "timeout", "1"));
    if (rank == 1)
        CHECK(class_of(MPI_Comm_connect(port[0], info, 0, MPI_COMM_SELF, &comm)) == MPI_ERR_PORT);
    if (rank == 1)
        OK(MPI_Comm_connect(port[1], MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm));
    else
        OK(MPI_Comm_accept(port[1], MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm));
    fill(round);
    OK(MPI_Sendrecv(out, COUNT, MPI_INT, 0, 0, in, COUNT, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE));
    check(COUNT, round);
    OK(MPI_Comm_disconnect(&comm));
    if (rank == 0)
        OK(MPI_Close_port(port[1]));
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    long number = getpid();

    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    other = 1 - rank;
    snprintf(path, sizeof path, "/dev/shm/tested_reused_after_free.%ld", number);
    for (int round = 0; round < ROUNDS; round++) {
        communicators(round);
        requests(round);
        persistent(round);
        types(round);
        operations(round);
        windows(round);
        memory(round);
        files(round);
        numbers(round);
        ports(round);
    }
    return MPI_Finalize();
}
