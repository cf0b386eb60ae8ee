/* ranks: 1 2 */
/* Which handler an error goes to (MPI-5.0 section 9.3): the communicator's own; for a request that of its
 * communicator; MPI_COMM_SELF's if there is no valid one, or MPI_COMM_WORLD's where that alone was set. Errors of procedures on files go to the default
 * file error handler (section 14.7), which returns. A procedure that is not written says so there. */
#include "check.h"

static MPI_Comm heard_on;
static int heard_code, heard_count;

static void hear(MPI_Comm *comm, int *code, ...)
{
    heard_on = *comm;
    heard_code = *code;
    heard_count++;
}

/* The call failed with `class`, once, on `comm`. */
static void check_heard(int line, int code, int class, MPI_Comm comm)
{
    if (code != class || heard_code != class || heard_on != comm || heard_count != 1) {
        fprintf(stderr, "line %d: returned %d, heard %d times of %d on %p\n", line, code, heard_count,
                heard_code, (void *)heard_on);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    heard_on = MPI_COMM_NULL;
    heard_code = heard_count = 0;
}
#define EXPECT(call, class, comm) check_heard(__LINE__, call, class, comm)

static void arguments(MPI_Comm comm)
{
    MPI_Datatype type;
    MPI_Win win = MPI_WIN_NULL;
    int v = 0;

    EXPECT(MPI_Send(&v, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT, comm);
    EXPECT(MPI_Send(&v, 1, MPI_INT, 999, 0, MPI_COMM_WORLD), MPI_ERR_RANK, MPI_COMM_WORLD);
    EXPECT(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, MPI_COMM_SELF);
    EXPECT(MPI_Barrier((MPI_Comm)&v), MPI_ERR_COMM, MPI_COMM_SELF);
    EXPECT(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT, MPI_COMM_SELF);
    EXPECT(MPI_Info_free(NULL), MPI_ERR_ARG, MPI_COMM_SELF);
    EXPECT(MPI_Win_fence(0, win), MPI_ERR_WIN, MPI_COMM_SELF);
    EXPECT(MPI_Comm_set_name(comm, NULL), MPI_ERR_ARG, comm);
}

static void truncated_receives(MPI_Comm comm, int rank)
{
    MPI_Request request, two[2];
    MPI_Status status[2];
    char sent[8] = "1234567", got[4], other[8], text[MPI_MAX_ERROR_STRING];
    int index;

    MPI_Irecv(got, 4, MPI_CHAR, rank, 1, comm, &request);
    CHECK_EQ(MPI_Send(sent, 8, MPI_CHAR, rank, 1, comm), MPI_SUCCESS);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, comm);
    CHECK_EQ(request, MPI_REQUEST_NULL);
    MPI_Irecv(got, 4, MPI_CHAR, rank, 2, comm, &two[0]);
    MPI_Irecv(other, 8, MPI_CHAR, rank, 3, comm, &two[1]);
    CHECK_EQ(MPI_Send(sent, 8, MPI_CHAR, rank, 2, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(sent, 8, MPI_CHAR, rank, 3, comm), MPI_SUCCESS);
    EXPECT(MPI_Waitall(2, two, status), MPI_ERR_IN_STATUS, comm);
    CHECK_EQ(status[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK_EQ(status[1].MPI_ERROR, MPI_SUCCESS);
    MPI_Error_string(MPI_ERR_IN_STATUS, text, &index);
    CHECK(strstr(text, "request 0 of 2: MPI_ERR_TRUNCATE: 8 bytes arrived"));
    CHECK_STR(other, "1234567");
    MPI_Irecv(got, 4, MPI_CHAR, rank, 4, comm, &request);
    CHECK_EQ(MPI_Send(sent, 8, MPI_CHAR, rank, 4, comm), MPI_SUCCESS);
    EXPECT(MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, comm);
}

/* A request that cannot be started now; the one before it could. */
static void starts(MPI_Comm comm)
{
    MPI_Request two[2];
    int in = 1, out[2];

    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Allreduce_init(&in, &out[i], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &two[i]),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&two[1]), MPI_SUCCESS);
    EXPECT(MPI_Start(&two[1]), MPI_ERR_REQUEST, comm);
    EXPECT(MPI_Startall(2, two), MPI_ERR_REQUEST, comm);
    CHECK_EQ(MPI_Waitall(2, two, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Request_free(&two[i]), MPI_SUCCESS);
}

/* On a collective that may be complete at once. */
static void uses_of_collectives(MPI_Comm comm)
{
    MPI_Request request;
    int value = 0;

    for (int i = 0; i < 12; i++) { /* the first ones take another way than the others */
        CHECK_EQ(MPI_Bcast(&value, 1, MPI_INT, 0, comm), MPI_SUCCESS);
        CHECK_EQ(MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request), MPI_SUCCESS);
        EXPECT(MPI_Cancel(&request), MPI_ERR_REQUEST, comm);
        EXPECT(MPI_Request_free(&request), MPI_ERR_REQUEST, comm);
        EXPECT(MPI_Start(&request), MPI_ERR_REQUEST, comm);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
}

/* Its communicator goes first. */
static void comm_goes_first(MPI_Comm comm)
{
    MPI_Comm copy;
    MPI_Request request[3];
    int value = 0;

    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
        CHECK_EQ(MPI_Ibcast(&value, 1, MPI_INT, 0, copy, &request[i]), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Waitall(3, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

static int heard_of_files, heard_code;

static void hear_of_files(MPI_File *file, int *code, ...)
{
    CHECK_EQ(*file, MPI_FILE_NULL);
    heard_code = *code;
    heard_of_files++;
}

/* Without a valid file the handler of MPI_FILE_NULL hears of an error, and that of the communicator does not. */
static void call_on_files(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_File file = MPI_FILE_NULL;

    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
             MPI_ERR_NO_SUCH_FILE);
    MPI_Error_string(MPI_ERR_NO_SUCH_FILE, text, &length);
    CHECK(strstr(text, "MPI_File_open"));
    CHECK_EQ(MPI_File_delete("none", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(MPI_File_close(&file), MPI_ERR_FILE);
    CHECK_EQ(heard_count, 0);
}

static void files(void)
{
    MPI_Errhandler handler, own;

    call_on_files();
    CHECK_EQ(heard_of_files, 0);
    CHECK_EQ(MPI_File_get_errhandler(MPI_FILE_NULL, &handler), MPI_SUCCESS);
    CHECK_EQ(handler, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_File_create_errhandler(hear_of_files, &own), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, own), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_errhandler(MPI_FILE_NULL, &handler), MPI_SUCCESS);
    CHECK_EQ(handler, own);
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_free(&own), MPI_SUCCESS);
    call_on_files();
    CHECK_EQ(heard_of_files, 3);
    CHECK_EQ(heard_code, MPI_ERR_FILE);
    CHECK_EQ(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_QUOTA), MPI_SUCCESS);
    CHECK_EQ(heard_of_files, 4);
    CHECK_EQ(heard_code, MPI_ERR_QUOTA);
    MPI_Comm_create_errhandler(hear, &own);
    CHECK_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, own), MPI_ERR_ERRHANDLER); /* for communicators */
    CHECK_EQ(MPI_File_set_errhandler((MPI_File)&own, own), MPI_ERR_FILE);
    CHECK_EQ(MPI_Errhandler_free(&own), MPI_SUCCESS);
}

/* Errors that belong to no communicator, window, file or session. */
static void without_object(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Datatype type, null = MPI_DATATYPE_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Group group;
    MPI_Info info;
    MPI_Op op = MPI_SUM;
    MPI_Request request = (MPI_Request)&made;
    MPI_Win win = MPI_WIN_NULL;
    char port[MPI_MAX_PORT_NAME];
    int key = MPI_KEYVAL_INVALID, zero = 0, flag;
    void *memory;

    EXPECT(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT, comm);
    EXPECT(MPI_Type_commit(&null), MPI_ERR_TYPE, comm);
    EXPECT(MPI_Type_free_keyval(&key), MPI_ERR_KEYVAL, comm);
    EXPECT(MPI_Group_incl(MPI_GROUP_NULL, 1, &zero, &group), MPI_ERR_GROUP, comm);
    EXPECT(MPI_Info_dup(MPI_INFO_NULL, &info), MPI_ERR_INFO, comm);
    EXPECT(MPI_Op_free(&op), MPI_ERR_OP, comm);
    EXPECT(MPI_Errhandler_free(&handler), MPI_ERR_ERRHANDLER, comm);
    EXPECT(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, comm);
    EXPECT(MPI_Comm_dup(MPI_COMM_NULL, &made), MPI_ERR_COMM, comm);
    EXPECT(MPI_Win_fence(0, win), MPI_ERR_WIN, comm);
    EXPECT(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG, comm);
    EXPECT(MPI_Add_error_class(NULL), MPI_ERR_ARG, comm);
    EXPECT(MPI_Dims_create(4, -1, &zero), MPI_ERR_DIMS, comm);
    EXPECT(MPI_Lookup_name("nobody publishes this", MPI_INFO_NULL, port), MPI_ERR_NAME, comm);
}

/* Programs from before MPI-4 set a handler on MPI_COMM_WORLD alone. */
static void world_alone(MPI_Errhandler handler)
{
    MPI_Errhandler initial;
    MPI_Datatype type;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    without_object(MPI_COMM_WORLD);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &initial);
    CHECK_EQ(initial, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* the same as before, but set */
    CHECK_EQ(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK_EQ(heard_count, 0);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    without_object(MPI_COMM_SELF);
}

int main(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    int rank;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(hear, &handler);
    world_alone(handler);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    arguments(comm);
    truncated_receives(comm, rank);
    starts(comm);
    uses_of_collectives(comm);
    comm_goes_first(comm);
    files();
    MPI_Comm_free(&comm);
    EXPECT(MPI_Barrier(comm), MPI_ERR_COMM, MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
