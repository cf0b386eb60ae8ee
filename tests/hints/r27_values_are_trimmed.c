/* ranks: 1 2 */
/* R27: values are interpreted after stripping outer spaces, and reported in canonical form. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    for (int i = 0; i < ASSERTIONS; i++) {
        set_hint(a, assertions[i], "  true ");
        CHECK_HINT(a, assertions[i], "true");
        set_hint(a, assertions[i], "false   ");
        CHECK_HINT(a, assertions[i], "false");
    }
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
