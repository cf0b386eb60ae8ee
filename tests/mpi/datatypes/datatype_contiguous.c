/* ranks: 1 2 */
/* Predefined datatypes, MPI_Type_contiguous, MPI_Type_dup: sizes, names, decoding, freeing, errors; messages
 * of pair types and what MPI_Get_count and MPI_Get_elements say of them. */
#include "check.h"

#include <limits.h>

static int rank, size;

static void sizes(void)
{
    MPI_Aint lb, extent;
    MPI_Count large;
    int bytes;

    MPI_Type_size(MPI_DOUBLE_INT, &bytes);
    CHECK_EQ(bytes, 12);
    MPI_Type_get_extent(MPI_DOUBLE_INT, &lb, &extent);
    CHECK_EQ(lb, 0);
    CHECK_EQ(extent, 16);
    MPI_Type_get_true_extent(MPI_DOUBLE_INT, &lb, &extent);
    CHECK_EQ(lb, 0);
    CHECK_EQ(extent, 12);
    MPI_Type_size_c(MPI_LONG_DOUBLE, &large);
    CHECK_EQ(large, sizeof(long double));
    MPI_Type_size(MPI_BYTE, &bytes);
    CHECK_EQ(bytes, 1);
}

static void large_types_do_not_fit_an_int(void)
{
    MPI_Datatype big;
    MPI_Aint lb, extent;
    MPI_Count count;
    int bytes = 0;

    MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &big);
    MPI_Type_size(big, &bytes);
    CHECK_EQ(bytes, MPI_UNDEFINED);
    MPI_Type_size_c(big, &count);
    CHECK_EQ(count, 8 * (MPI_Count)INT_MAX);
    MPI_Type_get_extent(big, &lb, &extent);
    CHECK_EQ(extent, 8 * (MPI_Aint)INT_MAX);
    MPI_Type_free(&big);
}

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Datatype type;
    int length = -1;

    MPI_Type_get_name(MPI_INT, name, &length);
    CHECK_STR(name, "MPI_INT");
    CHECK_EQ(length, 7);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_get_name(type, name, &length);
    CHECK_STR(name, "");
    CHECK_EQ(length, 0);
    MPI_Type_set_name(type, "two ints");
    MPI_Type_get_name(type, name, &length);
    CHECK_STR(name, "two ints");
    MPI_Type_free(&type);
}

static void decoding(void)
{
    int integers = -1, addresses = -1, datatypes = -1, combiner = -1, count = -1;
    MPI_Datatype inner, outer, got;
    MPI_Aint address;

    MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &datatypes, &combiner);
    CHECK_EQ(combiner, MPI_COMBINER_NAMED);
    CHECK(integers == 0 && addresses == 0 && datatypes == 0);
    MPI_Type_contiguous(3, MPI_INT, &inner);
    MPI_Type_contiguous(5, inner, &outer);
    MPI_Type_get_envelope(outer, &integers, &addresses, &datatypes, &combiner);
    CHECK_EQ(combiner, MPI_COMBINER_CONTIGUOUS);
    CHECK(integers == 1 && addresses == 0 && datatypes == 1);
    MPI_Type_get_contents(outer, 1, 0, 1, &count, &address, &got);
    CHECK_EQ(count, 5);
    CHECK(got != MPI_DATATYPE_NULL && got != MPI_INT);
    MPI_Type_free(&inner);
    MPI_Type_free(&outer);
    MPI_Type_get_contents(got, 1, 0, 1, &count, &address, &inner);
    CHECK_EQ(count, 3);
    CHECK_EQ(inner, MPI_INT);
    MPI_Type_dup(got, &inner);
    MPI_Type_get_envelope(inner, &integers, &addresses, &datatypes, &combiner);
    CHECK_EQ(combiner, MPI_COMBINER_DUP);
    CHECK(integers == 0 && addresses == 0 && datatypes == 1);
    MPI_Type_free(&inner);
    MPI_Type_free(&got);
}

struct short_int {
    short value;
    int index;
};

static void pairs_in_messages(void)
{
    struct short_int out[3] = {{1, 10}, {2, 20}, {3, 30}}, in[5];
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, count = -1;
    MPI_Status status;

    MPI_Sendrecv(out, 3, MPI_SHORT_INT, next, 0, in, 5, MPI_SHORT_INT, previous, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_SHORT_INT, &count);
    CHECK_EQ(count, 3);
    MPI_Get_elements(&status, MPI_SHORT_INT, &count);
    CHECK_EQ(count, 6);
    CHECK(in[2].value == 3 && in[2].index == 30);
}

static void parts_of_items_in_messages(void)
{
    int out[5] = {1, 2, 3, 4, 5}, in[6], count = -1;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Datatype two;
    MPI_Status status;

    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    MPI_Sendrecv(out, 5, MPI_INT, next, 0, in, 3, two, previous, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, two, &count);
    CHECK_EQ(count, MPI_UNDEFINED);
    MPI_Get_elements(&status, two, &count);
    CHECK_EQ(count, 5);
    CHECK_EQ(in[4], 5);
    MPI_Type_free(&two);
}

static void errors(void)
{
    MPI_Datatype type = MPI_INT, copy;
    int data[4] = {0};

    CHECK_EQ(class_of(MPI_Type_free(&type)), MPI_ERR_TYPE);
    CHECK_EQ(type, MPI_INT);
    type = MPI_DATATYPE_NULL;
    CHECK_EQ(class_of(MPI_Type_free(&type)), MPI_ERR_TYPE);
    CHECK_EQ(class_of(MPI_Type_contiguous(-1, MPI_INT, &type)), MPI_ERR_COUNT);
    MPI_Type_contiguous(2, MPI_INT, &type);
    CHECK_EQ(class_of(MPI_Bcast(data, 2, type, 0, MPI_COMM_WORLD)), MPI_ERR_TYPE); /* not committed */
    MPI_Type_commit(&type);
    CHECK_EQ(MPI_Bcast(data, 2, type, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    copy = type;
    MPI_Type_free(&type);
    CHECK_EQ(type, MPI_DATATYPE_NULL);
    CHECK_EQ(class_of(MPI_Bcast(data, 2, copy, 0, MPI_COMM_WORLD)), MPI_ERR_TYPE); /* freed */
    CHECK_EQ(class_of(MPI_Type_get_contents(MPI_INT, 1, 0, 1, data, NULL, &copy)), MPI_ERR_TYPE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sizes();
    large_types_do_not_fit_an_int();
    names();
    decoding();
    pairs_in_messages();
    parts_of_items_in_messages();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    errors();
    MPI_Finalize();
    return 0;
}
