/* ranks: 1 2 3 5 8 */
/* MPI_Comm_idup and MPI_Comm_idup_with_info: local calls that complete by progress. */
#include "check.h"

static int rank, size;

static int has_hint(MPI_Comm comm)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int length = sizeof value, flag;
    MPI_Info info;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get_string(info, "mpi_assert_no_any_source", &length, value, &flag);
    MPI_Info_free(&info);
    return flag && strcmp(value, "true") == 0;
}

static void call_is_local(void)
{
    MPI_Comm dup;
    MPI_Request request;
    int token = rank;

    /* each rank starts only after its predecessor has returned from the call: blocking would deadlock */
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request), MPI_SUCCESS);
    CHECK(request != MPI_REQUEST_NULL);
    if (rank + 1 < size)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Barrier(dup), MPI_SUCCESS);
    MPI_Comm_free(&dup);
}

static void several_in_flight_beside_collectives(void)
{
    enum {
        MANY = 20
    };
    MPI_Comm dup[MANY];
    MPI_Request request[MANY];
    int sum, done = 0;

    for (int i = 0; i < MANY; i++) {
        CHECK_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &dup[i], &request[i]), MPI_SUCCESS);
        CHECK_EQ(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(sum, i * size);
    }
    while (!done)
        CHECK_EQ(MPI_Testall(MANY, request, &done, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < MANY; i++) {
        int one = 1;

        CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, dup[MANY - 1 - i]), MPI_SUCCESS);
        CHECK_EQ(sum, size);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&dup[i]);
}

/* As if executed at the call: later changes of attributes, hints and the info object are not seen. */
static void later_changes_are_not_seen(void)
{
    MPI_Comm parent, dup;
    MPI_Request request;
    MPI_Info info;
    void *value = NULL;
    int keyval, flag;

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_set_attr(parent, keyval, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_source", "true");
    CHECK_EQ(MPI_Comm_idup_with_info(parent, info, &dup, &request), MPI_SUCCESS);
    MPI_Info_set(info, "mpi_assert_no_any_source", "false");
    MPI_Info_free(&info);
    MPI_Comm_set_attr(parent, keyval, &size);
    MPI_Comm_free(&parent); /* legal: the operation completes normally */
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_attr(dup, keyval, &value, &flag), MPI_SUCCESS);
    CHECK(flag && value == &rank);
    CHECK(has_hint(dup));
    CHECK_EQ(MPI_Barrier(dup), MPI_SUCCESS);
    MPI_Comm_free(&dup);
    MPI_Comm_free_keyval(&keyval);
}

static void plain_idup_has_no_hints(void)
{
    MPI_Comm parent, dup;
    MPI_Request request;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_source", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &parent);
    MPI_Info_free(&info);
    CHECK(has_hint(parent));
    CHECK_EQ(MPI_Comm_idup(parent, &dup, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(!has_hint(dup));
    MPI_Comm_free(&dup);
    MPI_Comm_free(&parent);
}

static void completes_while_waiting_for_something_else(void)
{
    MPI_Comm dup;
    MPI_Request request;
    int flag, token = 0;

    CHECK_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    do {
        CHECK_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } while (!flag);
    CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &token, 1, MPI_INT,
                          (rank + size - 1) % size, 3, dup, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(token, (rank + size - 1) % size);
    MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    call_is_local();
    several_in_flight_beside_collectives();
    later_changes_are_not_seen();
    plain_idup_has_no_hints();
    completes_while_waiting_for_something_else();
    MPI_Finalize();
    return 0;
}
