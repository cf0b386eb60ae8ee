/* ranks: 2 3 4 6 */
/* Bad arguments of MPI_Intercomm_create and its relatives: an error on every process that can hear of it, and
 * no hang. */
#include "inter.h"

static int all, world;

static void on_one_communicator(void)
{
    MPI_Comm out = MPI_COMM_SELF;
    int size;
    MPI_Group group;

    CHECK_EQ(class_of(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &out)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Comm_remote_size(MPI_COMM_WORLD, &size)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Comm_remote_group(MPI_COMM_WORLD, &group)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Intercomm_create(MPI_COMM_NULL, 0, MPI_COMM_WORLD, 0, 0, &out)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 0, 0, NULL)), MPI_ERR_ARG);
    CHECK(out == MPI_COMM_SELF);
}

/* What both leaders get wrong alone. */
static void bad_leaders(struct sides *s)
{
    MPI_Comm out = MPI_COMM_SELF;

    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, -1, MPI_COMM_WORLD, 0, 0, &out)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, s->size, MPI_COMM_WORLD, 0, 0, &out)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, MPI_ANY_SOURCE, MPI_COMM_WORLD, 0, 0, &out)),
             MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, 0, MPI_COMM_NULL, 0, 0, &out)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, 0, MPI_COMM_WORLD, all, 0, &out)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, 0, MPI_COMM_WORLD, MPI_ANY_SOURCE, 0, &out)),
             MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, 0, MPI_COMM_WORLD, MPI_PROC_NULL, 0, &out)),
             MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, 0, MPI_COMM_WORLD, 0, MPI_ANY_TAG, &out)), MPI_ERR_TAG);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->inter, 0, MPI_COMM_WORLD, 0, 0, &out)), MPI_ERR_COMM);
    CHECK(out == MPI_COMM_SELF);
}

/* One rank that does not lead is wrong: both groups hear of it. What it gives for the peer does not count. */
static void one_rank_is_wrong(struct sides *s)
{
    MPI_Comm out = MPI_COMM_SELF;
    int other = s->side == 0 ? s->size : 0;
    int odd = s->side == 0 && s->size > 1 && s->rank == s->size - 1;
    int is_anybody_odd = s->side == 0 ? s->size > 1 : s->remote > 1;
    int error;

    error = MPI_Intercomm_create(s->local, 0, MPI_COMM_WORLD, other, odd ? -5 : 3, &out);
    CHECK_EQ(class_of(error), is_anybody_odd ? MPI_ERR_TAG : MPI_SUCCESS);
    if (!error)
        MPI_Comm_free(&out);
    error = MPI_Intercomm_create(s->local, odd ? -1 : 0, MPI_COMM_WORLD, other, 3, &out);
    CHECK_EQ(class_of(error) != MPI_SUCCESS, is_anybody_odd);
    if (!error)
        MPI_Comm_free(&out);
    error = MPI_Intercomm_create(s->local, 0, s->rank == 0 ? MPI_COMM_WORLD : MPI_COMM_NULL,
                                 s->rank == 0 ? other : -77, 3, &out);
    CHECK_EQ(error, MPI_SUCCESS); /* and nothing of the calls before is in the way */
    sides_check_messages(out, sides_world_of_remote(s, 0), 1);
    MPI_Comm_free(&out);
}

/* Ranks that name different leaders follow the majority in that both groups get an error. */
static void different_leaders(struct sides *s)
{
    MPI_Comm out = MPI_COMM_SELF;
    int other = s->side == 0 ? s->size : 0;
    int odd = s->side == 0 && s->size > 2 && s->rank == s->size - 1;
    int is_anybody_odd = s->side == 0 ? s->size > 2 : s->remote > 2;
    int error = MPI_Intercomm_create(s->local, odd ? 1 : 0, MPI_COMM_WORLD, other, 3, &out);

    CHECK_EQ(class_of(error), is_anybody_odd ? MPI_ERR_ARG : MPI_SUCCESS);
    if (!error)
        MPI_Comm_free(&out);
}

/* A group with itself. */
static void overlap(struct sides *s)
{
    MPI_Comm out = MPI_COMM_SELF, peer;

    MPI_Comm_dup(s->local, &peer);
    CHECK_EQ(class_of(MPI_Intercomm_create(s->local, 0, peer, 0, 0, &out)), MPI_ERR_COMM);
    CHECK(out == MPI_COMM_SELF);
    MPI_Comm_free(&peer);
}

static int refuse_copy(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)out;
    *flag = 0;
    return MPI_ERR_OTHER;
}

static void relatives(struct sides *s)
{
    MPI_Comm out = MPI_COMM_SELF;
    MPI_Group everybody;
    int key, error;

    /* merging: one rank of a group of several says otherwise */
    error = MPI_Intercomm_merge(s->inter, s->side == 0 && s->size > 1 && s->rank == 0, &out);
    CHECK_EQ(class_of(error), (s->side == 0 ? s->size : s->remote) > 1 ? MPI_ERR_NOT_SAME : MPI_SUCCESS);
    if (!error)
        MPI_Comm_free(&out);
    CHECK_EQ(class_of(MPI_Comm_split(s->inter, s->side == 1 && s->rank == 0 ? -3 : 0, 0, &out)), MPI_ERR_ARG);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    CHECK_EQ(class_of(MPI_Comm_create(s->inter, everybody, &out)), MPI_ERR_GROUP);
    CHECK_EQ(class_of(MPI_Comm_create_group(s->inter, everybody, 0, &out)), MPI_ERR_COMM);
    MPI_Group_free(&everybody);
    /* a copy callback that fails on one rank of one side keeps all from the duplicate */
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    if (s->side == 0 && s->rank == s->size - 1)
        MPI_Comm_set_attr(s->inter, key, NULL);
    out = MPI_COMM_SELF;
    CHECK_EQ(class_of(MPI_Comm_dup(s->inter, &out)), MPI_ERR_OTHER);
    CHECK(out == MPI_COMM_SELF);
    if (s->side == 0 && s->rank == s->size - 1)
        MPI_Comm_delete_attr(s->inter, key);
    MPI_Comm_free_keyval(&key);
    /* ranks are those of the remote group */
    CHECK_EQ(class_of(MPI_Send(&world, 1, MPI_INT, s->remote, 0, s->inter)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Recv(&world, 1, MPI_INT, s->remote, 0, s->inter, MPI_STATUS_IGNORE)), MPI_ERR_RANK);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    on_one_communicator();
    for (int cut = 1; cut < all; cut++) {
        struct sides s = sides_make(cut);

        MPI_Comm_set_errhandler(s.local, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(s.inter, MPI_ERRORS_RETURN);
        bad_leaders(&s);
        one_rank_is_wrong(&s);
        different_leaders(&s);
        overlap(&s);
        relatives(&s);
        sides_free(&s);
    }
    MPI_Finalize();
    return 0;
}
