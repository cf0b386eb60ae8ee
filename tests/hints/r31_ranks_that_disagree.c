/* ranks: 1 2 3 4 */
/* R31: strict_persistent_collective_ordering must be the same on all ranks. Where they disagree,
 * also because only some give the key, it is false on all, nothing hangs, and no other hint suffers. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a, b;
    MPI_Info info;
    MPI_Request request;
    const char *agreed;
    int rank, last;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    rank = rank_in(a);
    last = size_of(a) - 1;
    agreed = last == 0 ? "true" : "false"; /* one rank always agrees with itself */

    set_hint(a, STRICT, "true");
    CHECK_HINT(a, STRICT, "true");
    set_hint(a, STRICT, rank == last && last ? "false" : "true");
    CHECK_HINT(a, STRICT, agreed);
    set_hint(a, STRICT, "true"); /* they may agree again */
    CHECK_HINT(a, STRICT, "true");
    set_hint(a, STRICT, "false");

    info = info_with(NO_ANY_TAG, "true");
    if (rank == 0)
        CHECK_EQ(MPI_Info_set(info, STRICT, "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_info(a, info), MPI_SUCCESS);
    CHECK_HINT(a, STRICT, agreed);
    CHECK_HINT(a, NO_ANY_TAG, "true");
    CHECK_EQ(MPI_Comm_set_info(a, rank == 0 ? info : MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_HINT(a, STRICT, agreed);

    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &b), MPI_SUCCESS);
    CHECK_HINT(b, STRICT, agreed);
    CHECK_HINT(b, NO_ANY_TAG, "true");
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_idup_with_info(MPI_COMM_WORLD, rank == 0 ? info : MPI_INFO_NULL, &b, &request),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_HINT(b, STRICT, agreed);
    CHECK_HINT(b, NO_ANY_TAG, rank == 0 ? "true" : "false");
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);

    b = dup_with_hint(MPI_COMM_WORLD, STRICT, "true");
    CHECK_HINT(b, STRICT, "true");
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
