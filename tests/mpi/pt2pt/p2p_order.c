/* ranks: 1 2 4 timeout: 60 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_RING_SIZE=4096 */
/* Messages of one source do not overtake each other (MPI-5.0 section 3.5), however they travel. */
#include "p2p.h"

enum {
    COUNT = 200,
    LARGEST = 100000
};

static const int lengths[] = {4, 40, 41, 300, LARGEST, 4, 4096, 4097, 5, 70000, 600};
enum {
    KINDS = sizeof lengths / sizeof lengths[0]
};

static unsigned char *out, *in[COUNT];
static MPI_Request requests[2 * COUNT];
static MPI_Status statuses[2 * COUNT];

static int length_of(int i)
{
    return lengths[i % KINDS];
}

/* All to the next rank, small and large in turn, every third one synchronous. */
static void send_all(int tags)
{
    int to = (rank + 1) % size;

    for (int i = 0; i < COUNT; i++) {
        unsigned char *place = out + (size_t)i * LARGEST;

        fill(place, (size_t)length_of(i), (unsigned)i);
        memcpy(place, &i, sizeof i);
        if (i % 3 == 2)
            CHECK_EQ(MPI_Issend(place, length_of(i), MPI_BYTE, to, i % tags, MPI_COMM_WORLD, &requests[i]),
                     0);
        else
            CHECK_EQ(MPI_Isend(place, length_of(i), MPI_BYTE, to, i % tags, MPI_COMM_WORLD, &requests[i]), 0);
    }
}

static void check_message(int slot, int i)
{
    int number;

    memcpy(&number, in[slot], sizeof number);
    CHECK_EQ(number, i);
    memcpy(in[slot],
           (unsigned char[]){byte_at((unsigned)i, 0), byte_at((unsigned)i, 1), byte_at((unsigned)i, 2),
                             byte_at((unsigned)i, 3)},
           sizeof number);
    CHECK_EQ(find_wrong(in[slot], (size_t)length_of(i), (unsigned)i), -1);
}

/* Receives posted before anything is sent, with and without wildcards in turn. */
static void expected(void)
{
    int from = (rank + size - 1) % size;

    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(MPI_Irecv(in[i], LARGEST, MPI_BYTE, i % 2 ? from : MPI_ANY_SOURCE, i % 3 ? 0 : MPI_ANY_TAG,
                           MPI_COMM_WORLD, &requests[COUNT + i]),
                 0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    send_all(1);
    CHECK_EQ(MPI_Waitall(2 * COUNT, requests, statuses), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++) {
        CHECK_STATUS(&statuses[COUNT + i], from, 0, length_of(i));
        check_message(i, i);
    }
}

/* Messages first. */
static void unexpected(void)
{
    int from = (rank + size - 1) % size;

    send_all(1);
    for (int i = 0; i < COUNT; i++) {
        MPI_Status status;

        CHECK_EQ(MPI_Recv(in[0], LARGEST, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : from, i % 5 ? 0 : MPI_ANY_TAG,
                          MPI_COMM_WORLD, &status),
                 0);
        CHECK_STATUS(&status, from, 0, length_of(i));
        check_message(0, i);
    }
    CHECK_EQ(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* By tag, the last tag first: order holds within each tag. */
static void by_tag(void)
{
    int from = (rank + size - 1) % size;

    send_all(4);
    for (int tag = 3; tag >= 0; tag--)
        for (int i = tag; i < COUNT; i += 4) {
            MPI_Status status;

            CHECK_EQ(MPI_Recv(in[0], LARGEST, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status), 0);
            CHECK_STATUS(&status, from, tag, length_of(i));
            check_message(0, i);
        }
    CHECK_EQ(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    out = malloc((size_t)COUNT * LARGEST);
    for (int i = 0; i < COUNT; i++)
        in[i] = malloc(LARGEST);
    expected();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    unexpected();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    by_tag();
    for (int i = 0; i < COUNT; i++)
        free(in[i]);
    free(out);
    MPI_Finalize();
    return 0;
}
