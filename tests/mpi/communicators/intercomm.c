/* ranks: 2 3 4 5 8 */
/* MPI_Intercomm_create and what one can ask, and say over, an intercommunicator. */
#include "inter.h"

static int all, world;

static void accessors(const struct sides *s)
{
    int value, rank;
    MPI_Group group, remote, everybody;

    CHECK_EQ(MPI_Comm_test_inter(s->inter, &value), MPI_SUCCESS);
    CHECK(value);
    CHECK_EQ(MPI_Comm_test_inter(s->local, &value), MPI_SUCCESS);
    CHECK(!value);
    CHECK_EQ(MPI_Comm_rank(s->inter, &value), MPI_SUCCESS);
    CHECK_EQ(value, s->rank);
    CHECK_EQ(MPI_Comm_size(s->inter, &value), MPI_SUCCESS);
    CHECK_EQ(value, s->size);
    CHECK_EQ(MPI_Comm_remote_size(s->inter, &value), MPI_SUCCESS);
    CHECK_EQ(value, s->remote);
    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &everybody), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_group(s->inter, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_remote_group(s->inter, &remote), MPI_SUCCESS);
    for (int r = 0; r < s->remote; r++) {
        CHECK_EQ(MPI_Group_translate_ranks(remote, 1, &r, everybody, &rank), MPI_SUCCESS);
        CHECK_EQ(rank, sides_world_of_remote(s, r));
    }
    CHECK_EQ(MPI_Group_rank(group, &rank), MPI_SUCCESS);
    CHECK_EQ(rank, s->rank);
    CHECK_EQ(MPI_Group_rank(remote, &rank), MPI_SUCCESS);
    CHECK_EQ(rank, MPI_UNDEFINED);
    MPI_Group_free(&group);
    MPI_Group_free(&remote);
    MPI_Group_free(&everybody);
}

/* All of one side send to rank 0 of the other, which receives from anybody. */
static void send_and_receive_any(const struct sides *s, MPI_Comm inter)
{
    int mine = 100 + s->rank, got, flag, count, seen[16] = {0};
    MPI_Status status;
    MPI_Message message;

    MPI_Send(&mine, 1, MPI_INT, 0, s->rank, inter);
    if (s->rank != 0)
        return;
    for (int i = 0; i < s->remote; i++) {
        if (i % 2) {
            CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status), MPI_SUCCESS);
            CHECK_EQ(MPI_Get_count(&status, MPI_INT, &count), MPI_SUCCESS);
            CHECK_EQ(count, 1);
            CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, inter, &status),
                     MPI_SUCCESS);
        } else if (i % 4) {
            CHECK_EQ(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &message, &status), MPI_SUCCESS);
            CHECK_EQ(MPI_Mrecv(&got, 1, MPI_INT, &message, &status), MPI_SUCCESS);
        } else {
            CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status), MPI_SUCCESS);
        }
        CHECK(status.MPI_SOURCE >= 0 && status.MPI_SOURCE < s->remote);
        CHECK_EQ(status.MPI_TAG, status.MPI_SOURCE);
        CHECK_EQ(got, 100 + status.MPI_SOURCE);
        CHECK_EQ(seen[status.MPI_SOURCE]++, 0);
    }
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &flag, &status), MPI_SUCCESS);
    CHECK(!flag);
}

/* On a communicator of its own: other messages would match as well. */
static void wildcards_and_probes(const struct sides *s)
{
    MPI_Comm dup;

    MPI_Comm_dup(s->inter, &dup);
    send_and_receive_any(s, dup);
    MPI_Comm_free(&dup);
}

