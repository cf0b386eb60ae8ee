/* ranks: 2 3 4 5 8 */
/* Communicators made of intercommunicators: dup, idup, split, create, merge; their hints, attributes and
 * error handlers. */
#include "inter.h"

static int all, world;

static int has_flag(MPI_Comm comm, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int length = sizeof value, flag;
    MPI_Info info;

    CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, key, &length, value, &flag), MPI_SUCCESS);
    MPI_Info_free(&info);
    return flag && strcmp(value, "true") == 0;
}

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static int copy_plus_one(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(char **)out = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static void duplicates(struct sides *s)
{
    MPI_Comm dup, idup;
    MPI_Request request;
    MPI_Info info = info_of("mpi_assert_no_any_tag", "true");
    MPI_Errhandler handler;
    int key, flag;
    void *value;
    char name[MPI_MAX_OBJECT_NAME];

    CHECK_EQ(MPI_Comm_create_keyval(copy_plus_one, MPI_COMM_NULL_DELETE_FN, &key, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_attr(s->inter, key, (void *)41), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_name(s->inter, "both sides"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(s->inter, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(s->inter, info, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_idup(s->inter, &idup, &request), MPI_SUCCESS);
    sides_check_messages(dup, sides_world_of_remote(s, 0), 1);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    sides_check_messages(idup, sides_world_of_remote(s, 0), 1);
    CHECK(has_flag(dup, "mpi_assert_no_any_tag"));
    CHECK(!has_flag(idup, "mpi_assert_no_any_tag"));
    CHECK_EQ(MPI_Comm_get_attr(idup, key, &value, &flag), MPI_SUCCESS);
    CHECK(flag);
    CHECK_EQ((long)value, 42);
    CHECK_EQ(MPI_Comm_get_name(dup, name, &flag), MPI_SUCCESS);
    CHECK_STR(name, "");
    CHECK_EQ(MPI_Comm_get_errhandler(idup, &handler), MPI_SUCCESS);
    CHECK(handler == MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    CHECK_EQ(MPI_Comm_delete_attr(s->inter, key), MPI_SUCCESS);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&idup);
    MPI_Info_free(&info);
}

/* Hints that all must agree on are agreed over both groups. */
static void hints(struct sides *s)
{
    const char key[] = "mpi_assert_strict_persistent_collective_ordering";
    MPI_Info yes = info_of(key, "true"), no = info_of(key, "false");

    CHECK_EQ(MPI_Comm_set_info(s->inter, yes), MPI_SUCCESS);
    CHECK(has_flag(s->inter, key));
    CHECK_EQ(MPI_Comm_set_info(s->inter, no), MPI_SUCCESS);
    CHECK(!has_flag(s->inter, key));
    CHECK_EQ(MPI_Comm_set_info(s->inter, s->side == 0 ? yes : no), MPI_SUCCESS);
    CHECK(!has_flag(s->inter, key));
    MPI_Info_free(&yes);
    MPI_Info_free(&no);
}

/* The orders of the union that `high` asks for. */
static void merges(const struct sides *s)
{
    MPI_Comm both;
    int rank, size, sum, inter;

    for (int high = 0; high < 2; high++) {
        CHECK_EQ(MPI_Intercomm_merge(s->inter, s->side == high, &both), MPI_SUCCESS);
        MPI_Comm_rank(both, &rank);
        MPI_Comm_size(both, &size);
        CHECK_EQ(size, all);
        CHECK_EQ(rank, s->side == high ? s->remote + s->rank : s->rank);
        CHECK_EQ(MPI_Comm_test_inter(both, &inter), MPI_SUCCESS);
        CHECK(!inter);
        CHECK_EQ(MPI_Allreduce(&world, &sum, 1, MPI_INT, MPI_SUM, both), MPI_SUCCESS);
        CHECK_EQ(sum, all * (all - 1) / 2);
        MPI_Comm_free(&both);
        /* all say the same: any order of the groups, but each in its own order */
        CHECK_EQ(MPI_Intercomm_merge(s->inter, high, &both), MPI_SUCCESS);
        MPI_Comm_rank(both, &rank);
        CHECK(rank == s->rank || rank == s->remote + s->rank);
        CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both), MPI_SUCCESS);
        CHECK_EQ(sum, all * (all - 1) / 2);
        MPI_Comm_free(&both);
    }
}

/* By host: a host with ranks of one side alone gets nothing. */
static void split_by_host(const struct sides *s)
{
    MPI_Comm part, host;
    int size, found, there = 0, last = -1, near[8];

    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), MPI_SUCCESS);
    MPI_Comm_size(host, &size);
    CHECK(size <= 8);
    CHECK_EQ(MPI_Allgather(&world, 1, MPI_INT, near, 1, MPI_INT, host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&host), MPI_SUCCESS);
    for (int i = 0; i < size; i++) { /* hosts have consecutive ranks */
        int is_there = s->side == 0 ? near[i] >= s->size : near[i] < s->remote;

        there += is_there;
        last = is_there ? near[i] : last;
    }
    CHECK_EQ(MPI_Comm_split_type(s->inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part), MPI_SUCCESS);
    if (there == 0) {
        CHECK(part == MPI_COMM_NULL);
        return;
    }
    MPI_Comm_remote_size(part, &found);
    CHECK_EQ(found, there);
    MPI_Comm_size(part, &found);
    CHECK_EQ(found, size - there);
    sides_check_messages(part, last - there + 1, 1);
    CHECK_EQ(MPI_Comm_free(&part), MPI_SUCCESS);
}

/* Every second rank of each side, in reverse order; the others; nobody on side 1. */
static void splits(const struct sides *s)
{
    MPI_Comm part;
    int color = s->rank % 2, there = (s->remote + (color == 0)) / 2, here = (s->size + (color == 0)) / 2;
    int rank, size, remote, last;

    CHECK_EQ(MPI_Comm_split(s->inter, color, -s->rank, &part), MPI_SUCCESS);
    if (there == 0) {
        CHECK(part == MPI_COMM_NULL);
    } else {
        MPI_Comm_rank(part, &rank);
        MPI_Comm_size(part, &size);
        MPI_Comm_remote_size(part, &remote);
        CHECK_EQ(size, here);
        CHECK_EQ(remote, there);
        CHECK_EQ(rank, here - 1 - s->rank / 2);
        last = color + 2 * (there - 1); /* remote rank, and now the first */
        sides_check_messages(part, sides_world_of_remote(s, last), -2);
        CHECK_EQ(MPI_Comm_free(&part), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_split(s->inter, s->side == 0 ? 0 : MPI_UNDEFINED, 0, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
    CHECK_EQ(MPI_Comm_split(s->inter, s->side, 0, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
    split_by_host(s);
}

/* The standard's example: one rank of one side with all of the other. */
static void creates(const struct sides *s)
{
    MPI_Comm made;
    MPI_Group local, group;
    int remote, chosen = s->size - 1;

    MPI_Comm_group(s->inter, &local);
    if (s->side == 0)
        MPI_Group_incl(local, 1, &chosen, &group);
    else
        MPI_Comm_group(s->inter, &group);
    CHECK_EQ(MPI_Comm_create(s->inter, group, &made), MPI_SUCCESS);
    if (s->side == 0 && s->rank != chosen) {
        CHECK(made == MPI_COMM_NULL);
    } else {
        MPI_Comm_remote_size(made, &remote);
        CHECK_EQ(remote, s->side == 0 ? s->remote : 1);
        sides_check_messages(made, sides_world_of_remote(s, s->side == 0 ? 0 : s->remote - 1), 1);
        CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_create(s->inter, s->side == 0 ? MPI_GROUP_EMPTY : group, &made), MPI_SUCCESS);
    CHECK(made == MPI_COMM_NULL);
    MPI_Group_free(&group);
    MPI_Group_free(&local);
}

/* Intercommunicators of intercommunicators of ..., and many alive at once. */
static void generations(const struct sides *s)
{
    enum {
        MANY = 20
    };
    MPI_Comm dup[MANY];

    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Comm_dup(i ? dup[i - 1] : s->inter, &dup[i]), MPI_SUCCESS);
    for (int i = MANY - 1; i >= 0; i--) {
        sides_check_messages(dup[i], sides_world_of_remote(s, 0), 1);
        MPI_Comm_free(&dup[i]);
    }
}

/* A communicator that was merged has the error handler of the local side. */
static void error_handlers(struct sides *s)
{
    MPI_Comm both;
    MPI_Errhandler handler;

    CHECK_EQ(MPI_Comm_set_errhandler(s->inter, s->side == 0 ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_merge(s->inter, s->side, &both), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_errhandler(both, &handler), MPI_SUCCESS);
    CHECK(handler == (s->side == 0 ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL));
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&both);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    for (int cut = 1; cut < all; cut++) {
        struct sides s = sides_make(cut);

        duplicates(&s);
        hints(&s);
        merges(&s);
        splits(&s);
        creates(&s);
        generations(&s);
        error_handlers(&s);
        sides_free(&s);
    }
    MPI_Finalize();
    return 0;
}
