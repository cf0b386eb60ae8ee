/* ranks: 2 also: INKLING_EAGER_LIMIT=16 also: INKLING_TRANSPORT=ofi not: thread */
/* What travels at once on a communicator that sets a limit: messages up to that limit, from the moment that it is set,
 * while other communicators follow the process. Each rank has its own. A limit that is more than one message of the
 * transport can hold is reported as what is in force. */
#include "hints.h"
#include "mpi/mpit.h"

#include <stdlib.h>

enum {
    LONGEST = 40000,
    MOST_OVER_OFI = 32 << 10,
    TAG = 4
};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle eager, rendezvous;
static const char *key;

/* Whether a message of so many bytes from rank 0 to rank 1, or to itself, goes at once. */
static int goes_at_once(int bytes, int dest, MPI_Comm comm)
{
    static unsigned char sent[LONGEST], got[LONGEST];
    unsigned long long at_once = mpit_read(session, eager), later = mpit_read(session, rendezvous);
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int me = rank_in(comm);

    for (int i = 0; i < bytes; i++)
        sent[i] = (unsigned char)(i * 7 + bytes);
    memset(got, 0, sizeof got);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    if (me == dest)
        CHECK_EQ(MPI_Irecv(got, LONGEST, MPI_BYTE, 0, TAG, comm, &request[0]), MPI_SUCCESS);
    if (me == 0)
        CHECK_EQ(MPI_Isend(sent, bytes, MPI_BYTE, dest, TAG, comm, &request[1]), MPI_SUCCESS);
    at_once = mpit_read(session, eager) - at_once;
    later = mpit_read(session, rendezvous) - later;
    CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    if (me == dest)
        CHECK(memcmp(sent, got, (size_t)bytes) == 0);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    if (me == 0)
        CHECK_EQ(at_once + later, 1);
    return me == 0 ? (int)at_once : -1;
}

/* -1: this rank sends nothing, and does not know. */
static void limit_is(int limit, int dest, MPI_Comm comm)
{
    int below = goes_at_once(limit, dest, comm), above = goes_at_once(limit + 1, dest, comm);

    CHECK(below == 1 || below == -1);
    CHECK(above == 0 || above == -1);
}

static void check_all(int dest, int of_process)
{
    MPI_Comm plain = dup_of(MPI_COMM_WORLD), comm = dup_with_hint(MPI_COMM_WORLD, key, "64");

    CHECK_HINT(comm, key, "64");
    limit_is(64, dest, comm);
    limit_is(of_process, dest, plain);
    set_hint(comm, key, "1000");
    limit_is(1000, dest, comm);
    set_hint(comm, key, "0");
    limit_is(0, dest, comm);
    set_hint(comm, key, "1G"); /* more than is legal: the old value stays */
    CHECK_HINT(comm, key, "0");
    if (rank_in(comm) == 0)
        set_hint(comm, key, "2000"); /* local */
    else
        set_hint(comm, key, "5");
    limit_is(2000, dest, comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&plain), MPI_SUCCESS);
}

static void check_most(void)
{
    MPI_Comm plain = dup_of(MPI_COMM_WORLD), comm = dup_with_hint(MPI_COMM_WORLD, key, "64K");
    MPI_T_cvar_handle handle;
    int index, count;
    int64_t value = 0;

    CHECK_HINT(plain, key, "32K");
    CHECK_HINT(comm, key, "32K");
    limit_is(MOST_OVER_OFI, 1, comm);
    CHECK_EQ(MPI_T_cvar_get_index(key, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
    CHECK_EQ(value, MOST_OVER_OFI);
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&plain), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *transport = getenv("INKLING_TRANSPORT"), *limit = getenv("INKLING_EAGER_LIMIT");

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    mpit_open();
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    eager = mpit_start(session, "inkling_eager_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    rendezvous = mpit_start(session, "inkling_rendezvous_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    key = "inkling_eager_limit";
    check_all(0, limit ? atoi(limit) : 4096);
    if (transport && strcmp(transport, "ofi") == 0) {
        key = "inkling_ofi_eager_limit";
        check_most();
        check_all(1, MOST_OVER_OFI);
    } else {
        check_all(1, limit ? atoi(limit) : 4096);
    }
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
