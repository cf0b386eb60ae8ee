/* ranks: 1 2 */
/* R24: an assertion can always be set back to false. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    for (int i = 0; i < ASSERTIONS; i++)
        for (int round = 0; round < 2; round++) {
            set_hint(a, assertions[i], "true");
            CHECK_HINT(a, assertions[i], "true");
            set_hint(a, assertions[i], "true");
            CHECK_HINT(a, assertions[i], "true");
            set_hint(a, assertions[i], "false");
            CHECK_HINT(a, assertions[i], "false");
        }
    check_defaults(a);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
