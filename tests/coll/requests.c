/* Requests of collectives: many in flight at once, persistent ones started in another order on each rank, and
 * forbidden uses of them. Calls that do not match are reported and leave the library working. */
#include "check.h"

enum {
    MANY = 40
};

static int rank, size;

static int sum_of(int base)
{
    return size * base + size * (size - 1) / 2;
}

/* Of different kinds and lengths, completed in the opposite order. */
static void many_at_once(void)
{
    static int in[MANY][500], out[MANY][500];
    MPI_Request request[2 * MANY];

    for (int i = 0; i < MANY; i++) {
        for (int k = 0; k < 500; k++)
            in[i][k] = rank + i;
        CHECK_EQ(
            MPI_Iallreduce(in[i], out[i], i % 4 ? 1 : 500, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[2 * i]),
            MPI_SUCCESS);
        CHECK_EQ(MPI_Ibarrier(MPI_COMM_WORLD, &request[2 * i + 1]), MPI_SUCCESS);
    }
    for (int i = 2 * MANY - 1; i >= MANY; i--)
        CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < MANY; i++) {
        CHECK_EQ(out[i][0], sum_of(i));
        CHECK_EQ(out[i][i % 4 ? 0 : 499], sum_of(i));
    }
}

/* More than fits into the memory that the ranks share, of every length, completed from the last one on. */
static void long_ones_at_once(void)
{
    enum {
        COUNT = 12,
        INTS = 60000
    };
    static int sent[INTS], cast[COUNT][INTS], sum[COUNT][INTS], all[COUNT][20 * INTS / 100];
    MPI_Request request[3 * COUNT];

    for (int k = 0; k < INTS; k++)
        sent[k] = rank + k;
    for (int i = 0; i < COUNT; i++) {
        int length = INTS / (1 + i % 5 * i);

        for (int k = 0; k < length; k++)
            cast[i][k] = rank == i % size ? i + k : -1;
        CHECK_EQ(MPI_Ibcast(cast[i], length, MPI_INT, i % size, MPI_COMM_WORLD, &request[3 * i]),
                 MPI_SUCCESS);
        CHECK_EQ(
            MPI_Iallreduce(sent, sum[i], length / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[3 * i + 1]),
            MPI_SUCCESS);
        CHECK_EQ(MPI_Iallgather(sent, length / 100, MPI_INT, all[i], length / 100, MPI_INT, MPI_COMM_WORLD,
                                &request[3 * i + 2]),
                 MPI_SUCCESS);
    }
    for (int i = 3 * COUNT - 1; i >= 0; i--)
        CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++) {
        int length = INTS / (1 + i % 5 * i), each = length / 100;

        for (int k = 0; k < length; k++)
            CHECK_EQ(cast[i][k], i + k);
        for (int k = 0; k < length / 4; k++)
            CHECK_EQ(sum[i][k], sum_of(k));
        for (int k = 0; k < size * each; k++)
            CHECK_EQ(all[i][k], k / each + k % each);
    }
}

/* A rank that has started many and waits for none lets the others finish theirs. */
static void one_is_far_ahead(void)
{
    enum {
        COUNT = 200
    };
    static int value[COUNT][3000];
    MPI_Request request[COUNT];

    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3000; k++)
            value[i][k] = rank == 0 ? i + k : 0;
        CHECK_EQ(MPI_Ibcast(value[i], i % 3 ? 3000 : 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]),
                 MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Waitall(COUNT, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK(value[i][0] == i && value[i][2999] == (i % 3 || rank == 0 ? i + 2999 : 0));
}

