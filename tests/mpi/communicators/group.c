/* ranks: 1 2 4 */
/* Groups as a program sees them: accessors, constructors, handles, errors. */
#include "check.h"

static int rank, size;
static MPI_Group world;

static void accessors(void)
{
    int n = -1, r = -1, result = -1;
    MPI_Group again;

    CHECK_EQ(MPI_Group_size(world, &n), MPI_SUCCESS);
    CHECK_EQ(n, size);
    CHECK_EQ(MPI_Group_rank(world, &r), MPI_SUCCESS);
    CHECK_EQ(r, rank);
    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &again), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_compare(world, again, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_IDENT);
    CHECK_EQ(MPI_Group_free(&again), MPI_SUCCESS);
    CHECK(again == MPI_GROUP_NULL);
    CHECK_EQ(MPI_Group_size(world, &n), MPI_SUCCESS); /* the other handle lives on */
}

static void the_empty_group(void)
{
    int n = -1, r = 0, result;
    MPI_Group g;

    CHECK_EQ(MPI_Group_size(MPI_GROUP_EMPTY, &n), MPI_SUCCESS);
    CHECK_EQ(n, 0);
    CHECK_EQ(MPI_Group_rank(MPI_GROUP_EMPTY, &r), MPI_SUCCESS);
    CHECK_EQ(r, MPI_UNDEFINED);
    CHECK_EQ(MPI_Group_incl(world, 0, NULL, &g), MPI_SUCCESS);
    CHECK(g == MPI_GROUP_EMPTY);
    CHECK_EQ(MPI_Group_compare(g, world, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_UNEQUAL);
    CHECK_EQ(MPI_Group_free(&g), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(MPI_GROUP_EMPTY, &n), MPI_SUCCESS);
}

static void reversed_group_translates_back(void)
{
    int range[1][3] = {{size - 1, 0, -1}}, from[3] = {0, size - 1, MPI_PROC_NULL}, to[3], r, result;
    MPI_Group reversed, all;

    CHECK_EQ(MPI_Group_range_incl(world, 1, range, &reversed), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_rank(reversed, &r), MPI_SUCCESS);
    CHECK_EQ(r, size - 1 - rank);
    CHECK_EQ(MPI_Group_translate_ranks(world, 3, from, reversed, to), MPI_SUCCESS);
    CHECK_EQ(to[0], size - 1);
    CHECK_EQ(to[1], 0);
    CHECK_EQ(to[2], MPI_PROC_NULL);
    CHECK_EQ(MPI_Group_compare(world, reversed, &result), MPI_SUCCESS);
    CHECK_EQ(result, size == 1 ? MPI_IDENT : MPI_SIMILAR);
    CHECK_EQ(MPI_Group_union(world, reversed, &all), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_compare(all, world, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_IDENT);
    MPI_Group_free(&all);
    MPI_Group_free(&reversed);
}

static void parts_make_the_whole(void)
{
    int zero = 0, n, to, result;
    MPI_Group first, rest, whole, none;

    CHECK_EQ(MPI_Group_incl(world, 1, &zero, &first), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_excl(world, 1, &zero, &rest), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(rest, &n), MPI_SUCCESS);
    CHECK_EQ(n, size - 1);
    CHECK_EQ(MPI_Group_translate_ranks(world, 1, &zero, rest, &to), MPI_SUCCESS);
    CHECK_EQ(to, MPI_UNDEFINED);
    CHECK_EQ(MPI_Group_union(first, rest, &whole), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_compare(whole, world, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_IDENT);
    CHECK_EQ(MPI_Group_intersection(first, rest, &none), MPI_SUCCESS);
    CHECK(none == MPI_GROUP_EMPTY);
    MPI_Group_free(&whole);
    CHECK_EQ(MPI_Group_difference(world, first, &whole), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_compare(whole, rest, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_IDENT);
    MPI_Group_free(&whole);
    MPI_Group_free(&first);
    if (rest != MPI_GROUP_EMPTY)
        MPI_Group_free(&rest);
}

static void group_outlives_its_communicator(void)
{
    int n;
    MPI_Comm comm;
    MPI_Group g;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_group(comm, &g), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(g, &n), MPI_SUCCESS);
    CHECK_EQ(n, size);
    CHECK_EQ(MPI_Group_free(&g), MPI_SUCCESS);
}

static void errors(void)
{
    int bad = size, twice[2] = {0, 0}, stride[1][3] = {{0, 0, 0}}, n;
    MPI_Group g = MPI_GROUP_EMPTY, freed;

    CHECK_EQ(MPI_Group_incl(world, 1, &bad, &g), MPI_ERR_RANK);
    CHECK_EQ(MPI_Group_excl(world, 1, &bad, &g), MPI_ERR_RANK);
    CHECK_EQ(MPI_Group_incl(world, 2, twice, &g), MPI_ERR_RANK);
    CHECK_EQ(MPI_Group_range_incl(world, 1, stride, &g), MPI_ERR_ARG);
    CHECK_EQ(MPI_Group_translate_ranks(world, 1, &bad, world, &n), MPI_ERR_RANK);
    CHECK_EQ(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
    CHECK(g == MPI_GROUP_EMPTY);
    n = 0;
    CHECK_EQ(MPI_Group_incl(world, 1, &n, &g), MPI_SUCCESS);
    freed = g;
    CHECK_EQ(MPI_Group_free(&g), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(freed, &n), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_free(&freed), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_free(&g), MPI_ERR_GROUP);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    accessors();
    the_empty_group();
    reversed_group_translates_back();
    parts_make_the_whole();
    group_outlives_its_communicator();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    errors();
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
