/* ranks: 2 4 timeout: 60 also: INKLING_ALLREDUCE=tree not: thread */
/* Settings that are keys of communicators, too: a communicator without one follows the process, one with its own takes
 * its own, from the moment that all ranks have set it. Results are right whatever is set. */
#include "hints.h"
#include "mpi/mpit.h"

#include <stdlib.h>

enum {
    MANY = 20
};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle by_messages, in_memory;

/* How many of MANY allreduces went by messages; all others went through shared memory. */
static int count_by_messages(MPI_Comm comm)
{
    unsigned long long messages = mpit_read(session, by_messages), memory = mpit_read(session, in_memory);
    int size = size_of(comm), sum;

    for (int i = 0; i < MANY; i++) {
        sum = -1;
        CHECK_EQ(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(sum, i * size);
    }
    messages = mpit_read(session, by_messages) - messages;
    memory = mpit_read(session, in_memory) - memory;
    CHECK_EQ(messages + memory, MANY);
    return (int)messages;
}

/* A nonblocking one that begins before the setting changes goes on as it began. */
static void change_under_way(MPI_Comm comm)
{
    int size = size_of(comm), one = 1, sum = 0;
    MPI_Request request;

    CHECK_EQ(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request), MPI_SUCCESS);
    set_hint(comm, "inkling_allreduce", "mailbox");
    CHECK_EQ(count_by_messages(comm), 0);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(sum, size);
}

static void disagree(const char *process)
{
    MPI_Info info = info_with("inkling_bcast", "tree");
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_set(info, "inkling_allreduce", rank_in(MPI_COMM_WORLD) ? "doubling" : "mailbox"),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_HINT(comm, "inkling_allreduce", process);
    CHECK_HINT(comm, "inkling_bcast", "tree");
    for (int i = 0; i < 2; i++)
        count_by_messages(comm); /* mailboxes are made now */
    CHECK_EQ(count_by_messages(comm), strcmp(process, "tree") ? 0 : MANY);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *process = getenv("INKLING_ALLREDUCE");
    MPI_Comm comm, plain;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    mpit_open();
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    by_messages =
        mpit_start(session, "inkling_collectives_by_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    in_memory =
        mpit_start(session, "inkling_collectives_in_shared_memory", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    process = process ? process : "auto";
    plain = dup_of(MPI_COMM_WORLD);
    CHECK_HINT(plain, "inkling_allreduce", process);
    for (int i = 0; i < 2; i++)
        count_by_messages(plain); /* mailboxes are made now, where they are used */
    CHECK_EQ(count_by_messages(plain), strcmp(process, "tree") ? 0 : MANY);
    comm = dup_with_hint(MPI_COMM_WORLD, "inkling_allreduce", "doubling");
    CHECK_EQ(count_by_messages(comm), MANY);
    set_hint(comm, "inkling_allreduce", "mailbox");
    count_by_messages(comm);
    CHECK_EQ(count_by_messages(comm), 0);
    set_hint(comm, "inkling_reproducible_reductions", "true");
    CHECK_EQ(count_by_messages(comm), MANY);
    set_hint(comm, "inkling_reproducible_reductions", "false");
    CHECK_EQ(count_by_messages(comm), 0);
    set_hint(comm, "inkling_allreduce", "tree");
    CHECK_EQ(count_by_messages(comm), MANY);
    change_under_way(comm);
    set_hint(comm, "inkling_allreduce", "auto");
    CHECK_EQ(count_by_messages(comm), 0);
    CHECK_HINT(plain, "inkling_allreduce", process);
    disagree(process);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&plain), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
