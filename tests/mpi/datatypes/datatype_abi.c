/* ranks: 1 */
/* What MPI-5.0 and its ABI add: large-count forms of the constructors, optional types. */
#define MPI_INKLING_ALLOW_DEPRECATED
#include "check.h"

static void large_counts_are_remembered(void)
{
    MPI_Count integers = -1, addresses = -1, large_counts = -1, datatypes = -1, count = -1;
    MPI_Datatype type, got;
    int n, combiner = -1;

    MPI_Type_contiguous_c(5, MPI_INT, &type);
    MPI_Type_get_envelope_c(type, &integers, &addresses, &large_counts, &datatypes, &combiner);
    CHECK_EQ(combiner, MPI_COMBINER_CONTIGUOUS);
    CHECK(integers == 0 && addresses == 0 && large_counts == 1 && datatypes == 1);
    CHECK_EQ(class_of(MPI_Type_get_envelope(type, &n, &n, &n, &n)), MPI_ERR_TYPE);
    CHECK_EQ(class_of(MPI_Type_get_contents(type, 1, 0, 1, &n, NULL, &got)), MPI_ERR_TYPE);
    CHECK_EQ(class_of(MPI_Type_get_contents_c(type, 0, 0, 0, 1, NULL, NULL, NULL, &got)), MPI_ERR_ARG);
    MPI_Type_get_contents_c(type, 0, 0, 1, 1, NULL, NULL, &count, &got);
    CHECK_EQ(count, 5);
    CHECK_EQ(got, MPI_INT);
    MPI_Type_free(&type);
    MPI_Type_contiguous_c((MPI_Count)1 << 40, MPI_INT, &type);
    MPI_Type_size_c(type, &count);
    CHECK_EQ(count, (MPI_Count)1 << 42);
    MPI_Type_free(&type);
    CHECK_EQ(class_of(MPI_Type_contiguous_c((MPI_Count)1 << 62, MPI_INT, &type)), MPI_ERR_COUNT);
}

static void deprecated_forms_still_answer(void)
{
    MPI_Count size = -1, lb = -1, extent = -1;

    MPI_Type_size_x(MPI_DOUBLE_INT, &size);
    CHECK_EQ(size, 12);
    MPI_Type_get_extent_x(MPI_DOUBLE_INT, &lb, &extent);
    CHECK(lb == 0 && extent == 16);
    MPI_Type_get_true_extent_x(MPI_DOUBLE_INT, &lb, &extent);
    CHECK(lb == 0 && extent == 12);
    MPI_Type_get_extent_c(MPI_SHORT_INT, &lb, &extent);
    CHECK(lb == 0 && extent == 8);
    MPI_Type_get_true_extent_c(MPI_SHORT_INT, &lb, &extent);
    CHECK(lb == 0 && extent == 8);
}

static void optional_types_say_whether_they_exist(void)
{
    const MPI_Datatype optional[] = {MPI_LOGICAL1, MPI_LOGICAL16, MPI_INTEGER1,      MPI_INTEGER16,
                                     MPI_REAL2,    MPI_REAL4,     MPI_REAL16,        MPI_COMPLEX4,
                                     MPI_COMPLEX8, MPI_COMPLEX32, MPI_DOUBLE_COMPLEX};
    char data[64] = {0};

    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++) {
        int size = 0, class;

        CHECK_EQ(MPI_Type_size(optional[i], &size), MPI_SUCCESS);
        class = class_of(MPI_Bcast(data, 1, optional[i], 0, MPI_COMM_SELF));
        CHECK_EQ(class, size == MPI_UNDEFINED ? MPI_ERR_TYPE : MPI_SUCCESS);
        CHECK(size == MPI_UNDEFINED || (size >= 1 && size <= 32));
    }
}

static void subtract(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    CHECK_EQ(*type, MPI_INT);
    for (MPI_Count i = 0; i < *count; i++)
        ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

static void user_operations_take_large_counts(void)
{
    int in[2] = {10, 20}, inout[2] = {1, 2}, commute = -1;
    MPI_Op op;

    MPI_Op_create_c(subtract, 0, &op);
    MPI_Op_commutative(op, &commute);
    CHECK_EQ(commute, 0);
    MPI_Reduce_local_c(in, inout, 2, MPI_INT, op);
    CHECK(inout[0] == 9 && inout[1] == 18);
    MPI_Reduce_local(in, inout, 2, MPI_INT, op);
    CHECK(inout[0] == 1 && inout[1] == 2);
    MPI_Op_free(&op);
    op = MPI_SUM;
    CHECK_EQ(class_of(MPI_Op_free(&op)), MPI_ERR_OP);
    CHECK_EQ(op, MPI_SUM);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    large_counts_are_remembered();
    deprecated_forms_still_answer();
    optional_types_say_whether_they_exist();
    user_operations_take_large_counts();
    MPI_Finalize();
    return 0;
}
