/* ranks: 2 3 4 7 */
/* Intercommunicators made from groups of sessions: the even and the odd processes. */
#include "session.h"

static int rank, size;

static MPI_Group part_of(MPI_Group world, int which)
{
    MPI_Group part;

    CHECK_EQ(
        MPI_Group_range_incl(world, 1, (int[][3]){{which, (size - 1 - which) / 2 * 2 + which, 2}}, &part),
        MPI_SUCCESS);
    return part;
}

/* Each process sends its rank in the world to all of the other side. */
static void check_inter(MPI_Comm comm)
{
    int inter, remote, local, got, sum = 0, expected = 0;

    CHECK_EQ(MPI_Comm_test_inter(comm, &inter), MPI_SUCCESS);
    CHECK(inter);
    CHECK_EQ(MPI_Comm_remote_size(comm, &remote), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &local), MPI_SUCCESS);
    CHECK_EQ(local + remote, size);
    for (int i = 0; i < remote; i++) {
        CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, i, 5, &got, 1, MPI_INT, i, 5, comm, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(got, 2 * i + !(rank % 2));
    }
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    for (int i = !(rank % 2); i < size; i += 2)
        expected += i;
    CHECK_EQ(sum, expected);
}

static void make_and_use(MPI_Group mine, MPI_Group other, int leader, int remote_leader)
{
    MPI_Group remote = MPI_GROUP_NULL; /* counts at the leader alone */
    MPI_Comm comm, both;
    MPI_Info info;
    int me;

    CHECK_EQ(MPI_Group_rank(mine, &me), MPI_SUCCESS);
    if (me == leader)
        remote = other;
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create_from_groups(mine, leader, remote, remote_leader, "t", info,
                                              MPI_ERRORS_RETURN, &comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    check_inter(comm);
    CHECK_EQ(class_of(MPI_Recv(&me, 1, MPI_INT, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE)), MPI_ERR_TAG);
    CHECK_EQ(MPI_Intercomm_merge(comm, rank % 2, &both), MPI_SUCCESS);
    check_traffic(both);
    CHECK_EQ(MPI_Comm_free(&both), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void nobody_to_meet(MPI_Group mine)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    CHECK_EQ(MPI_Intercomm_create_from_groups(mine, 0, MPI_GROUP_EMPTY, 0, "t", MPI_INFO_NULL,
                                              MPI_ERRORS_RETURN, &comm),
             MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
    comm = MPI_COMM_WORLD;
    CHECK_EQ(MPI_Intercomm_create_from_groups(MPI_GROUP_EMPTY, 0, mine, 0, "t", MPI_INFO_NULL,
                                              MPI_ERRORS_RETURN, &comm),
             MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
}

/* Both leaders give a group with a process of their own. */
static void overlap(MPI_Group mine, MPI_Group other)
{
    MPI_Group one, mixed;
    MPI_Comm comm;

    CHECK_EQ(MPI_Group_incl(mine, 1, (int[]){0}, &one), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_union(other, one, &mixed), MPI_SUCCESS);
    CHECK(MPI_Intercomm_create_from_groups(mine, 0, mixed, 0, "t", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) !=
          MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&one), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&mixed), MPI_SUCCESS);
}

static void bad_leaders(MPI_Group mine, MPI_Group other)
{
    MPI_Comm comm;

    CHECK_EQ(class_of(MPI_Intercomm_create_from_groups(mine, 99, other, 0, "t", MPI_INFO_NULL,
                                                       MPI_ERRORS_RETURN, &comm)),
             MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Intercomm_create_from_groups(mine, 0, other, 99, "t", MPI_INFO_NULL,
                                                       MPI_ERRORS_RETURN, &comm)) != MPI_SUCCESS,
             1);
    CHECK_EQ(class_of(MPI_Intercomm_create_from_groups(mine, 0, mine, 0, "t", MPI_INFO_NULL,
                                                       MPI_ERRORS_RETURN, &comm)) != MPI_SUCCESS,
             1);
    CHECK(MPI_Intercomm_create_from_groups(mine, 0, MPI_GROUP_NULL, 0, "t", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                           &comm) != MPI_SUCCESS);
}

int main(void)
{
    MPI_Session session = open_session();
    MPI_Group world = group_of(session, "mpi://WORLD"), part[2];
    int sizes[2];

    CHECK_EQ(MPI_Group_rank(world, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(world, &size), MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        part[i] = part_of(world, i);
        CHECK_EQ(MPI_Group_size(part[i], &sizes[i]), MPI_SUCCESS);
    }
    for (int i = 0; i < 5; i++) {
        int leader[2] = {i % sizes[0], (i + 1) % sizes[1]};

        make_and_use(part[rank % 2], part[!(rank % 2)], leader[rank % 2], leader[!(rank % 2)]);
    }
    nobody_to_meet(part[rank % 2]);
    bad_leaders(part[rank % 2], part[!(rank % 2)]);
    overlap(part[rank % 2], part[!(rank % 2)]);
    make_and_use(part[rank % 2], part[!(rank % 2)], 0, 0);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Group_free(&part[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&world), MPI_SUCCESS);
    close_session(&session);
    return 0;
}
