/* ranks: 2 4 timeout: 60 also: INKLING_ALLREDUCE=tree not: thread */
/* The info argument of a persistent collective chooses for this operation alone (MPI-5.0 section 7.13); what it does not say is the
 * communicator's, and a row about which the ranks disagree too. Other keys change nothing. Results are right whatever is given. */
#include "hints.h"
#include "mpi/mpit.h"

#include <stdlib.h>

enum {
    STARTS = 10,
    ITEMS = 50,
    AHEAD = 8
};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle by_messages;

static void start_often(MPI_Request *request, int size, const int *in, const int *out)
{
    for (int i = 0; i < STARTS; i++) {
        CHECK_EQ(MPI_Start(request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int k = 0; k < ITEMS; k++)
            CHECK_EQ(out[k], in[k] * size);
    }
}

/* Whether an allreduce that is made with this info goes by messages. */
static int goes_by_messages(MPI_Comm comm, MPI_Info info)
{
    unsigned long long before = mpit_read(session, by_messages), after;
    int in[ITEMS], out[ITEMS] = {0};
    MPI_Request request;

    for (int k = 0; k < ITEMS; k++)
        in[k] = k;
    CHECK_EQ(MPI_Allreduce_init(in, out, ITEMS, MPI_INT, MPI_SUM, comm, info, &request), MPI_SUCCESS);
    after = mpit_read(session, by_messages);
    start_often(&request, size_of(comm), in, out);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    return after > before;
}

static int with(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info = info_with(key, value);
    int messages = goes_by_messages(comm, info);

    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return messages;
}

/* The other ranks have no info, and must not be waited for by this one. */
static int with_on_one(MPI_Comm comm, int one, const char *key, const char *value)
{
    return rank_in(comm) == one ? with(comm, key, value) : goes_by_messages(comm, MPI_INFO_NULL);
}

/* On one host a rank without info waits for nobody, however far the others are behind and whatever they give. */
static void run_ahead(int rank)
{
    MPI_Info info = info_with("inkling_allreduce", "doubling");
    MPI_Comm comm = dup_of(MPI_COMM_WORLD);
    int one = 1, sum[AHEAD], last = size_of(comm) - 1;
    MPI_Request request[AHEAD];

    CHECK_EQ(MPI_Barrier_init(comm, MPI_INFO_NULL, &request[0]), MPI_SUCCESS); /* makes what ranks share */
    CHECK_EQ(MPI_Request_free(&request[0]), MPI_SUCCESS);
    if (rank > 0)
        CHECK_EQ(MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < AHEAD; i++)
        CHECK_EQ(MPI_Allreduce_init(&one, &sum[i], 1, MPI_INT, MPI_SUM, comm,
                                    rank == last && i % 2 ? info : MPI_INFO_NULL, &request[i]),
                 MPI_SUCCESS);
    if (rank < last)
        CHECK_EQ(MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, comm), MPI_SUCCESS);
    for (int i = 0; i < AHEAD; i++) {
        CHECK_EQ(MPI_Start(&request[i]), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Request_free(&request[i]), MPI_SUCCESS);
        CHECK_EQ(sum[i], last + 1);
    }
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* Votes of ranks that pass by others: only the last of them is of this collective. */
static void vote_in_turns(MPI_Comm comm)
{
    for (int i = 0; i < 3 * AHEAD; i++)
        CHECK_EQ(with_on_one(comm, i % size_of(comm), "inkling_allreduce", i % 3 ? "doubling" : "mailbox"),
                 goes_by_messages(comm, MPI_INFO_NULL));
    CHECK_EQ(with(comm, "inkling_allreduce", "doubling"), 1);
}

/* Each collective takes an info, and goes by messages as it says; large counts too. */
static void make_others(MPI_Comm comm)
{
    unsigned long long before = mpit_read(session, by_messages);
    MPI_Info info = info_with("inkling_barrier", "tree");
    int value = rank_in(comm), all[8] = {0};
    MPI_Request request[3];

    CHECK_EQ(MPI_Info_set(info, "inkling_bcast", "pipeline"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "inkling_allgather", "ring"), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier_init(comm, info, &request[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Bcast_init_c(&value, 1, MPI_INT, 0, comm, info, &request[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Allgather_init(&value, 1, MPI_INT, all, 1, MPI_INT, comm, info, &request[2]), MPI_SUCCESS);
    CHECK_EQ(mpit_read(session, by_messages), before + 3);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Start(&request[i]), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Request_free(&request[i]), MPI_SUCCESS);
    }
    for (int i = 0; i < size_of(comm); i++)
        CHECK_EQ(all[i], 0); /* all have the broadcast's */
}

/* Collectives of two groups have no algorithms to choose from. */
static void make_across(int rank)
{
    MPI_Info info = info_with("inkling_bcast", "tree");
    MPI_Comm half, inter;
    MPI_Request request;
    int value = rank, root = rank == 0 ? MPI_ROOT : rank % 2 ? 0 : MPI_PROC_NULL;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Bcast_init(&value, 1, MPI_INT, root, inter, info, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(value, rank % 2 ? 0 : rank);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *process = getenv("INKLING_ALLREDUCE");
    int rank, usual = process && strcmp(process, "tree") == 0;
    MPI_Comm comm;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    mpit_open();
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    by_messages =
        mpit_start(session, "inkling_collectives_by_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    rank = rank_in(MPI_COMM_WORLD);
    comm = dup_of(MPI_COMM_WORLD);
    CHECK_EQ(goes_by_messages(comm, MPI_INFO_NULL), usual);
    CHECK_EQ(with(comm, "inkling_allreduce", "doubling"), 1);
    CHECK_EQ(with(comm, "inkling_allreduce", "mailbox"), 0);
    CHECK_EQ(with(comm, "inkling_reproducible_reductions", "true"), 1);
    CHECK_EQ(with(comm, "inkling_allreduce", "perhaps"), usual);
    CHECK_EQ(with(comm, "inkling_bcast", "tree"), usual);
    CHECK_EQ(with(comm, "somebody_elses_key", "true"), usual);
    CHECK_EQ(with(comm, "mpi_assert_no_any_tag", "true"), usual);
    CHECK_EQ(with(comm, "inkling_allreduce", rank ? "doubling" : "mailbox"), usual);
    CHECK_EQ(with_on_one(comm, 0, "inkling_allreduce", "doubling"), usual);
    CHECK_EQ(with_on_one(comm, 1, "inkling_allreduce", usual ? "mailbox" : "doubling"), usual);
    CHECK_EQ(with_on_one(comm, 1, "inkling_reproducible_reductions", "true"), usual);
    CHECK_EQ(goes_by_messages(comm, MPI_INFO_NULL), usual);
    run_ahead(rank);
    vote_in_turns(comm);
    set_hint(comm, "inkling_allreduce", usual ? "mailbox" : "tree");
    CHECK_EQ(goes_by_messages(comm, MPI_INFO_NULL), !usual);
    CHECK_EQ(with(comm, "inkling_allreduce", usual ? "tree" : "mailbox"), usual);
    CHECK_EQ(with(comm, "inkling_allreduce", rank ? "doubling" : "mailbox"), !usual);
    CHECK_EQ(with(comm, "inkling_reproducible_reductions", "true"), 1);
    set_hint(comm, "inkling_reproducible_reductions", "true");
    CHECK_EQ(with(comm, "inkling_reproducible_reductions", "false"), !usual);
    make_others(comm);
    make_across(rank);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
