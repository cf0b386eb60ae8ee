/* ranks: 1 */
/* R15: all keys and values that get_info gives respect MPI_MAX_INFO_KEY and MPI_MAX_INFO_VAL and can be
 * read by asking for the size first. */
#include "hints.h"

int main(int argc, char **argv)
{
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
    int count, needed, size, found;
    MPI_Info info;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    set_hint(MPI_COMM_SELF, ASSERTED_KINDS, "mpi:alloc_mem,system");
    CHECK_EQ(MPI_Comm_get_info(MPI_COMM_SELF, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_nkeys(info, &count), MPI_SUCCESS);
    CHECK_EQ(count, ASSERTIONS + ALGORITHMS + 5); /* and the reductions, two limits, and two of kinds */
    for (int i = 0; i < count; i++) {
        CHECK_EQ(MPI_Info_get_nthkey(info, i, key), MPI_SUCCESS);
        CHECK(strlen(key) < MPI_MAX_INFO_KEY);
        needed = 0;
        CHECK_EQ(MPI_Info_get_string(info, key, &needed, NULL, &found), MPI_SUCCESS);
        CHECK(found && needed > 0 && needed <= MPI_MAX_INFO_VAL);
        size = needed;
        CHECK_EQ(MPI_Info_get_string(info, key, &size, value, &found), MPI_SUCCESS);
        CHECK(found && size == needed && (int)strlen(value) == needed - 1);
    }
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
