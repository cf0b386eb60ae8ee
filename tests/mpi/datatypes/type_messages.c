/* ranks: 1 2 3 timeout: 60 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_EAGER_LIMIT=0 */
/* Items with gaps in messages: columns, faces of cubes, structs, types of their own on each side, absolute
 * addresses, short and long; truncation and what MPI_Get_count and MPI_Get_elements say. */
#include "p2p.h"

#include <stddef.h>

enum {
    N = 24
};

static int next, previous;

static double number(int from, int i)
{
    return from * 1000000.0 + i;
}

static void columns(int rows, int width)
{
    double *out = malloc(sizeof(double) * (size_t)(rows * width));
    double *in = malloc(sizeof(double) * (size_t)(rows * width));
    MPI_Datatype column;
    MPI_Status status;
    int count;

    for (int i = 0; i < rows * width; i++) {
        out[i] = number(rank, i);
        in[i] = -1;
    }
    MPI_Type_vector(rows, 1, width, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    CHECK_EQ(
        MPI_Sendrecv(&out[2], 1, column, next, 5, &in[1], 1, column, previous, 5, MPI_COMM_WORLD, &status),
        MPI_SUCCESS);
    MPI_Get_count(&status, column, &count);
    CHECK_EQ(count, 1);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK_EQ(count, rows);
    for (int i = 0; i < rows * width; i++)
        CHECK(in[i] == (i % width == 1 ? number(previous, i + 1) : -1));
    MPI_Type_free(&column);
    free(out);
    free(in);
}

static double out_cube[N][N][N], in_cube[N][N][N];

/* The face of the cube across dimension d, sent as it lies there and received as one run, and the reverse. */
static void face(int d)
{
    int sizes[3] = {N, N, N}, subsizes[3] = {N, N, N}, starts[3] = {0, 0, 0};
    static double flat[N * N];
    MPI_Datatype type;

    for (int i = 0; i < N * N * N; i++) {
        (&out_cube[0][0][0])[i] = number(rank, i);
        (&in_cube[0][0][0])[i] = -1;
    }
    subsizes[d] = 1;
    starts[d] = 3;
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(out_cube, 1, type, next, 1, flat, N * N, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(flat, N * N, MPI_DOUBLE, previous, 2, in_cube, 1, type, next, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                int across[3] = {i, j, k};

                CHECK(in_cube[i][j][k] == (across[d] == 3 ? out_cube[i][j][k] : -1));
            }
    MPI_Type_free(&type);
}

struct particle {
    char kind;
    double at[3];
    int id;
    short spin;
};

static MPI_Datatype particle_type(void)
{
    int lengths[] = {1, 3, 1, 1};
    MPI_Aint displs[] = {offsetof(struct particle, kind), offsetof(struct particle, at),
                         offsetof(struct particle, id), offsetof(struct particle, spin)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT}, type;

    MPI_Type_create_struct(4, lengths, displs, types, &type);
    MPI_Type_commit(&type);
    return type;
}

static void structs(int count)
{
    struct particle *out = calloc((size_t)count, sizeof *out), *in = malloc((size_t)count * sizeof *in);
    MPI_Datatype type = particle_type();
    MPI_Request requests[2];
    MPI_Status status[2];
    MPI_Aint lb, extent;
    int got;

    MPI_Type_get_extent(type, &lb, &extent);
    CHECK_EQ(extent, sizeof(struct particle));
    memset((void *)in, 0x77, (size_t)count * sizeof *in);
    for (int i = 0; i < count; i++)
        out[i] = (struct particle){(char)i, {number(rank, i), i, -i}, i + rank, (short)(i * 3)};
    MPI_Irecv(in, count, type, previous, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, count, type, next, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&type); /* the receive still needs it */
    CHECK_EQ(MPI_Waitall(2, requests, status), MPI_SUCCESS);
    MPI_Get_count(&status[0], MPI_BYTE, &got);
    CHECK_EQ(got, count * 31);
    for (int i = 0; i < count; i++) {
        CHECK(in[i].kind == (char)i && in[i].at[0] == number(previous, i) && in[i].at[2] == -i);
        CHECK(in[i].id == i + previous && in[i].spin == (short)(i * 3));
        CHECK_EQ(((unsigned char *)&in[i])[1], 0x77); /* the gap is left alone */
    }
    free(out);
    free(in);
}

/* Two structs arrive where three fit, then a part of a third. */
static void parts(void)
{
    MPI_Datatype type = particle_type(), half;
    struct particle out[3] = {{0}}, in[3];
    int lengths[] = {1, 2}, displs[] = {0, 1}, count;
    MPI_Status status;
    char packed[93];
    int position = 0;

    MPI_Type_indexed(2, lengths, displs, MPI_BYTE, &half);
    MPI_Type_commit(&half);
    MPI_Pack(out, 3, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
    CHECK_EQ(position, 93);
    MPI_Sendrecv(packed, 31 + 1 + 8 + 8, MPI_PACKED, next, 0, in, 3, type, previous, 0, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, type, &count);
    CHECK_EQ(count, MPI_UNDEFINED);
    MPI_Get_elements(&status, type, &count);
    CHECK_EQ(count, 6 + 3);
    MPI_Sendrecv(packed, 31 + 1 + 7, MPI_PACKED, next, 0, in, 3, type, previous, 0, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, type, &count);
    CHECK_EQ(count, MPI_UNDEFINED);
    CHECK_EQ(MPI_Status_set_elements(&status, type, 8), MPI_SUCCESS);
    MPI_Get_elements(&status, type, &count);
    CHECK_EQ(count, 8);
    MPI_Get_elements(&status, MPI_BYTE, &count);
    CHECK_EQ(count, 31 + 1 + 8);
    MPI_Type_free(&half);
    MPI_Type_free(&type);
}

static void truncation(int rows)
{
    int *out = calloc((size_t)rows * 2, sizeof(int)), *in = malloc(sizeof(int) * (size_t)rows * 2);
    MPI_Datatype column, shorter;
    int error, class;

    for (int i = 0; i < rows * 2; i++) {
        out[i] = i;
        in[i] = -1;
    }
    MPI_Type_vector(rows, 1, 2, MPI_INT, &column);
    MPI_Type_vector(rows - 3, 1, 2, MPI_INT, &shorter);
    MPI_Type_commit(&column);
    MPI_Type_commit(&shorter);
    error =
        MPI_Sendrecv(out, 1, column, next, 0, in, 1, shorter, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &class);
    CHECK_EQ(class, MPI_ERR_TRUNCATE);
    for (int i = 0; i < rows * 2; i++)
        CHECK_EQ(in[i], i % 2 == 0 && i < 2 * (rows - 3) ? i : -1);
    MPI_Type_free(&column);
    MPI_Type_free(&shorter);
    free(out);
    free(in);
}

/* Absolute addresses, MPI_BOTTOM on both sides. */
static void bottom(void)
{
    int a = rank, c = -1;
    double b[2] = {rank + 0.5, rank + 0.25}, d[2] = {-1, -1};
    int lengths[] = {1, 2};
    MPI_Aint from[2], to[2];
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, out, in;

    MPI_Get_address(&a, &from[0]);
    MPI_Get_address(b, &from[1]);
    MPI_Get_address(&c, &to[0]);
    MPI_Get_address(d, &to[1]);
    MPI_Type_create_struct(2, lengths, from, types, &out);
    MPI_Type_create_struct(2, lengths, to, types, &in);
    MPI_Type_commit(&out);
    MPI_Type_commit(&in);
    CHECK_EQ(MPI_Sendrecv(MPI_BOTTOM, 1, out, next, 3, MPI_BOTTOM, 1, in, previous, 3, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK(c == previous && d[0] == previous + 0.5 && d[1] == previous + 0.25);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    columns(7, 5);
    columns(100000, 4);
    for (int d = 0; d < 3; d++)
        face(d);
    structs(3);
    structs(50000);
    parts();
    bottom();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    truncation(10);
    truncation(100000);
    MPI_Finalize();
    return 0;
}
