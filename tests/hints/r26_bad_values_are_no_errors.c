/* ranks: 1 2 */
/* R26: a known key with a value that it cannot have is ignored and no error, in set_info and at creation; the
 * other keys of that info count. */
#include "hints.h"

static const char *const bad[] = {"", "maybe", "2", "True", "true,false", "false;", "null"};

int main(int argc, char **argv)
{
    MPI_Comm a;
    MPI_Info info;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        info = info_with(NO_ANY_SOURCE, bad[i]);
        CHECK_EQ(MPI_Info_set(info, EXACT_LENGTH, "true"), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &a), MPI_SUCCESS);
        CHECK_HINT(a, NO_ANY_SOURCE, "false");
        CHECK_HINT(a, EXACT_LENGTH, "true");
        set_hint(a, NO_ANY_SOURCE, "true");
        CHECK_EQ(MPI_Info_set(info, EXACT_LENGTH, "false"), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_info(a, info), MPI_SUCCESS);
        CHECK_HINT(a, NO_ANY_SOURCE, "true");
        CHECK_HINT(a, EXACT_LENGTH, "false");
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
