/* ranks: 4 5 */
/* R30: a hint that must be the same on all ranks and is not: one rank says so, once, in one line with the
 * hint, the odd rank and its value, whichever rank it is and whichever call it was. */
#include "ear.h"
#include "hints.h"

/* Rank `odd` has been named, by one rank; or nobody, when odd is -1. */
static void expect_named(const char *said, int odd, const char *value)
{
    char name[64];
    int lines = 0, all;

    for (const char *c = said; *c; c++)
        lines += *c == '\n';
    snprintf(name, sizeof name, "but rank %d has \"%s\" and ", odd, value);
    if (lines) {
        CHECK_EQ(rank_in(MPI_COMM_WORLD), odd);
        CHECK(strstr(said, STRICT) != NULL);
        CHECK(strstr(said, name) != NULL);
    }
    CHECK_EQ(MPI_Allreduce(&lines, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(all, odd < 0 ? 0 : 1);
}

static void set_odd(MPI_Comm comm, int odd, int named)
{
    listen_begin();
    set_hint(comm, STRICT, rank_in(comm) == odd ? "false" : "true");
    expect_named(listen_end(), named ? odd : -1, "false");
    CHECK_HINT(comm, STRICT, "false");
}

static void dup_odd(int odd)
{
    MPI_Comm a;

    listen_begin();
    a = dup_with_hint(MPI_COMM_WORLD, STRICT, rank_in(MPI_COMM_WORLD) == odd ? "true" : "false");
    expect_named(listen_end(), odd, "true");
    CHECK_HINT(a, STRICT, "false");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
}

/* Only one rank has an info at all. */
static void idup_odd(int odd)
{
    MPI_Comm a;
    MPI_Request request;
    MPI_Info info = rank_in(MPI_COMM_WORLD) == odd ? info_with(STRICT, "true") : MPI_INFO_NULL;

    listen_begin();
    CHECK_EQ(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &a, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect_named(listen_end(), odd, "true");
    CHECK_HINT(a, STRICT, "false");
    if (info != MPI_INFO_NULL)
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    set_odd(a, 0, 1);            /* the first */
    dup_odd(size_of(a) - 1);     /* the last */
    idup_odd(1);                 /* one in the middle */
    set_odd(a, 2, 1);            /* another */
    set_odd(a, 2, 0);            /* and that it has said before */
    set_hint(a, STRICT, "true"); /* all is well again */
    CHECK_HINT(a, STRICT, "true");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