/* Thousands that take messages: a poll does not look at all of them, yet all end, whichever is waited for. */
static void thousands_at_once(void)
{
    enum {
        COUNT = 4000
    };
    static int in[COUNT], out[COUNT];
    static MPI_Request request[COUNT];
    int done, indices[COUNT];

    for (int i = 0; i < COUNT; i++) {
        in[i] = rank + i;
        CHECK_EQ(MPI_Iscan(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]), MPI_SUCCESS);
    }
    for (int i = 0; i < COUNT; i += COUNT / 10) {
        int which = (i + rank * 577) % COUNT;

        CHECK_EQ(MPI_Wait(&request[which], MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(out[which], (rank + 1) * which + rank * (rank + 1) / 2);
    }
    do
        CHECK_EQ(MPI_Waitsome(COUNT, request, &done, indices, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    while (done != MPI_UNDEFINED);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(out[i], (rank + 1) * i + rank * (rank + 1) / 2);
}

/* A nonblocking collective goes on in any call that makes progress, and beside blocking ones. */
static void beside_others(void)
{
    int value = rank == 0 ? 17 : 0, flag = 0, in = rank, sum = 0, token = rank;
    MPI_Request request;

    CHECK_EQ(MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                                  MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    while (!flag)
        CHECK_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(request, MPI_REQUEST_NULL);
    CHECK_EQ(value, 17);
    CHECK_EQ(sum, sum_of(0));
}

/* Each rank starts them in an order of its own, unless the communicator asserts the same order. */
static void persistent_orders(MPI_Comm comm, int is_strict)
{
    enum {
        COUNT = 12
    };
    int in[COUNT], out[COUNT], first = is_strict ? 0 : rank;
    MPI_Request request[COUNT];

    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(MPI_Allreduce_init(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[i]),
                 MPI_SUCCESS);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < COUNT; i++)
            in[i] = rank + i + round;
        for (int i = 0; i < COUNT; i++)
            CHECK_EQ(MPI_Start(&request[(first + i) % COUNT]), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(COUNT, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        for (int i = 0; i < COUNT; i++)
            CHECK_EQ(out[i], sum_of(i + round));
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    }
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(MPI_Request_free(&request[i]), MPI_SUCCESS);
}

static MPI_Comm strict_comm(void)
{
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_strict_persistent_collective_ordering", "true");
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    MPI_Info_free(&info);
    return comm;
}

/* The communicator, the type and the operation may go before the request does. */
static void parts_go_first(void)
{
    int in[2] = {rank, 1}, out[2] = {0, 0};
    MPI_Request request;
    MPI_Comm comm;
    MPI_Datatype pair;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    CHECK_EQ(MPI_Bcast_init(rank == 0 ? in : out, 1, pair, 0, comm, MPI_INFO_NULL, &request), MPI_SUCCESS);
    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (rank)
        CHECK(out[0] == 0 && out[1] == 1);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

static void wrong_uses(void)
{
    int value = 0, sum;
    MPI_Request request, copy;
    MPI_Status status;

    CHECK_EQ(MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Start(&request)), MPI_ERR_REQUEST);
    CHECK_EQ(class_of(MPI_Cancel(&request)), MPI_ERR_REQUEST);
    CHECK_EQ(class_of(MPI_Request_free(&request)), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    copy = request;
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Start(&copy)), MPI_ERR_REQUEST);
    CHECK_EQ(class_of(MPI_Allreduce_init(&value, &sum, 1, MPI_WCHAR, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                         &request)),
             MPI_ERR_OP);
    CHECK_EQ(class_of(MPI_Ireduce(&value, &sum, 1, MPI_FLOAT, MPI_BAND, 0, MPI_COMM_WORLD, &request)),
             MPI_ERR_OP);
    CHECK_EQ(class_of(MPI_Ibarrier(MPI_COMM_NULL, &request)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Ibcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD, &request)), MPI_ERR_ROOT);
}

/* Rank 0 has less than the others wait for; then more. In both forms nobody takes garbage for data. */
static void wrong_lengths(int count)
{
    static int data[4000], all[4000 * 17];
    int mine = rank == 0 ? count / 2 : count, class;
    MPI_Request request;

    class = class_of(MPI_Bcast(data, mine, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_EQ(class == MPI_SUCCESS, rank == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    class =
        class_of(MPI_Gather(data, rank ? count / 2 : count, MPI_INT, all, count, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_EQ(class == MPI_SUCCESS, rank != 0);
    MPI_Barrier(MPI_COMM_WORLD);
    class = class_of(MPI_Ibcast(data, mine, MPI_INT, 0, MPI_COMM_WORLD, &request));
    if (class == MPI_SUCCESS) /* else the message was there, and its length was found out at once */
        class = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(class == MPI_SUCCESS, rank == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int one = 1, sum = 0;
    MPI_Comm strict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    many_at_once();
    for (int i = 0; i < 6; i++) { /* the first ones take messages */
        int in[3000] = {rank}, out[3000];

        CHECK_EQ(MPI_Allreduce(in, out, 3000, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(out[0], sum_of(0));
        long_ones_at_once();
    }
    one_is_far_ahead();
    thousands_at_once();

    beside_others();
    persistent_orders(MPI_COMM_WORLD, 0);
    strict = strict_comm();
    persistent_orders(strict, 1);
    MPI_Comm_free(&strict);
    parts_go_first();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    wrong_uses();
    if (size > 1) {
        wrong_lengths(10);
        wrong_lengths(3000);
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQ(sum, size);
    MPI_Finalize();
    return 0;
}
