/* ranks: 1 3 4 */
/* Every predefined operation on a type of each group that allows it, against a loop over all ranks' values;
 * and MPI_ERR_OP for what the standard's table leaves out. */
#include "check.h"

static int rank, size;

static int combine(MPI_Op op, int a, int b)
{
    if (op == MPI_SUM)
        return a + b;
    if (op == MPI_PROD)
        return a * b;
    if (op == MPI_MIN)
        return a < b ? a : b;
    if (op == MPI_MAX)
        return a > b ? a : b;
    if (op == MPI_BAND)
        return a & b;
    if (op == MPI_BOR)
        return a | b;
    if (op == MPI_BXOR)
        return a ^ b;
    if (op == MPI_LAND)
        return a && b;
    if (op == MPI_LOR)
        return a || b;
    return !a != !b;
}

static int value(int r, int i)
{
    return (r * 5 + i * 3) % 4 + (i == 2);
}

static int expected(MPI_Op op, int i)
{
    int all = value(0, i);

    for (int r = 1; r < size; r++)
        all = combine(op, all, value(r, i));
    return all;
}

#define TRY(ctype, mpitype, op)                                                                              \
    do {                                                                                                     \
        ctype in[4], out[4];                                                                                 \
        for (int i = 0; i < 4; i++)                                                                          \
            in[i] = (ctype)value(rank, i);                                                                   \
        CHECK_EQ(MPI_Allreduce(in, out, 4, mpitype, op, MPI_COMM_WORLD), MPI_SUCCESS);                       \
        for (int i = 0; i < 4; i++)                                                                          \
            CHECK_EQ((int)out[i], (int)(ctype)expected(op, i));                                              \
    } while (0)

static void arithmetic(MPI_Op op)
{
    TRY(signed char, MPI_SIGNED_CHAR, op);
    TRY(unsigned char, MPI_UNSIGNED_CHAR, op);
    TRY(short, MPI_SHORT, op);
    TRY(unsigned short, MPI_UNSIGNED_SHORT, op);
    TRY(int, MPI_INT, op);
    TRY(unsigned, MPI_UNSIGNED, op);
    TRY(long, MPI_LONG, op);
    TRY(unsigned long, MPI_UNSIGNED_LONG, op);
    TRY(long long, MPI_LONG_LONG, op);
    TRY(unsigned long long, MPI_UNSIGNED_LONG_LONG, op);
    TRY(float, MPI_FLOAT, op);
    TRY(double, MPI_DOUBLE, op);
    TRY(long double, MPI_LONG_DOUBLE, op);
    TRY(int, MPI_INTEGER, op);
    TRY(float, MPI_REAL, op);
    TRY(double, MPI_DOUBLE_PRECISION, op);
    TRY(MPI_Aint, MPI_AINT, op);
    TRY(MPI_Offset, MPI_OFFSET, op);
    TRY(MPI_Count, MPI_COUNT, op);
}

static void bitwise(MPI_Op op)
{
    TRY(unsigned char, MPI_BYTE, op);
    TRY(int, MPI_INT, op);
    TRY(int, MPI_INTEGER, op);
    TRY(unsigned long, MPI_UNSIGNED_LONG, op);
    TRY(MPI_Aint, MPI_AINT, op);
}

static void logical(MPI_Op op)
{
    TRY(int, MPI_INT, op);
    TRY(unsigned char, MPI_UNSIGNED_CHAR, op);
    TRY(_Bool, MPI_C_BOOL, op);
    TRY(int, MPI_LOGICAL, op);
}

static void refused(MPI_Datatype type, MPI_Op op)
{
    char in[64] = {0}, out[64];
    int class = 0;

    MPI_Error_class(MPI_Allreduce(in, out, 1, type, op, MPI_COMM_WORLD), &class);
    CHECK_EQ(class, MPI_ERR_OP);
    MPI_Error_class(MPI_Reduce(in, out, 1, type, op, 0, MPI_COMM_WORLD), &class);
    CHECK_EQ(class, MPI_ERR_OP);
    MPI_Error_class(MPI_Reduce_local(in, out, 1, type, op), &class);
    CHECK_EQ(class, MPI_ERR_OP);
}

int main(int argc, char **argv)
{
    const MPI_Op numbers[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}, bits[] = {MPI_BAND, MPI_BOR, MPI_BXOR},
                 truths[] = {MPI_LAND, MPI_LOR, MPI_LXOR};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 4; i++)
        arithmetic(numbers[i]);
    for (int i = 0; i < 3; i++) {
        bitwise(bits[i]);
        logical(truths[i]);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    refused(MPI_WCHAR, MPI_SUM);
    refused(MPI_DOUBLE, MPI_BAND);
    refused(MPI_FLOAT, MPI_LAND);
    refused(MPI_C_DOUBLE_COMPLEX, MPI_MAX);
    refused(MPI_BYTE, MPI_SUM);
    refused(MPI_INT, MPI_MAXLOC);
    refused(MPI_2INT, MPI_SUM);
    refused(MPI_INT, MPI_REPLACE);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
