/* ranks: 1 2 */
/* R35: the program is bound by an assertion only if get_info shows it. One that it offered badly, took back,
 * or made on another communicator does not bind it. */
#include "hints.h"

/* All that the assertions rule out. */
static void use_wildcards(MPI_Comm comm)
{
    int out = 7, in[2] = {0, 0}, count, flag;
    MPI_Request request;
    MPI_Status status;

    check_defaults(comm);
    CHECK_EQ(MPI_Isend(&out, 1, MPI_INT, rank_in(comm), 3, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count(&status, MPI_INT, &count), MPI_SUCCESS);
    CHECK_EQ(count, 1);
    CHECK_EQ(in[0], 7);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    parent = dup_with_hint(MPI_COMM_WORLD, NO_ANY_SOURCE, "true");
    a = dup_of(parent); /* does not inherit */
    use_wildcards(a);
    set_hint(a, NO_ANY_SOURCE, "TRUE"); /* is ignored */
    set_hint(a, "no_any_tag", "true");
    set_hint(a, EXACT_LENGTH, "1");
    use_wildcards(a);
    for (int i = 0; i < ASSERTIONS; i++) {
        set_hint(a, assertions[i], "true");
        set_hint(a, assertions[i], "false");
    }
    use_wildcards(a);
    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
