/* ranks: 1 2 3 */
/* R20: after set_info a boolean or a kind list is what was offered or what it was, never a third value. */
#include "hints.h"

static const char *const values[] = {"true", "", "false", "maybe", "true", "2", "-1", "false", "on", "true"};
static const char *const kinds[] = {"mpi", "cuda", "system", "mpi,rocm", "", ",", "mpi:alloc_mem"};

static void offer(MPI_Comm comm, const char *key, const char *value)
{
    char before[MPI_MAX_INFO_VAL + 1];
    const char *now = hint_of(comm, key);
    int was_there = now != NULL;

    snprintf(before, sizeof before, "%s", now ? now : "");
    set_hint(comm, key, value);
    now = hint_of(comm, key);
    if (now && strcmp(now, value) == 0)
        return;
    CHECK_EQ(now != NULL, was_there);
    if (was_there)
        CHECK_STR(now, before);
}

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    for (int i = 0; i < ASSERTIONS; i++)
        for (size_t j = 0; j < sizeof values / sizeof *values; j++)
            offer(a, assertions[i], values[j]);
    for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++)
        offer(a, ASSERTED_KINDS, kinds[j]);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
