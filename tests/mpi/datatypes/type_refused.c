/* ranks: 1 2 timeout: 60 */
/* What the standard forbids of datatypes is an error that says why: overlapping partitions, negative counts,
 * types that are not committed or were freed, bounds and counts that no number holds; and nesting 1,000 deep
 * works. */
#include "p2p.h"

#include <limits.h>
#include <string.h>

static int other;
static char in[1 << 16], out[1 << 16];

static MPI_Datatype commit(MPI_Datatype type)
{
    CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
    return type;
}

static void check_receive(MPI_Datatype type, int count)
{
    CHECK_EQ(MPI_Sendrecv(out, count, type, other, 4, in, count, type, other, 4, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    MPI_Type_free(&type);
}

/* Partitions arrive in any order, so no two entries of them may be one over the other. A message is received all the same. */
static void refuse_receive(MPI_Datatype type, int count)
{
    MPI_Request request;

    CHECK_CODE(MPI_Precv_init(in, 1, count, type, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
               MPI_ERR_TYPE, "overlap");
    check_receive(type, count);
}

static void accept_receive(MPI_Datatype type, int count)
{
    MPI_Request request;

    CHECK_EQ(MPI_Precv_init(in, 1, count, type, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    check_receive(type, count);
}

static void overlaps(void)
{
    int lengths[] = {2, 2}, touching[] = {0, 1}, apart[] = {8, 0}, backwards[40], ones[40];
    MPI_Datatype type, column, inner;

    MPI_Type_indexed(2, lengths, touching, MPI_INT, &type);
    refuse_receive(commit(type), 1);
    MPI_Type_indexed(2, lengths, apart, MPI_INT, &type);
    accept_receive(commit(type), 1);
    for (int i = 0; i < 40; i++) {
        backwards[i] = (39 - i) * 3 % 40 * 2;
        ones[i] = 1;
    }
    MPI_Type_indexed(40, ones, backwards, MPI_INT, &type); /* in any order, but each once */
    accept_receive(commit(type), 1);
    backwards[7] = backwards[31];
    MPI_Type_indexed(40, ones, backwards, MPI_INT, &type);
    refuse_receive(commit(type), 1);
    MPI_Type_create_hvector(3, 1, 0, MPI_DOUBLE, &type);
    refuse_receive(commit(type), 1);
    /* Columns that interleave are fine; items that lie over each other are not. */
    MPI_Type_vector(10, 1, 10, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, sizeof(double), &type);
    accept_receive(commit(type), 10);
    MPI_Type_contiguous(4, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 4, &type);
    accept_receive(commit(type), 1);
    MPI_Type_create_resized(inner, 0, 4, &type);
    refuse_receive(commit(type), 5);
    MPI_Type_free(&column);
    MPI_Type_free(&inner);
}

static void unusable(void)
{
    MPI_Datatype type, freed;
    int negative[] = {1, -1}, displs[] = {0, 1};

    MPI_Type_contiguous(3, MPI_INT, &type);
    CHECK_CODE(MPI_Send(out, 1, type, other, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "committed");
    freed = type;
    MPI_Type_free(&type);
    CHECK_CODE(MPI_Send(out, 1, freed, other, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "freed");
    CHECK_CODE(MPI_Type_commit(&freed), MPI_ERR_TYPE, "freed");
    CHECK_CODE(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Type_vector(-1, 1, 1, MPI_INT, &type), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Type_indexed(2, negative, displs, MPI_INT, &type), MPI_ERR_COUNT, "negative");
    CHECK_CODE(MPI_Send(out, -1, MPI_INT, other, 0, MPI_COMM_WORLD), MPI_ERR_COUNT, "-1");
}

/* Negative numbers of everything that is counted. */
static void negative(void)
{
    int minus[] = {1, -2}, displs[] = {0, 1}, sizes[] = {4, 4}, position = 0;
    MPI_Aint places[] = {0, 8};
    MPI_Datatype types[] = {MPI_INT, MPI_INT}, type;
    MPI_Request request;

    CHECK_CODE(MPI_Type_vector(2, -1, 1, MPI_INT, &type), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Type_create_hvector(-3, 1, 1, MPI_INT, &type), MPI_ERR_COUNT, "-3");
    CHECK_CODE(MPI_Type_create_hindexed(2, minus, places, MPI_INT, &type), MPI_ERR_COUNT, "-2");
    CHECK_CODE(MPI_Type_create_indexed_block(2, -1, displs, MPI_INT, &type), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Type_create_hindexed_block(-1, 1, places, MPI_INT, &type), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Type_create_struct(2, minus, places, types, &type), MPI_ERR_COUNT, "-2");
    CHECK_CODE(MPI_Type_create_subarray(2, sizes, minus, displs, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
               "-2");
    CHECK_CODE(MPI_Type_contiguous_c(-1, MPI_INT, &type), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Recv(in, -1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Pack(out, -1, MPI_INT, in, 8, &position, MPI_COMM_SELF), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Unpack(out, 8, &position, in, -1, MPI_INT, MPI_COMM_SELF), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Reduce_local(out, in, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT, "-1");
    CHECK_CODE(MPI_Recv_init(in, -1, MPI_INT, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT, "-1");
}

/* A type in every kind of call that moves data. */
static void refuse_everywhere(MPI_Datatype type, const char *why)
{
    MPI_Request request;
    int position = 0;

    CHECK_CODE(MPI_Isend(out, 1, type, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE, why);
    CHECK_CODE(MPI_Irecv(in, 1, type, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE, why);
    CHECK_CODE(MPI_Send_init(out, 1, type, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE, why);
    CHECK_CODE(MPI_Precv_init(in, 1, 1, type, other, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
               MPI_ERR_TYPE, why);
    CHECK_CODE(MPI_Bcast(in, 1, type, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, why);
    CHECK_CODE(MPI_Allreduce(out, in, 1, type, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_TYPE, why);
    CHECK_CODE(MPI_Ialltoall(out, 1, type, in, 1, type, MPI_COMM_WORLD, &request), MPI_ERR_TYPE, why);
    CHECK_CODE(MPI_Reduce_local(out, in, 1, type, MPI_SUM), MPI_ERR_TYPE, why);
    CHECK_CODE(MPI_Pack(out, 1, type, in, 64, &position, MPI_COMM_SELF), MPI_ERR_TYPE, why);
}

static void unusable_everywhere(void)
{
    MPI_Datatype type, freed;

    MPI_Type_contiguous(3, MPI_INT, &type);
    refuse_everywhere(type, "committed");
    freed = type;
    MPI_Type_free(&type);
    refuse_everywhere(freed, "freed");
    refuse_everywhere(MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL");
}

/* Bounds that no address reaches, whichever constructor would set them. */
static void bounds_overflow(void)
{
    MPI_Count huge[] = {(MPI_Count)1 << 32, (MPI_Count)1 << 32}, ones[] = {1, 1}, zeros[] = {0, 0},
              ends[] = {LLONG_MIN, LLONG_MAX - 8};
    MPI_Datatype types[] = {MPI_INT, MPI_INT}, high, type;

    CHECK_EQ(MPI_Type_create_resized_c(MPI_INT, LLONG_MAX - 16, 16, &high), MPI_SUCCESS);
    CHECK_CODE(MPI_Type_contiguous_c(LLONG_MAX, high, &type), MPI_ERR_COUNT, "address");
    CHECK_CODE(MPI_Type_create_hvector_c(2, 1, 64, high, &type), MPI_ERR_COUNT, "address");
    CHECK_CODE(MPI_Type_create_subarray_c(2, huge, ones, zeros, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_COUNT,
               "address");
    CHECK_CODE(MPI_Type_create_struct_c(2, ones, ends, types, &type), MPI_ERR_COUNT, "address");
    CHECK_CODE(MPI_Type_create_resized_c(MPI_INT, -1, LLONG_MIN, &type), MPI_ERR_ARG, "address");
    MPI_Type_free(&high);
}

/* What an int cannot hold is MPI_UNDEFINED in the int form; what no number can hold is an error. */
static void too_large(void)
{
    MPI_Datatype half, large, beyond;
    MPI_Count bytes, lb, extent;
    MPI_Request request;
    MPI_Status status;
    int narrow;

    CHECK_EQ(MPI_Type_contiguous(1 << 20, MPI_DOUBLE, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_contiguous(1 << 20, half, &large), MPI_SUCCESS);
    MPI_Type_size(large, &narrow);
    CHECK_EQ(narrow, MPI_UNDEFINED);
    MPI_Type_size_c(large, &bytes);
    CHECK(bytes == (MPI_Count)1 << 43);
    MPI_Type_get_extent_c(large, &lb, &extent);
    CHECK(lb == 0 && extent == (MPI_Count)1 << 43);
    MPI_Type_commit(&large);
    MPI_Status_set_elements_c(&status, large, (MPI_Count)1 << 33);
    MPI_Get_elements(&status, large, &narrow);
    CHECK_EQ(narrow, MPI_UNDEFINED);
    MPI_Get_elements_c(&status, large, &bytes);
    CHECK(bytes == (MPI_Count)1 << 33);
    MPI_Get_count(&status, MPI_BYTE, &narrow);
    CHECK_EQ(narrow, MPI_UNDEFINED);
    MPI_Get_count_c(&status, MPI_BYTE, &bytes);
    CHECK(bytes == (MPI_Count)1 << 36);
    MPI_Pack_size(1, large, MPI_COMM_SELF, &narrow);
    CHECK_EQ(narrow, MPI_UNDEFINED);
    CHECK_CODE(MPI_Type_contiguous(1 << 21, large, &beyond), MPI_ERR_COUNT, "address");
    CHECK_CODE(MPI_Type_vector(2, 1, INT_MAX, large, &beyond), MPI_ERR_COUNT, "address");
    CHECK_CODE(MPI_Type_create_resized_c(MPI_INT, LLONG_MAX, 8, &beyond), MPI_ERR_ARG, "address");
    CHECK_CODE(MPI_Send(out, INT_MAX, large, other, 0, MPI_COMM_WORLD), MPI_ERR_COUNT, "items");
    CHECK_CODE(MPI_Send_init_c(out, LLONG_MAX, large, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT,
               "items");
    CHECK_CODE(MPI_Recv_init_c(in, LLONG_MAX, large, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT,
               "items");
    MPI_Type_free(&large);
    MPI_Type_free(&half);
}

/* Each level a vector of the one below, with a gap now and then, so that some levels cannot be merged. */
static void deep(void)
{
    MPI_Datatype type = MPI_INT, next;
    int bytes;

    for (int level = 0; level < 1000; level++) {
        if (level % 100 == 50)
            MPI_Type_create_resized(type, 0, (MPI_Aint)8 << level / 100, &next);
        else if (level % 100 == 51)
            MPI_Type_contiguous(2, type, &next);
        else
            MPI_Type_dup(type, &next);
        if (type != MPI_INT)
            MPI_Type_free(&type);
        type = next;
    }
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    CHECK_EQ(bytes, 4 << 10);
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (char)(i * 13);
    memset(in, 0, sizeof in);
    MPI_Sendrecv(out, 1, type, other, 5, in, bytes / 4, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < bytes / 4; i++)
        CHECK(memcmp(in + 4 * i, out + 8 * i, 4) == 0);
    MPI_Type_free(&type);
}

/* A step of one byte at each level: nothing merges but the levels. */
static void deep_and_displaced(void)
{
    MPI_Datatype type = MPI_SHORT, next;
    MPI_Aint one = 1, lb, extent;
    int length = 1;

    for (int level = 0; level < 1000; level++) {
        if (level % 3 == 0)
            MPI_Type_create_hindexed(1, &length, &one, type, &next);
        else if (level % 3 == 1)
            MPI_Type_create_struct(1, &length, &one, &type, &next);
        else
            MPI_Type_create_hindexed_block(1, 1, &one, type, &next);
        if (type != MPI_SHORT)
            MPI_Type_free(&type);
        type = next;
    }
    MPI_Type_commit(&type);
    MPI_Type_get_true_extent(type, &lb, &extent);
    CHECK(lb == 1000 && extent == 2);
    memset(in, 0, sizeof in);
    out[1000] = 77;
    out[1001] = 78;
    MPI_Sendrecv(out, 1, type, other, 6, in, 1, type, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[999] == 0 && in[1000] == 77 && in[1001] == 78 && in[1002] == 0);
    MPI_Type_free(&type);
}

/* Other calls that receive write some of the items over others: docs/TOLERANCES.md. */
static void overlaps_everywhere(void)
{
    int three[] = {7, 8, 9}, got[2] = {0};
    MPI_Datatype type;
    MPI_Request request[2];
    MPI_Message message;

    MPI_Type_create_hvector(3, 1, 0, MPI_INT, &type);
    MPI_Type_commit(&type);
    CHECK_EQ(MPI_Recv_init(got, 1, type, other, 7, MPI_COMM_WORLD, &request[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&request[0]), MPI_SUCCESS);
    MPI_Isend(three, 3, MPI_INT, other, 7, MPI_COMM_WORLD, &request[1]);
    CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK(got[0] == 9 && got[1] == 0);
    MPI_Request_free(&request[0]);
    three[2] = 10;
    MPI_Isend(three, 3, MPI_INT, other, 7, MPI_COMM_WORLD, &request[0]);
    MPI_Mprobe(other, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Mrecv(got, 1, type, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(got[0] == 10 && got[1] == 0);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    three[2] = 11;
    CHECK_EQ(MPI_Gather(three, 3, MPI_INT, got, 1, type, 0, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK(got[0] == 11 && got[1] == 0);
    MPI_Type_free(&type);
}

/* Whether items overlap each other depends on how many there are. */
static void overlaps_of_items(void)
{
    MPI_Datatype pair, type;

    MPI_Type_vector(2, 1, 4, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 16, &type); /* the second begins where the first ends */
    accept_receive(commit(type), 1);
    MPI_Type_create_resized(pair, 0, 16, &type);
    refuse_receive(commit(type), 2);
    MPI_Type_create_resized(pair, 0, 8, &type); /* that is where the third begins */
    accept_receive(commit(type), 2);
    MPI_Type_create_resized(pair, 0, 8, &type);
    refuse_receive(commit(type), 3);
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    other = size - 1 - rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    overlaps();
    overlaps_everywhere();
    overlaps_of_items();
    unusable();
    unusable_everywhere();
    negative();
    too_large();
    bounds_overflow();
    deep();
    deep_and_displaced();
    MPI_Finalize();
    return 0;
}
