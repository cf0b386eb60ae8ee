/* ranks: 1 2 */
/* R9: get_info has every hint with a default though no info was ever given, and after others were. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &a), MPI_SUCCESS);
    check_defaults(a);
    for (int i = 0; i < ASSERTIONS; i++) {
        set_hint(a, assertions[i], "true");
        for (int j = 0; j < ASSERTIONS; j++)
            CHECK_HINT(a, assertions[j], j <= i ? "true" : "false");
    }
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
