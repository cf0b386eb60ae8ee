/* ranks: 1 2 4 */
/* Sessions alone: MPI_Init is never called. Several at once, one in another, and again after all are gone. */
#include "session.h"

static void look_at_psets(MPI_Session session)
{
    int count, length = 0, found = 0;
    char name[MPI_MAX_PSET_NAME_LEN], cut[5] = "xxxx";

    CHECK_EQ(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count), MPI_SUCCESS);
    CHECK(count >= 2);
    for (int i = 0; i < count; i++) {
        MPI_Info info;
        char value[16];
        int size = sizeof value, flag;

        length = 0;
        CHECK_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL), MPI_SUCCESS);
        CHECK(length > 1 && length <= (int)sizeof name);
        CHECK_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name), MPI_SUCCESS);
        CHECK_EQ((int)strlen(name) + 1, length);
        found += !strcmp(name, "mpi://WORLD") || !strcmp(name, "mpi://SELF");
        CHECK_EQ(MPI_Session_get_pset_info(session, name, &info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_get_string(info, "mpi_size", &size, value, &flag), MPI_SUCCESS);
        CHECK(flag && atoi(value) > 0);
        if (!strcmp(name, "mpi://SELF"))
            CHECK_STR(value, "1");
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    }
    CHECK_EQ(found, 2);
    length = sizeof cut;
    CHECK_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, cut), MPI_SUCCESS);
    CHECK_EQ((int)strlen(cut), 4); /* cut off, terminated */
    CHECK(length > (int)sizeof cut);
}

static void look_at_groups(MPI_Session session)
{
    MPI_Group world = group_of(session, "mpi://WORLD"), self = group_of(session, "mpi://SELF"), none;
    MPI_Comm comm;
    int rank, size, count;

    CHECK_EQ(MPI_Group_size(self, &size), MPI_SUCCESS);
    CHECK_EQ(size, 1);
    CHECK_EQ(MPI_Group_rank(world, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_translate_ranks(self, 1, (int[]){0}, world, &count), MPI_SUCCESS);
    CHECK_EQ(count, rank);
    CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://NOWHERE", &none), MPI_ERR_ARG);
    CHECK(none == MPI_GROUP_NULL);
    CHECK_EQ(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "t", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
             MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
    CHECK_EQ(MPI_Group_free(&world), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&self), MPI_SUCCESS);
}

/* What is made from a communicator of a session works, and has the attribute that the standard gives it. */
static void use(MPI_Session session, const char *tag)
{
    MPI_Comm comm = comm_of(session, "mpi://WORLD", tag), self = comm_of(session, "mpi://SELF", tag), dup,
             half;
    int *tag_ub, flag, rank;

    check_traffic(comm);
    check_traffic(self);
    CHECK_EQ(MPI_Comm_get_attr(comm, MPI_TAG_UB, &tag_ub, &flag), MPI_SUCCESS);
    CHECK(flag && *tag_ub >= 32767);
    CHECK_EQ(MPI_Comm_get_attr(comm, MPI_UNIVERSE_SIZE, &tag_ub, &flag), MPI_SUCCESS);
    CHECK(!flag);
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
    check_traffic(dup);
    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(comm, rank % 2, 0, &half), MPI_SUCCESS);
    check_traffic(half);
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&self), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
}

/* The even processes among themselves, with the tag that others use for another group. */
static void use_part(MPI_Session session)
{
    MPI_Group world = group_of(session, "mpi://WORLD"), part;
    MPI_Comm comm;
    int rank, size;

    CHECK_EQ(MPI_Group_rank(world, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(world, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_range_incl(world, 1,
                                  (int[][3]){{rank % 2, (size - 1 - rank % 2) / 2 * 2 + rank % 2, 2}}, &part),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_from_group(part, "part", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    check_traffic(comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&part), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&world), MPI_SUCCESS);
}

int main(void)
{
    MPI_Session outer, inner;
    int flag;

    for (int life = 0; life < 3; life++) {
        outer = open_session();
        look_at_psets(outer);
        look_at_groups(outer);
        use(outer, "outer");
        inner = open_session();
        CHECK(inner != outer);
        for (int i = 0; i < 20; i++)
            use(inner, "again and again");
        use_part(inner);
        close_session(&inner);
        use(outer, "outer");
        close_session(&outer);
    }
    CHECK_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
    CHECK(!flag);
    CHECK_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
    CHECK(!flag);
    return 0;
}
