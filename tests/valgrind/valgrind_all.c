/* valgrind_all: uses all kinds of objects and ends them. Whoever looks for leaks finds none of the library's. Argument: what to
 * lose, to show that losses are found. */
#include "check.h"

enum {
    LONG = 300000,
    MANY = 100
};

static int rank, size, up, down;

static void messages(void)
{
    char *out = calloc(1, LONG), *in = calloc(1, LONG);
    int value = rank, got = -1;
    MPI_Request request[2];

    CHECK(out && in);
    CHECK_EQ(
        MPI_Sendrecv(&value, 1, MPI_INT, up, 0, &got, 1, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    CHECK_EQ(got, down);
    MPI_Sendrecv(out, LONG, MPI_CHAR, up, 1, in, LONG, MPI_CHAR, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send_init(out, LONG, MPI_CHAR, up, 2, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(in, LONG, MPI_CHAR, down, 2, MPI_COMM_WORLD, &request[1]);
    CHECK_EQ(MPI_Startall(2, request), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    free(out);
    free(in);
}

static void types(void)
{
    MPI_Datatype pair, spaced;
    int from[4] = {1, 2, 3, 4}, to[4] = {0};

    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_INT}, &pair);
    MPI_Type_create_resized(pair, 0, sizeof from, &spaced);
    MPI_Type_commit(&spaced);
    CHECK_EQ(MPI_Sendrecv(from, 1, spaced, up, 3, to, 1, spaced, down, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK(to[0] == 1 && to[2] == 3);
    MPI_Type_free(&pair);
    MPI_Type_free(&spaced);
}

static void communicators(void)
{
    MPI_Comm dup, half, grid, inter = MPI_COMM_NULL;
    int sum = 0;
    double x[MANY] = {0}, y[MANY];
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(dup, rank % 2, 0, &half);
    MPI_Cart_create(dup, 1, &size, (int[]){1}, 0, &grid);
    if (size > 1)
        CHECK_EQ(MPI_Intercomm_create(half, 0, dup, 1 - rank % 2, 7, &inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(x, y, MANY, MPI_DOUBLE, MPI_SUM, dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Iallreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, grid, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(sum, size);
    if (size > 1)
        MPI_Comm_free(&inter);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&half);
    MPI_Comm_free(&dup);
}

static void windows(void)
{
    int *words, own[MANY] = {0}, one = 1;
    MPI_Win made, given;

    MPI_Win_allocate(sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &words, &made);
    MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &given);
    words[3] = 0;
    MPI_Win_fence(0, made);
    CHECK_EQ(MPI_Accumulate(&one, 1, MPI_INT, up, 3, 1, MPI_INT, MPI_SUM, made), MPI_SUCCESS);
    MPI_Win_fence(0, made);
    CHECK_EQ(words[3], 1);
    MPI_Win_lock(MPI_LOCK_SHARED, up, 0, given);
    CHECK_EQ(MPI_Put(&one, 1, MPI_INT, up, 2, 1, MPI_INT, given), MPI_SUCCESS);
    MPI_Win_unlock(up, given);
    MPI_Win_free(&given);
    MPI_Win_free(&made);
}

static void files(void)
{
    MPI_File file;
    double x[MANY] = {0}, y[MANY];
    MPI_Request request;

    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, "valgrind.dat",
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof x, x, MANY, MPI_DOUBLE, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_File_iread_at(file, rank * (MPI_Offset)sizeof x, y, MANY, MPI_DOUBLE, &request),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

static void a_session(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "valgrind", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

/* A block to which nothing points. */
static void lose(void)
{
    char *volatile block = malloc(77);

    CHECK(block);
    block = NULL;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    up = (rank + 1) % size;
    down = (rank + size - 1) % size;
    if (argc == 1 || strcmp(argv[1], "nothing") != 0) {
        messages();
        types();
        communicators();
        windows();
        files();
        a_session();
    }
    if (argc > 1 && strcmp(argv[1], "lose") == 0)
        lose();
    MPI_Finalize();
    return 0;
}
