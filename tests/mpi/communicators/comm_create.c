/* ranks: 1 2 3 4 8 */
/* MPI_Comm_create and MPI_Comm_create_group. */
#include "check.h"

static int rank, size;
static MPI_Group world;

static void check_works(MPI_Comm comm, int members)
{
    int n, one = 1, sum;

    CHECK_EQ(MPI_Comm_size(comm, &n), MPI_SUCCESS);
    CHECK_EQ(n, members);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, members);
}

static void members_get_it_and_others_null(void)
{
    int range[1][3] = {{size - 1, 0, -2}}, n, r;
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_SELF;

    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Group_size(group, &n);
    MPI_Group_rank(group, &r);
    CHECK_EQ(MPI_Comm_create(MPI_COMM_WORLD, group, &comm), MPI_SUCCESS);
    CHECK_EQ(comm == MPI_COMM_NULL, r == MPI_UNDEFINED);
    if (r != MPI_UNDEFINED) {
        int now;

        CHECK_EQ(MPI_Comm_rank(comm, &now), MPI_SUCCESS);
        CHECK_EQ(now, r);
        check_works(comm, n);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&group);
    CHECK_EQ(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm), MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
}

static void disjoint_groups_at_once(void)
{
    int range[1][3], half = size / 2;
    MPI_Group group;
    MPI_Comm comm;

    range[0][0] = rank < half ? 0 : half;
    range[0][1] = rank < half ? half - 1 : size - 1;
    range[0][2] = 1;
    MPI_Group_range_incl(world, 1, range, &group);
    CHECK_EQ(MPI_Comm_create(MPI_COMM_WORLD, group, &comm), MPI_SUCCESS);
    check_works(comm, rank < half ? half : size - half);
    MPI_Comm_free(&comm);
    CHECK_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm), MPI_SUCCESS);
    check_works(comm, rank < half ? half : size - half);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
}

/* Only members call; the others go about other collectives of a subset meanwhile. */
static void create_group_needs_members_only(void)
{
    static const int tags[] = {0, 1, 2147483647, 2147483646, 2147483645, 5};
    MPI_Group group;
    MPI_Comm comm;
    int zero = 0;

    MPI_Group_excl(world, 1, &zero, &group);
    for (int i = 0; rank > 0 && i < 6; i++) {
        CHECK_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, group, tags[i], &comm), MPI_SUCCESS);
        check_works(comm, size - 1);
        MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        CHECK_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm), MPI_SUCCESS); /* local */
        CHECK(comm == MPI_COMM_NULL);
    }
    if (group != MPI_GROUP_EMPTY)
        MPI_Group_free(&group);
}

static void same_tag_again_with_overlapping_groups(void)
{
    for (int first = 0; first + 1 < size; first++) {
        int pair[2] = {first, first + 1};
        MPI_Group group;
        MPI_Comm comm;

        if (rank < first || rank > first + 1)
            continue;
        MPI_Group_incl(world, 2, pair, &group);
        CHECK_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &comm), MPI_SUCCESS);
        check_works(comm, 2);
        MPI_Comm_free(&comm);
        MPI_Group_free(&group);
    }
}

/* The tag of create_group is no message tag: pending receives do not see it. */
static void tags_do_not_meet_messages(void)
{
    int got = -1, message = rank;
    MPI_Request request;
    MPI_Comm comm;

    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    CHECK_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, world, 4, &comm), MPI_SUCCESS);
    check_works(comm, size);
    MPI_Send(&message, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(got, (rank + size - 1) % size);
    MPI_Comm_free(&comm);
}

static void group_must_be_a_subset(void)
{
    MPI_Comm comm = MPI_COMM_SELF;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (size > 1) {
        CHECK_EQ(MPI_Comm_create(MPI_COMM_SELF, world, &comm), MPI_ERR_GROUP);
        CHECK_EQ(MPI_Comm_create_group(MPI_COMM_SELF, world, 0, &comm), MPI_ERR_GROUP);
    }
    CHECK_EQ(MPI_Comm_create(MPI_COMM_SELF, MPI_GROUP_NULL, &comm), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Comm_create_group(MPI_COMM_SELF, MPI_GROUP_EMPTY, -1, &comm), MPI_ERR_TAG);
    CHECK(comm == MPI_COMM_SELF);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    members_get_it_and_others_null();
    if (size > 1)
        disjoint_groups_at_once();
    create_group_needs_members_only();
    same_tag_again_with_overlapping_groups();
    tags_do_not_meet_messages();
    group_must_be_a_subset();
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
