/* ranks: 2 timeout: 120 not: thread not: address also: INKLING_CMA=false */
/* More than 2^31 bytes in one message by each path: in one run, from and to memory with gaps, to oneself, matched, and in partitions. */
#include "large.h"
#include "p2p.h"

static unsigned char *runs, *gaps;
static MPI_Datatype with_gaps;

static void send_to(int to, int has_gaps, int seed, MPI_Request *r)
{
    huge_fill(has_gaps ? gaps : runs, has_gaps, seed);
    CHECK_EQ(MPI_Isend_c(has_gaps ? gaps : runs, has_gaps ? 1 : HUGE_BYTES, has_gaps ? with_gaps : MPI_BYTE,
                         to, seed, MPI_COMM_WORLD, r),
             MPI_SUCCESS);
}

static void receive_from(int from, int has_gaps, int seed)
{
    unsigned char *to = has_gaps ? gaps : runs;
    MPI_Count bytes;
    MPI_Status status;

    CHECK_EQ(MPI_Recv_c(to, has_gaps ? 1 : HUGE_BYTES, has_gaps ? with_gaps : MPI_BYTE, from, seed,
                        MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count_c(&status, MPI_BYTE, &bytes), MPI_SUCCESS);
    CHECK_EQ(bytes, HUGE_BYTES);
    huge_check(to, has_gaps, seed);
}

static void between_ranks(int gaps_there, int gaps_here, int seed)
{
    MPI_Request r;

    if (rank == 0) {
        send_to(1, gaps_there, seed, &r);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        receive_from(0, gaps_here, seed);
    }
}

static void to_oneself(void)
{
    MPI_Request r[2];

    CHECK_EQ(MPI_Irecv_c(runs, HUGE_BYTES, MPI_BYTE, rank, 4, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    send_to(rank, 1, 4, &r[1]);
    CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    huge_check(runs, 0, 4);
}

static void matched(void)
{
    MPI_Message message;
    MPI_Request r;
    MPI_Status status;
    MPI_Count bytes;

    if (rank == 0) {
        send_to(1, 0, 5, &r);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
        return;
    }
    CHECK_EQ(MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count_c(&status, MPI_BYTE, &bytes), MPI_SUCCESS);
    CHECK_EQ(bytes, HUGE_BYTES);
    CHECK_EQ(MPI_Imrecv_c(runs, HUGE_BYTES, MPI_BYTE, &message, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_elements_c(&status, MPI_BYTE, &bytes), MPI_SUCCESS);
    CHECK_EQ(bytes, HUGE_BYTES);
    huge_check(runs, 0, 5);
}

/* The last lies beyond 2^31 bytes. */
static void in_partitions(void)
{
    enum {
        PARTITIONS = 3
    };
    MPI_Count count = HUGE_BYTES / PARTITIONS;
    unsigned char *begin = runs + HUGE_BYTES - PARTITIONS * count;
    MPI_Request r;

    if (rank == 0) {
        huge_fill(runs, 0, 6);
        CHECK_EQ(MPI_Psend_init(begin, PARTITIONS, count, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
        CHECK_EQ(MPI_Pready_range(0, PARTITIONS - 1, r), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Precv_init(begin, PARTITIONS, count, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    if (rank == 1)
        huge_check(runs, 0, 6);
}

int main(int argc, char **argv)
{
    unsigned char *memory = huge_memory(0), *other = huge_memory(1);

    MPI_Init(&argc, &argv);
    set_up();
    runs = huge_begin(memory, 0);
    gaps = huge_begin(other, 1);
    with_gaps = huge_type();
    between_ranks(1, 0, 2);
    if (!getenv("INKLING_CMA")) { /* by messages, which takes long, only that */
        between_ranks(0, 1, 3);
        to_oneself();
        matched();
        in_partitions();
    }
    CHECK_EQ(MPI_Type_free(&with_gaps), MPI_SUCCESS);
    MPI_Finalize();
    munmap(memory, huge_span(0));
    munmap(other, huge_span(1));
    return 0;
}
