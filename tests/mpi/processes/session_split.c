/* ranks: 1 2 4 */
/* MPI_Comm_split_type with MPI_COMM_TYPE_RESOURCE_GUIDED by process sets (MPI-5.0 section 7.4.2): they are
 * those of the session that the communicator derives from. */
#include "session.h"

static int rank, size;

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, key, value), MPI_SUCCESS);
    return info;
}

static MPI_Comm split_by(MPI_Comm comm, int type, const char *key, const char *value)
{
    MPI_Info info = info_of(key, value);
    MPI_Comm part = MPI_COMM_SELF;
    char after[MPI_MAX_INFO_VAL + 1];
    int length = sizeof after, found, keys;

    CHECK_EQ(MPI_Comm_split_type(comm, type, -rank, info, &part), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_nkeys(info, &keys), MPI_SUCCESS); /* a guided split writes nothing back */
    CHECK_EQ(keys, 1);
    CHECK_EQ(MPI_Info_get_string(info, key, &length, after, &found), MPI_SUCCESS);
    CHECK_STR(after, value);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return part;
}

static MPI_Comm split_by_set(MPI_Comm comm, const char *name)
{
    return split_by(comm, MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", name);
}

static void expect(MPI_Comm part, int its_size, int its_rank)
{
    int n, r;

    CHECK(part != MPI_COMM_NULL);
    CHECK_EQ(MPI_Comm_size(part, &n), MPI_SUCCESS);
    CHECK_EQ(n, its_size);
    CHECK_EQ(MPI_Comm_rank(part, &r), MPI_SUCCESS);
    CHECK_EQ(r, its_rank);
    check_traffic(part);
    CHECK_EQ(MPI_Comm_free(&part), MPI_SUCCESS);
}

static void sets_of_the_session(MPI_Comm comm)
{
    MPI_Comm half;
    int n;

    expect(split_by_set(comm, "mpi://WORLD"), size, size - 1 - rank);
    expect(split_by_set(comm, "mpi://SELF"), 1, 0);
    CHECK(split_by_set(comm, "app://ocean") == MPI_COMM_NULL);
    expect(split_by_set(comm, rank % 2 ? "mpi://world" : "mpi://WORLD"), size, size - 1 - rank);
    CHECK(split_by_set(comm, "") == MPI_COMM_NULL);
    CHECK_EQ(MPI_Comm_split(comm, rank % 2, rank, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(half, &n), MPI_SUCCESS);
    expect(split_by_set(half, "mpi://WORLD"), n, n - 1 - rank / 2); /* those that are also in half */
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
}

/* The key is of this split type alone, and mpi_hw_resource_type works as in the World Model. */
static void other_keys(MPI_Comm comm)
{
    MPI_Comm part, shared;
    int same;

    CHECK(split_by(comm, MPI_COMM_TYPE_HW_GUIDED, "mpi_pset_name", "mpi://WORLD") == MPI_COMM_NULL);
    part = split_by(comm, MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_hw_resource_type", "mpi_shared_memory");
    shared = split_by(comm, MPI_COMM_TYPE_SHARED, "mpi_pset_name", "app://ocean");
    CHECK_EQ(MPI_Comm_compare(part, shared, &same), MPI_SUCCESS);
    CHECK_EQ(same, MPI_CONGRUENT);
    check_traffic(part);
    CHECK_EQ(MPI_Comm_free(&part), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&shared), MPI_SUCCESS);
    CHECK(split_by_set(MPI_COMM_WORLD, "mpi://WORLD") == MPI_COMM_NULL); /* derives from no session */
    CHECK_EQ(MPI_Comm_split_type(comm, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, MPI_INFO_NULL, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
}

/* Ranks that stay away, or give no key, get nothing; the others are served. */
static void some_stay_away(MPI_Comm comm)
{
    MPI_Info info = info_of("mpi_pset_name", "mpi://WORLD");
    MPI_Comm part;
    int is_last = rank == size - 1;

    CHECK_EQ(MPI_Comm_split_type(comm, is_last ? MPI_UNDEFINED : MPI_COMM_TYPE_RESOURCE_GUIDED, -rank, info,
                                 &part),
             MPI_SUCCESS);
    if (is_last)
        CHECK(part == MPI_COMM_NULL);
    else
        expect(part, size - 1, size - 2 - rank);
    CHECK_EQ(MPI_Comm_split_type(comm, MPI_COMM_TYPE_RESOURCE_GUIDED, -rank, is_last ? MPI_INFO_NULL : info,
                                 &part),
             MPI_SUCCESS);
    if (is_last)
        CHECK(part == MPI_COMM_NULL);
    else
        expect(part, size - 1, size - 2 - rank);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void two_keys_are_refused(MPI_Comm comm)
{
    MPI_Info info = info_of("mpi_pset_name", "mpi://WORLD");
    MPI_Comm part = MPI_COMM_SELF;

    if (rank == 0)
        CHECK_EQ(MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://Core"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split_type(comm, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part), MPI_ERR_INFO);
    CHECK(part == MPI_COMM_SELF);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Session session = open_session();
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "split"), dup;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
    sets_of_the_session(comm);
    sets_of_the_session(dup);
    other_keys(comm);
    some_stay_away(comm);
    two_keys_are_refused(comm);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    close_session(&session);
    return 0;
}