/* Large, synchronous, persistent, partitioned and combined messages to the remote rank of the same number. */
static void kinds_of_messages(const struct sides *s)
{
    enum {
        MANY = 100000
    };
    static int out[MANY], in[MANY];
    int peer = s->rank < s->remote ? s->rank : MPI_PROC_NULL;
    MPI_Request r[2];
    MPI_Status status;

    for (int i = 0; i < MANY; i++)
        out[i] = world * MANY + i;
    MPI_Sendrecv(out, MANY, MPI_INT, peer, 1, in, MANY, MPI_INT, peer, 1, s->inter, &status);
    CHECK_EQ(status.MPI_SOURCE, peer);
    for (int i = 0; i < MANY && peer >= 0; i++)
        CHECK_EQ(in[i], sides_world_of_remote(s, peer) * MANY + i);
    MPI_Issend(out, 1, MPI_INT, peer, 2, s->inter, &r[0]);
    MPI_Irecv(in, 1, MPI_INT, peer, 2, s->inter, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK_EQ(MPI_Send_init(out, 10, MPI_INT, peer, 3, s->inter, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(in, 10, MPI_INT, peer, 3, s->inter, &r[1]), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        out[9] = i;
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK(peer < 0 || in[9] == i);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    CHECK_EQ(MPI_Psend_init(out, 2, 5, MPI_INT, peer, 4, s->inter, MPI_INFO_NULL, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in, 2, 5, MPI_INT, peer, 4, s->inter, MPI_INFO_NULL, &r[1]), MPI_SUCCESS);
    MPI_Startall(2, r);
    MPI_Pready_range(0, 1, r[0]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(peer < 0 || in[9] == 2);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void compares(const struct sides *s)
{
    MPI_Comm dup;
    int result;

    CHECK_EQ(MPI_Comm_dup(s->inter, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_compare(s->inter, s->inter, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_IDENT);
    CHECK_EQ(MPI_Comm_compare(s->inter, dup, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_CONGRUENT);
    CHECK_EQ(MPI_Comm_compare(s->inter, s->local, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_UNEQUAL);
    MPI_Comm_free(&dup);
    for (int side = 0; side < 2; side++) { /* the groups of one side alone have another order */
        int is_mine = s->side == side, members = is_mine ? s->size : s->remote;

        CHECK_EQ(MPI_Comm_split(s->inter, 0, is_mine ? -s->rank : s->rank, &dup), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_compare(s->inter, dup, &result), MPI_SUCCESS);
        CHECK_EQ(result, members > 1 ? MPI_SIMILAR : MPI_CONGRUENT);
        MPI_Comm_free(&dup);
    }
}

/* Two at once over the same leaders and tag, in order; and a third over an intercommunicator as the peer. */
static void several(const struct sides *s)
{
    MPI_Comm a, b, c;
    int leader = s->side == 0 ? s->size - 1 : 0, other = s->side == 0 ? s->size : s->remote - 1;
    int mine, got;

    CHECK_EQ(MPI_Intercomm_create(s->local, leader, MPI_COMM_WORLD, other, 0, &a), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(s->local, leader, MPI_COMM_WORLD, other, 0, &b), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(s->local, 0, s->inter, 0, 0, &c), MPI_SUCCESS);
    if (s->rank == 0) {
        MPI_Request r[3];

        mine = 1;
        MPI_Isend(&mine, 1, MPI_INT, 0, 0, b, &r[0]);
        MPI_Send((int[]){2}, 1, MPI_INT, 0, 0, a);
        MPI_Send((int[]){3}, 1, MPI_INT, 0, 0, c);
        MPI_Recv(&got, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE);
        CHECK_EQ(got, 3);
        MPI_Recv(&got, 1, MPI_INT, 0, 0, a, MPI_STATUS_IGNORE);
        CHECK_EQ(got, 2);
        MPI_Recv(&got, 1, MPI_INT, 0, 0, b, MPI_STATUS_IGNORE);
        CHECK_EQ(got, 1);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    MPI_Comm_free(&c);
}

/* The standard's first example: a ring of groups, each with an intercommunicator to the next. */
static void ring_of_groups(void)
{
    enum {
        GROUPS = 3
    };
    int color = world % GROUPS, next = (color + 1) % GROUPS, previous = (color + 2) % GROUPS, got;
    MPI_Comm mine, up, down;

    if (all < GROUPS)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, color, world, &mine);
    if (color == 0) {
        CHECK_EQ(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1, 1, &up), MPI_SUCCESS);
        CHECK_EQ(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 2, 2, &down), MPI_SUCCESS);
    } else if (color == 1) {
        CHECK_EQ(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 0, 1, &down), MPI_SUCCESS);
        CHECK_EQ(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 2, 12, &up), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 0, 2, &up), MPI_SUCCESS);
        CHECK_EQ(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1, 12, &down), MPI_SUCCESS);
    }
    if (color == 1)
        sides_check_messages(down, previous, GROUPS);
    sides_check_messages(up, next, GROUPS);
    if (color != 1)
        sides_check_messages(down, previous, GROUPS);
    if (world < GROUPS) {
        MPI_Send(&color, 1, MPI_INT, 0, 0, up);
        MPI_Recv(&got, 1, MPI_INT, 0, 0, down, MPI_STATUS_IGNORE);
        CHECK_EQ(got, previous);
    }
    MPI_Comm_free(&up);
    MPI_Comm_free(&down);
    MPI_Comm_free(&mine);
}

/* Freed while a receive is pending: the receive completes all the same. */
static void free_while_pending(struct sides *s)
{
    int got = -1;
    MPI_Comm dup;
    MPI_Request r;

    MPI_Comm_dup(s->inter, &dup);
    if (s->rank == 0) {
        MPI_Irecv(&got, 1, MPI_INT, 0, 0, dup, &r);
        MPI_Send(&s->world, 1, MPI_INT, 0, 0, dup);
    }
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK(dup == MPI_COMM_NULL);
    if (s->rank == 0) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK_EQ(got, sides_world_of_remote(s, 0));
    }
    MPI_Comm_dup(s->inter, &dup);
    CHECK_EQ(MPI_Comm_disconnect(&dup), MPI_SUCCESS);
    CHECK(dup == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    for (int cut = 1; cut < all; cut++) {
        struct sides s = sides_make(cut);

        accessors(&s);
        sides_check_messages(s.inter, sides_world_of_remote(&s, 0), 1);
        wildcards_and_probes(&s);
        kinds_of_messages(&s);
        compares(&s);
        several(&s);
        free_while_pending(&s);
        sides_free(&s);
    }
    ring_of_groups();
    MPI_Finalize();
    return 0;
}
