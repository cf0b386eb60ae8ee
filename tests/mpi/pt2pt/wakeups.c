/* ranks: 2 timeout: 20 env: INKLING_SPIN_TIME=0 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Two ranks that wait for each other and sleep at once, over and over. What the other does falls before, into
 * and after the moment in which a rank goes to sleep. Nothing else wakes it, so a lost wake-up, once in some
 * ten thousand times, hangs. With messages of each kind and collectives of each form. */
#include "wakeups.h"

#include "p2p.h"

enum {
    LARGE = 200000,
    SPREAD = 600000 /* shorts with gaps between them: more than is packed ahead */
};

static unsigned seed;

static void receive(char *more, int bytes)
{
    CHECK_EQ(MPI_Recv(more, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void send(char *more, int bytes, bool is_synchronous)
{
    if (is_synchronous)
        CHECK_EQ(MPI_Ssend(more, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Send(more, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD), MPI_SUCCESS);
}

/* The first byte says whether another round follows. */
static void messages(int bytes, bool is_synchronous)
{
    static char more[LARGE];
    double end = now_us() + SECTION_MS * 1e3;

    for (more[0] = 1; more[0];) {
        if (rank == 0) {
            more[0] = now_us() < end;
            linger(&seed, RANK_US);
            send(more, bytes, is_synchronous);
            receive(more, bytes);
        } else {
            receive(more, bytes);
            linger(&seed, RANK_US);
            send(more, bytes, is_synchronous);
        }
    }
}

/* Items with gaps are packed by one rank while the other unpacks. */
static void items_with_gaps(void)
{
    static short more[SPREAD];
    double end = now_us() + SECTION_MS * 1e3;
    MPI_Datatype type;

    CHECK_EQ(MPI_Type_vector(SPREAD / 2, 1, 2, MPI_SHORT, &type), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
    for (more[0] = 1; more[0];) {
        if (rank == 0)
            more[0] = now_us() < end;
        linger(&seed, RANK_US);
        if (rank == 0)
            CHECK_EQ(MPI_Send(more, 1, type, 1, 2, MPI_COMM_WORLD), MPI_SUCCESS);
        else
            CHECK_EQ(MPI_Recv(more, 1, type, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

/* Messages that found no room leave while their sender waits for something else, though nobody wakes it for
 * them. */
static void more_than_there_is_room(void)
{
    static MPI_Request requests[MANY];
    char more = 1;
    double end = now_us() + SECTION_MS * 1e3;

    while (more) {
        if (rank == 0)
            more = now_us() < end;
        for (int i = 0; rank == 0 && i < MANY; i++)
            CHECK_EQ(MPI_Isend(&more, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &requests[i]), MPI_SUCCESS);
        linger(&seed, RANK_US);
        for (int i = 0; rank == 1 && i < MANY; i++)
            CHECK_EQ(MPI_Recv(&more, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        if (rank == 1)
            CHECK_EQ(MPI_Send(NULL, 0, MPI_BYTE, 0, 4, MPI_COMM_WORLD), MPI_SUCCESS);
        else
            CHECK_EQ(MPI_Recv(NULL, 0, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        if (rank == 0)
            CHECK_EQ(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    }
}

enum form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT
};

/* One collective of this form; a persistent one has been made. */
static void run(enum form form, MPI_Request *kept, int *in, int *out)
{
    MPI_Request request;

    if (form == BLOCKING) {
        CHECK_EQ(MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
        return;
    }
    if (form == NONBLOCKING)
        CHECK_EQ(MPI_Iallreduce(in, out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Start(kept), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(form == NONBLOCKING ? &request : kept, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void collectives(enum form form)
{
    double end = now_us() + SECTION_MS * 1e3;
    MPI_Request kept = MPI_REQUEST_NULL;
    int in = 1, out = 1;

    if (form == PERSISTENT)
        CHECK_EQ(MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &kept),
                 MPI_SUCCESS);
    while (out) {
        in = rank == 0 && now_us() < end;
        linger(&seed, RANK_US);
        run(form, &kept, &in, &out);
    }
    if (form == PERSISTENT)
        CHECK_EQ(MPI_Request_free(&kept), MPI_SUCCESS);
}

/* From either root in turn, so that one rank waits for the other alone. */
static void broadcasts(void)
{
    double end = now_us() + SECTION_MS * 1e3;
    int more = 1;

    while (more) {
        if (rank == 0)
            more = now_us() < end;
        for (int root = 0; root < 2; root++) {
            linger(&seed, RANK_US);
            CHECK_EQ(MPI_Bcast(&more, 1, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    seed = (unsigned)rank + 1;
    messages(1, false);
    messages(1, true);
    messages(3000, false);
    messages(LARGE, false);
    items_with_gaps();
    more_than_there_is_room();
    for (enum form form = BLOCKING; form <= PERSISTENT; form++)
        collectives(form);
    broadcasts();
    MPI_Finalize();
    return 0;
}
