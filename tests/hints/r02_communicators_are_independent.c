/* ranks: 1 2 4 */
/* R2: changing the hints of one communicator changes no other, also not between a communicator and its
 * dup. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a, b;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    b = dup_of(a);
    set_hint(a, NO_ANY_TAG, "true");
    CHECK_HINT(a, NO_ANY_TAG, "true");
    check_defaults(b);
    check_defaults(MPI_COMM_WORLD);
    set_hint(b, EXACT_LENGTH, "true");
    CHECK_HINT(a, EXACT_LENGTH, "false");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_HINT(b, EXACT_LENGTH, "true");
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    set_hint(MPI_COMM_WORLD, OVERTAKING, "true");
    check_defaults(MPI_COMM_SELF);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
