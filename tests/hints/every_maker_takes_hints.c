/* ranks: 1 2 4 timeout: 60 */
/* Every procedure that takes an info and creates a communicator. Hints in the info belong to that
 * communicator, are reported and kept, and belong neither to the parent nor to the next one. Unusable hints
 * are ignored. Where all must agree, ranks that differ or have no info come to an agreement. An info for a
 * communicator that is not created does nothing. (MPI_Comm_spawn: tests/spawn/info.c.) */
#include "hints.h"

static int rank, size;
static MPI_Session session;
static MPI_Group all;

static MPI_Comm make_dup(MPI_Info info)
{
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    return comm;
}

static MPI_Comm make_idup(MPI_Info info)
{
    MPI_Request request;
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return comm;
}

static MPI_Comm make_shared(MPI_Info info)
{
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, info, &comm), MPI_SUCCESS);
    return comm;
}

/* With the key of the call among the hints; without an info it makes none. */
static MPI_Comm make_by_resource(int type, MPI_Info info)
{
    MPI_Info with_key;
    MPI_Comm comm;

    if (info == MPI_INFO_NULL)
        CHECK_EQ(MPI_Info_create(&with_key), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Info_dup(info, &with_key), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(with_key, "mpi_hw_resource_type", "mpi_shared_memory"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, type, rank, with_key, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&with_key), MPI_SUCCESS);
    return comm;
}

static MPI_Comm make_guided(MPI_Info info)
{
    return make_by_resource(MPI_COMM_TYPE_HW_GUIDED, info);
}

static MPI_Comm make_resource_guided(MPI_Info info)
{
    return make_by_resource(MPI_COMM_TYPE_RESOURCE_GUIDED, info);
}

static MPI_Comm make_from_group(MPI_Info info)
{
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_create_from_group(all, "maker", info, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    return comm;
}

static MPI_Comm make_from_groups(MPI_Info info)
{
    MPI_Group part[2];
    MPI_Comm comm;

    if (size == 1)
        return make_from_group(info);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Group_range_incl(all, 1, (int[][3]){{i ? size / 2 : 0, (i ? size : size / 2) - 1, 1}},
                                      &part[i]),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create_from_groups(part[rank >= size / 2], 0, part[rank < size / 2], 0, "makers",
                                              info, MPI_ERRORS_RETURN, &comm),
             MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Group_free(&part[i]), MPI_SUCCESS);
    return comm;
}

static MPI_Comm make_graph(MPI_Info info)
{
    int next = (rank + 1) % size, one = 1;
    MPI_Comm comm;

    CHECK_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED, info, 0, &comm),
             MPI_SUCCESS);
    return comm;
}

static MPI_Comm make_adjacent_graph(MPI_Info info)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Comm comm;

    CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                            MPI_UNWEIGHTED, info, 0, &comm),
             MPI_SUCCESS);
    return comm;
}

static MPI_Comm (*const makers[])(MPI_Info info) = {
    make_dup,        make_idup,        make_shared, make_guided,        make_resource_guided,
    make_from_group, make_from_groups, make_graph,  make_adjacent_graph};

/* A hint of each sort that this process alone has, and the info is gone before they are looked at. */
static void takes_and_keeps(MPI_Comm (*make)(MPI_Info info))
{
    MPI_Info info = info_with(rank % 2 ? NO_ANY_TAG : EXACT_LENGTH, " true ");
    MPI_Comm comm, dup;

    CHECK_EQ(MPI_Info_set(info, ASSERTED_KINDS, "system,mpi:alloc_mem,system"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, KINDS, "cuda"), MPI_SUCCESS); /* not for the program to say */
    CHECK_EQ(MPI_Info_set(info, "granite", "true"), MPI_SUCCESS);
    comm = make(info);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_HINT(comm, NO_ANY_TAG, rank % 2 ? "true" : "false");
    CHECK_HINT(comm, EXACT_LENGTH, rank % 2 ? "false" : "true");
    CHECK_HINT(comm, NO_ANY_SOURCE, "false");
    CHECK_HINT(comm, ASSERTED_KINDS, "system,mpi:alloc_mem,system");
    CHECK(has_kind(hint_of(comm, KINDS), "system") && !has_kind(hint_of(comm, KINDS), "cuda"));
    CHECK_NO_HINT(comm, "granite");
    CHECK_NO_HINT(comm, "mpi_hw_resource_type");
    set_hint(comm, NO_ANY_SOURCE, "true");
    CHECK_HINT(comm, EXACT_LENGTH, rank % 2 ? "false" : "true");
    dup = dup_of(comm);
    check_defaults(dup);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    check_defaults(MPI_COMM_WORLD);
    comm = make(MPI_INFO_NULL);
    check_defaults(comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void ignores_the_unusable(MPI_Comm (*make)(MPI_Info info))
{
    MPI_Info info = info_with(NO_ANY_TAG, "maybe");
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_set(info, EXACT_LENGTH, ""), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, ASSERTED_KINDS, "system,granite"), MPI_SUCCESS);
    comm = make(info);
    check_defaults(comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void agrees(MPI_Comm (*make)(MPI_Info info))
{
    MPI_Info info = info_with(STRICT, "true");
    MPI_Comm comm = make(info);

    CHECK_HINT(comm, STRICT, "true");
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    comm = make(rank == 0 ? info : MPI_INFO_NULL);
    CHECK_HINT(comm, STRICT, size == 1 ? "true" : "false");
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, STRICT, rank == 0 ? "true" : "maybe"), MPI_SUCCESS);
    comm = make(info);
    CHECK_HINT(comm, STRICT, size == 1 ? "true" : "false");
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* Some processes, or all, get MPI_COMM_NULL. */
static void comes_to_nothing(MPI_Info info)
{
    static const int types[] = {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED, MPI_UNDEFINED};
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_set(info, "mpi_hw_resource_type", "granite"), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, types[i], 0, info, &comm), MPI_SUCCESS);
        CHECK(comm == MPI_COMM_NULL);
        CHECK_STR(value_of(info, "mpi_hw_resource_type"), "granite");
    }
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, rank ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, info, &comm),
             MPI_SUCCESS);
    CHECK_EQ(comm == MPI_COMM_NULL, rank == 0);
    if (comm != MPI_COMM_NULL) {
        CHECK_HINT(comm, NO_ANY_TAG, "true");
        CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", info, MPI_ERRORS_RETURN, &comm),
             MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
    comm = MPI_COMM_WORLD;
    CHECK_EQ(
        MPI_Intercomm_create_from_groups(MPI_GROUP_EMPTY, 0, all, 0, "none", info, MPI_ERRORS_RETURN, &comm),
        MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
    CHECK_STR(value_of(info, NO_ANY_TAG), "true");
    check_defaults(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Info info;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &all), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        takes_and_keeps(makers[i]);
        ignores_the_unusable(makers[i]);
        agrees(makers[i]);
    }
    info = info_with(NO_ANY_TAG, "true");
    comes_to_nothing(info);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&all), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
