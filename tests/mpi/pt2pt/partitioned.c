/* ranks: 1 2 4  timeout: 60  also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K */
/* Partitioned communication: unequal numbers of partitions, order of inits, arrival of one partition, errors.
 */
#include "check.h"

static int rank, size, to, from;

static void check_ints(const int *data, int count, int base)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(data[i], base + i);
}

/* Rounds of one pair of requests; the partitions become ready backwards. */
static void pair(int send_parts, int recv_parts, int total)
{
    int *out = calloc((size_t)total, sizeof *out), *in = calloc((size_t)total, sizeof *in), count = 0;
    MPI_Request r[2];
    MPI_Status status[2];

    CHECK_EQ(MPI_Psend_init(out, send_parts, total / send_parts, MPI_INT, to, 5, MPI_COMM_WORLD,
                            MPI_INFO_NULL, &r[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in, recv_parts, total / recv_parts, MPI_INT, from, 5, MPI_COMM_WORLD,
                            MPI_INFO_NULL, &r[1]),
             MPI_SUCCESS);
    for (int round = 0; round < 4; round++) {
        memset(in, 0xff, (size_t)total * sizeof *in);
        for (int i = 0; i < total; i++)
            out[i] = 1000 * round + rank + i;
        CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
        for (int i = send_parts - 1; i >= 0; i--)
            CHECK_EQ(MPI_Pready(i, r[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(2, r, status), MPI_SUCCESS);
        check_ints(in, total, 1000 * round + from);
        MPI_Get_count(&status[1], MPI_INT, &count);
        CHECK(status[1].MPI_SOURCE == from && status[1].MPI_TAG == 5 && count == total);
    }
    CHECK_EQ(MPI_Request_free(&r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&r[1]), MPI_SUCCESS);
    free(in);
    free(out);
}

/* Half of the sender's partitions are the receiver's first one, which arrives while the others are held back.
 */
static void arrival(void)
{
    enum {
        PARTS = 8
    };
    int out[PARTS], in[PARTS], flag = 1, word = 0;
    const int second_half[] = {6, 4, 7, 5};
    MPI_Request r[2];

    for (int i = 0; i < PARTS; i++)
        out[i] = rank + i;
    CHECK_EQ(MPI_Psend_init_c(out, PARTS, 1, MPI_INT, to, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init_c(in, 2, PARTS / 2, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Parrived(r[1], 0, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1); /* inactive */
    CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
    CHECK_EQ(MPI_Parrived(r[1], 0, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Pready_range(0, PARTS / 2 - 1, r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready_range(3, 2, r[0]), MPI_SUCCESS);
    do
        CHECK_EQ(MPI_Parrived(r[1], 0, &flag), MPI_SUCCESS);
    while (!flag);
    check_ints(in, PARTS / 2, from);
    CHECK_EQ(MPI_Parrived(r[1], 1, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(
        MPI_Sendrecv(&rank, 1, MPI_INT, from, 1, &word, 1, MPI_INT, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_SUCCESS); /* the same tag, another world */
    CHECK_EQ(word, to);
    CHECK_EQ(MPI_Pready_list(4, second_half, r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    check_ints(in, PARTS, from);
    CHECK_EQ(MPI_Parrived(r[1], 1, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void check_arrived(MPI_Request r, int count, const int *flags)
{
    for (int i = 0; i < count; i++) {
        int flag = -1;

        do
            CHECK_EQ(MPI_Parrived(r, i, &flag), MPI_SUCCESS);
        while (flags[i] && !flag);
        CHECK_EQ(flag, flags[i]);
    }
}

/* A partition without items arrives as any other: when the sender has marked its part of them. */
static void empty_partitions(int send_parts, int recv_parts)
{
    int none[4] = {0}, first[4] = {1}, all[4] = {1, 1, 1, 1}, share = send_parts / recv_parts;
    MPI_Request r[2];

    CHECK_EQ(MPI_Psend_init(NULL, send_parts, 0, MPI_INT, to, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(NULL, recv_parts, 0, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]),
             MPI_SUCCESS);
    for (int round = 0; round < 2; round++) {
        CHECK_EQ(MPI_Start(&r[1]), MPI_SUCCESS);
        check_arrived(r[1], recv_parts, none);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_EQ(MPI_Start(&r[0]), MPI_SUCCESS);
        check_arrived(r[1], recv_parts, none);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_EQ(MPI_Pready_range(0, share - 1, r[0]), MPI_SUCCESS);
        check_arrived(r[1], recv_parts, first);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_EQ(MPI_Pready_range(share, send_parts - 1, r[0]), MPI_SUCCESS);
        check_arrived(r[1], recv_parts, all);
        CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* Two pairs with one tag match in the order of their inits, whatever the order of their starts. */
static void order(void)
{
    int out[3] = {rank, rank + 1, rank + 2}, in[3] = {-1, -1, -1};
    MPI_Request send[2], recv[2], freed[2];

    CHECK_EQ(MPI_Psend_init(out, 1, 1, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &freed[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in, 1, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &freed[1]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&freed[0]), MPI_SUCCESS); /* never started */
    CHECK_EQ(MPI_Request_free(&freed[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Psend_init(out, 1, 1, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &send[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Psend_init(out + 1, 2, 1, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &send[1]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in, 1, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &recv[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in + 1, 1, 2, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &recv[1]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&recv[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&send[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready_range(0, 1, send[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&recv[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&send[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    check_ints(in + 1, 2, from + 1);
    CHECK_EQ(in[0], -1);
    CHECK_EQ(MPI_Start(&send[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&recv[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready(0, send[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(1, recv, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(1, send, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(in[0], from);
    for (int i = 0; i < 2; i++) {
        MPI_Request_free(&send[i]);
        MPI_Request_free(&recv[i]);
    }
}

static void nobody(void)
{
    int x = 0, flag = 0;
    MPI_Request r[2];
    MPI_Status status[2];

    CHECK_EQ(MPI_Psend_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]),
             MPI_SUCCESS);
    for (int round = 0; round < 2; round++) {
        CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
        CHECK_EQ(MPI_Pready(0, r[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Parrived(r[1], 0, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 1);
        CHECK_EQ(MPI_Waitall(2, r, status), MPI_SUCCESS);
        CHECK_EQ(status[1].MPI_SOURCE, MPI_PROC_NULL);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void wrong(void)
{
    int out[2] = {1, 2}, in[2] = {0, 0}, flag = 0, twice[2] = {0, 0}, too_high[2] = {0, 2}, both[2] = {1, 0};
    MPI_Request r[2], plain;

    CHECK_EQ(MPI_Psend_init(out, 0, 1, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]), MPI_ERR_ARG);
    CHECK_EQ(MPI_Psend_init(out, -1, 1, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]), MPI_ERR_ARG);
    CHECK_EQ(MPI_Precv_init(in, 1, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]),
             MPI_ERR_RANK);
    CHECK_EQ(MPI_Precv_init(in, 1, 1, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]),
             MPI_ERR_TAG);
    CHECK_EQ(MPI_Psend_init(out, 2, 1, MPI_INT, to, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in, 1, 2, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready(0, r[0]), MPI_ERR_REQUEST); /* not started */
    CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r[0]), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Pready(-1, r[0]), MPI_ERR_ARG);
    CHECK_EQ(MPI_Pready(2, r[0]), MPI_ERR_ARG);
    CHECK_EQ(MPI_Pready(0, r[1]), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Parrived(r[0], 0, &flag), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Parrived(r[1], 1, &flag), MPI_ERR_ARG);
    CHECK_EQ(MPI_Pready_list(2, twice, r[0]), MPI_ERR_ARG); /* marks none */
    CHECK_EQ(MPI_Pready_list(2, too_high, r[0]), MPI_ERR_ARG);
    CHECK_EQ(MPI_Pready_list(-1, twice, r[0]), MPI_ERR_ARG);
    CHECK_EQ(MPI_Pready_list(2, NULL, r[0]), MPI_ERR_ARG);
    CHECK_EQ(MPI_Pready_list(0, NULL, r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready(0, r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready(0, r[0]), MPI_ERR_ARG); /* twice */
    CHECK_EQ(MPI_Pready_range(0, 1, r[0]), MPI_ERR_ARG);
    CHECK_EQ(MPI_Pready_list(2, both, r[0]), MPI_ERR_ARG);
    plain = r[0];
    CHECK_EQ(MPI_Request_free(&plain), MPI_ERR_REQUEST); /* active */
    CHECK_EQ(MPI_Cancel(&r[1]), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Pready(1, r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    check_ints(in, 2, 1);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    plain = MPI_REQUEST_NULL;
    CHECK_EQ(MPI_Parrived(plain, 0, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &plain), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready(0, plain), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Wait(&plain, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* Totals that differ are told, in both directions, and nothing hangs. */
static void unequal(int sent, int received)
{
    int *out = calloc(200000, sizeof *out), *in = calloc(200000, sizeof *in);
    MPI_Request r[2];
    MPI_Status status[2];

    CHECK_EQ(MPI_Psend_init(out, 2, sent / 2, MPI_INT, to, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in, 1, received, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready_range(0, 1, r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, r, status), MPI_ERR_IN_STATUS);
    CHECK(status[0].MPI_ERROR == MPI_SUCCESS && status[1].MPI_ERROR == MPI_ERR_TRUNCATE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    free(in);
    free(out);
}

/* Columns of a matrix, a partition each or several, sent from columns or rows and received into them: what
 * lies between them stays. */
static void columns(int rows, int columns_, int send_parts, int recv_parts, int by_column)
{
    int total = rows * columns_, width = columns_ + 3;
    double *out = calloc((size_t)(rows * width), sizeof *out),
           *in = malloc(sizeof *in * (size_t)(rows * width));
    double *flat = malloc(sizeof *flat * (size_t)total);
    MPI_Datatype vector, column;
    MPI_Request r[2];
    MPI_Status status[2];
    int count = 0;

    MPI_Type_vector(rows, 1, width, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(double), &column);
    MPI_Type_commit(&column);
    MPI_Psend_init(out, send_parts, columns_ / send_parts, column, to, 8, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &r[0]);
    if (by_column)
        MPI_Precv_init(in, recv_parts, columns_ / recv_parts, column, from, 8, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &r[1]);
    else
        MPI_Precv_init(flat, recv_parts, total / recv_parts, MPI_DOUBLE, from, 8, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &r[1]);
    MPI_Type_free(&column); /* the requests still need it */
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < rows * width; i++) {
            out[i] = rank * 1e6 + round * 1e5 + i;
            in[i] = -1;
        }
        CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
        for (int i = 0; i < send_parts; i++)
            CHECK_EQ(MPI_Pready(i, r[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(2, r, status), MPI_SUCCESS);
        MPI_Get_count(&status[1], MPI_DOUBLE, &count);
        CHECK_EQ(count, total);
        for (int i = 0; i < rows * width; i++) {
            double sent = from * 1e6 + round * 1e5 + i;

            CHECK(in[i] == (by_column && i % width < columns_ ? sent : -1));
            CHECK(by_column || i % width >= columns_ || flat[i % width * rows + i / width] == sent);
        }
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Type_free(&vector);
    free(out);
    free(in);
    free(flat);
}

/* Entries that share bytes can be sent, not received. */
static void overlapping(void)
{
    MPI_Datatype type;
    MPI_Request r;
    int in[4] = {0}, class = MPI_SUCCESS;

    MPI_Type_create_hvector(3, 1, 0, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Error_class(MPI_Precv_init(in, 1, 1, type, from, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &r), &class);
    CHECK_EQ(class, MPI_ERR_TYPE);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    pair(1, 1, 1);
    pair(8, 8, 64);
    pair(1, 16, 1 << 18);
    pair(16, 1, 1 << 18);
    pair(33, 17, 33 * 17);
    pair(17, 33, 33 * 17 * 100);
    pair(512, 4096, 4096);
    arrival();
    empty_partitions(4, 4);
    empty_partitions(8, 4);
    order();
    nobody();
    wrong();
    unequal(100, 50);
    unequal(50, 100);
    unequal(200000, 2);
    columns(5, 12, 4, 6, 0);
    columns(5, 12, 12, 3, 1);
    columns(1000, 60, 6, 15, 0);
    columns(1000, 60, 60, 1, 1);
    overlapping();
    MPI_Finalize();
    return 0;
}
