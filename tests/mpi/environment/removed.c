/* ranks: 1 */
/* What MPI-3.0 removed, as -DINKLING_REMOVED gives it, does what its replacement does. */
#define INKLING_REMOVED
#define MPI_INKLING_ALLOW_DEPRECATED
#include "check.h"

#include <stddef.h>

static int errors;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    CHECK_EQ(*comm, MPI_COMM_SELF);
    CHECK_EQ(*code, MPI_ERR_COUNT);
    errors++;
}

static void handlers(void)
{
    MPI_Handler_function *function = count_error;
    MPI_Errhandler made, got;
    int data = 0;

    CHECK_EQ(MPI_Errhandler_create(function, &made), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_set(MPI_COMM_SELF, made), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_get(MPI_COMM_SELF, &got), MPI_SUCCESS);
    CHECK_EQ(got, made);
    CHECK_EQ(MPI_Send(&data, -1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
    CHECK_EQ(errors, 1);
    CHECK_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_free(&made), MPI_SUCCESS);
}

/* Where a type begins and ends. */
static void check_bounds(MPI_Datatype type, MPI_Aint lb, MPI_Aint ub, int size)
{
    MPI_Aint got_lb = -1, got_ub = -1, extent = -1;
    int got_size;

    CHECK_EQ(MPI_Type_lb(type, &got_lb), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_ub(type, &got_ub), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_extent(type, &extent), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_size(type, &got_size), MPI_SUCCESS);
    CHECK_EQ(got_lb, lb);
    CHECK_EQ(got_ub, ub);
    CHECK_EQ(extent, ub - lb);
    CHECK_EQ(got_size, size);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

static void types(void)
{
    struct item {
        double d;
        char c[8];
    } item;
    int lengths[2] = {1, 8};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR}, type;
    MPI_Aint at[2], base;

    CHECK_EQ(MPI_Address(&item, &base), MPI_SUCCESS);
    CHECK_EQ(MPI_Address(&item.d, &at[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Address(item.c, &at[1]), MPI_SUCCESS);
    at[0] -= base;
    at[1] -= base;
    CHECK_EQ(at[1], offsetof(struct item, c));
    CHECK_EQ(MPI_Type_struct(2, lengths, at, types, &type), MPI_SUCCESS);
    check_bounds(type, 0, 16, 16);
    CHECK_EQ(MPI_Type_hvector(3, 2, 20, MPI_INT, &type), MPI_SUCCESS);
    check_bounds(type, 0, 48, 24);
    at[0] = 12;
    at[1] = 40;
    CHECK_EQ(MPI_Type_hindexed(2, lengths, at, MPI_INT, &type), MPI_SUCCESS);
    check_bounds(type, 12, 72, 36);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    handlers();
    types();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
