/* ranks: 1 */
/* Watermarks and counters from start to stop: what moves them, what does not, and what a start begins with. */
#include "mpit.h"

enum {
    MOST = 8
};

static MPI_T_pvar_session session;
static MPI_Request request[MOST];
static int posted;
static char bytes[MOST];

/* Makes it `count` receives that wait, one at a time. */
static void keep_posted(int count, MPI_Comm comm)
{
    for (; posted < count; posted++)
        MPI_Irecv(bytes + posted, 1, MPI_CHAR, 0, posted, comm, &request[posted]);
    while (posted > count) {
        posted--;
        MPI_Send("x", 1, MPI_CHAR, 0, posted, comm);
        MPI_Wait(&request[posted], MPI_STATUS_IGNORE);
    }
}

static MPI_T_pvar_handle mark(MPI_T_pvar_session s, int var_class, MPI_Comm comm)
{
    return mpit_start(s, "inkling_comm_posted_receives", var_class, comm);
}

static void follow(MPI_Comm comm)
{
    MPI_T_pvar_handle high = mark(session, MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);
    MPI_T_pvar_handle low = mark(session, MPI_T_PVAR_CLASS_LOWWATERMARK, comm);
    unsigned long long value = 100;

    keep_posted(3, comm);
    keep_posted(1, comm);
    CHECK_EQ(mpit_read(session, high), 3);
    CHECK_EQ(mpit_read(session, low), 0);
    CHECK_EQ(MPI_T_pvar_start(session, high), MPI_SUCCESS); /* it is started: nothing begins again */
    CHECK_EQ(mpit_read(session, high), 3);
    CHECK_EQ(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_EQ(mpit_read(session, low), 1);
    CHECK_EQ(mpit_read(session, high), 1);
    keep_posted(4, comm);
    CHECK_EQ(MPI_T_pvar_readreset(session, high, &value), MPI_SUCCESS);
    CHECK_EQ(value, 4);
    keep_posted(2, comm);
    CHECK_EQ(mpit_read(session, high), 4);
    CHECK_EQ(mpit_read(session, low), 1);
    value = 6;
    CHECK_EQ(MPI_T_pvar_write(session, high, &value), MPI_SUCCESS);
    keep_posted(5, comm);
    CHECK_EQ(mpit_read(session, high), 6);
    keep_posted(7, comm);
    CHECK_EQ(mpit_read(session, high), 7);
    CHECK_EQ(MPI_T_pvar_handle_free(session, &high), MPI_SUCCESS);
    keep_posted(0, comm);
    CHECK_EQ(mpit_read(session, low), 0);
    CHECK_EQ(MPI_T_pvar_handle_free(session, &low), MPI_SUCCESS);
}

/* What is stopped stays, and begins with what is there when it is started again. */
static void stop_and_start(MPI_Comm comm)
{
    MPI_T_pvar_handle high = mark(session, MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);
    unsigned long long value = 100;

    keep_posted(4, comm);
    keep_posted(2, comm);
    CHECK_EQ(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_stop(session, high), MPI_SUCCESS);
    keep_posted(6, comm);
    CHECK_EQ(mpit_read(session, high), 4);
    keep_posted(3, comm);
    CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_EQ(mpit_read(session, high), 3);
    CHECK_EQ(MPI_T_pvar_stop(session, high), MPI_SUCCESS);
    keep_posted(1, comm);
    CHECK_EQ(MPI_T_pvar_readreset(session, high, &value), MPI_SUCCESS);
    CHECK_EQ(value, 3);
    CHECK_EQ(mpit_read(session, high), 1);
    keep_posted(0, comm);
    CHECK_EQ(MPI_T_pvar_handle_free(session, &high), MPI_SUCCESS);
}

/* The end of one session, or of another's handle, takes nothing from those that go on. */
static void outlive_others(MPI_Comm comm)
{
    MPI_T_pvar_session others[2];
    MPI_T_pvar_handle high = mark(session, MPI_T_PVAR_CLASS_HIGHWATERMARK, comm), freed;
    MPI_T_pvar_handle elsewhere = mark(session, MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_COMM_SELF);

    for (int i = 0; i < 2; i++) {
        CHECK_EQ(MPI_T_pvar_session_create(&others[i]), MPI_SUCCESS);
        freed = mark(others[i], MPI_T_PVAR_CLASS_HIGHWATERMARK, comm);
        mark(others[i], MPI_T_PVAR_CLASS_LOWWATERMARK, comm);
        mpit_start(others[i], "inkling_comm_collectives", MPI_T_PVAR_CLASS_COUNTER, comm);
        CHECK_EQ(MPI_T_pvar_stop(others[i], freed), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_T_pvar_handle_free(others[0], &freed), MPI_T_ERR_INVALID_HANDLE); /* it is the other's */
    CHECK_EQ(MPI_T_pvar_session_free(&others[0]), MPI_SUCCESS);
    keep_posted(3, comm);
    CHECK_EQ(mpit_read(session, high), 3);
    CHECK_EQ(MPI_T_pvar_session_free(&others[1]), MPI_SUCCESS);
    keep_posted(5, comm);
    CHECK_EQ(mpit_read(session, high), 5);
    CHECK_EQ(mpit_read(session, elsewhere), 0);
    keep_posted(0, comm);
    CHECK_EQ(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
}

/* A handle whose communicator is gone is an error for those that ask for all, which do the others all the same. */
static void lose_a_communicator(void)
{
    MPI_T_pvar_handle dead, counts;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    counts = mpit_start(session, "inkling_comm_collectives", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_SELF);
    dead = mpit_start(session, "inkling_comm_collectives", MPI_T_PVAR_CLASS_COUNTER, comm);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Comm_free(&comm);
    CHECK_EQ(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_PVAR_NO_STARTSTOP);
    MPI_Barrier(MPI_COMM_SELF);
    CHECK_EQ(mpit_read(session, counts), 1);
    CHECK_EQ(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_EQ(mpit_read(session, counts), 0);
    CHECK_EQ(MPI_T_pvar_stop(session, dead), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_reset(session, dead), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_handle_free(session, &dead), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_free(session, &counts), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mpit_open();
    MPI_Init(&argc, &argv);
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    follow(comm);
    stop_and_start(comm);
    outlive_others(comm);
    lose_a_communicator();
    MPI_Comm_free(&comm);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    MPI_Finalize();
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
