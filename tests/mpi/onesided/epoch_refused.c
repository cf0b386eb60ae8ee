/* ranks: 1 2 4 also: INKLING_TRANSPORT=ofi */
/* Calls that do not fit the epoch that is open: each is MPI_ERR_RMA_SYNC, names the call and what is open or is not, changes
 * nothing, and the epoch can go on and be closed; one that is refused opens none. Also lock types, assertions and groups that are none. */
#include "win.h"

#define REFUSED(call, class) CHECK_EQ(class_of(call), class)
#define UNFIT(call, words)   check_unfit(call, #call, words)
#define NO_ACCESS(call)      CHECK_CODE(call, MPI_ERR_RMA_SYNC, "no epoch is open that gives access to rank")
#define OF_LOCKS(call)                                                                                       \
    CHECK_CODE(call, MPI_ERR_RMA_SYNC, "operations with a request are for epochs of MPI_Win_lock")

#define FENCE_IS_OPEN    "an epoch of MPI_Win_fence is open; call MPI_Win_fence (with MPI_MODE_NOSUCCEED) before"
#define LOCK_IS_OPEN     "an epoch of MPI_Win_lock is open; call MPI_Win_unlock before"
#define LOCK_ALL_IS_OPEN "an epoch of MPI_Win_lock_all is open; call MPI_Win_unlock_all before"
#define START_IS_OPEN    "an epoch of MPI_Win_start is open; call MPI_Win_complete before"
#define NO_LOCK          "no lock is held"
#define NOT_LOCKED       "this process has not locked rank"
#define IS_LOCKED        "this process has locked rank"
#define NO_LOCK_ALL      "no epoch of MPI_Win_lock_all is open"
#define NO_START         "there is no epoch of MPI_Win_start to end"
#define NO_POST          "this rank has not posted"
#define HAS_POSTED       "this rank has posted"

static int x = 1, y = 2, z;
static MPI_Win win;
static MPI_Group all;

/* The text names the call, and has these words. */
static void check_unfit(int code, const char *call, const char *words)
{
    char name[64];

    snprintf(name, sizeof name, "%.*s: ", (int)strcspn(call, "("), call);
    CHECK_CODE(code, MPI_ERR_RMA_SYNC, name);
    CHECK_CODE(code, MPI_ERR_RMA_SYNC, words);
}

/* MPI-5.0, 12.3: none may be outside of an epoch. */
static void no_communication(int to)
{
    MPI_Request request = MPI_REQUEST_NULL;

    NO_ACCESS(MPI_Put(&y, 1, MPI_INT, to, 0, 1, MPI_INT, win)); /* y: what no other call puts there */
    NO_ACCESS(MPI_Get(&z, 1, MPI_INT, to, 0, 1, MPI_INT, win));
    NO_ACCESS(MPI_Accumulate(&x, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win));
    NO_ACCESS(MPI_Get_accumulate(&x, 1, MPI_INT, &z, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win));
    NO_ACCESS(MPI_Fetch_and_op(&x, &z, MPI_INT, to, 0, MPI_SUM, win));
    NO_ACCESS(MPI_Compare_and_swap(&y, &x, &z, MPI_INT, to, 0, win));
    NO_ACCESS(MPI_Rput(&y, 1, MPI_INT, to, 0, 1, MPI_INT, win, &request));
    NO_ACCESS(MPI_Rget(&z, 1, MPI_INT, to, 0, 1, MPI_INT, win, &request));
    NO_ACCESS(MPI_Raccumulate(&x, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win, &request));
    NO_ACCESS(MPI_Rget_accumulate(&x, 1, MPI_INT, &z, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win, &request));
    CHECK_EQ(request, MPI_REQUEST_NULL);
}

static void no_flush(void)
{
    UNFIT(MPI_Win_flush(rank, win), NO_LOCK);
    UNFIT(MPI_Win_flush_local(rank, win), NO_LOCK);
    UNFIT(MPI_Win_flush_all(win), NO_LOCK);
    UNFIT(MPI_Win_flush_local_all(win), NO_LOCK);
}

static void nothing_is_open(void)
{
    int flag = -1;

    no_communication(rank);
    no_communication((rank + 1) % size);
    no_flush();
    UNFIT(MPI_Win_unlock(rank, win), NOT_LOCKED);
    UNFIT(MPI_Win_unlock_all(win), NO_LOCK_ALL);
    UNFIT(MPI_Win_complete(win), NO_START);
    UNFIT(MPI_Win_wait(win), NO_POST);
    UNFIT(MPI_Win_test(win, &flag), NO_POST);
    CHECK_EQ(flag, -1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* R forms are for passive target epochs alone (12.3.5), and so are flushes. */
static void in_a_fence_epoch(void)
{
    MPI_Request request = MPI_REQUEST_NULL;

    OK(MPI_Win_fence(0, win));
    OF_LOCKS(MPI_Rput(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request));
    OK(MPI_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    no_flush();
    UNFIT(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), FENCE_IS_OPEN);
    UNFIT(MPI_Win_lock_all(0, win), FENCE_IS_OPEN);
    UNFIT(MPI_Win_start(all, 0, win), FENCE_IS_OPEN);
    UNFIT(MPI_Win_complete(win), NO_START);
    UNFIT(MPI_Win_unlock(rank, win), NOT_LOCKED);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    no_communication(rank); /* the fence promised that none follows */
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A fence after which nothing was communicated has opened no epoch: others may be. */
static void after_an_unused_fence(void)
{
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_post(all, 0, win));
    OK(MPI_Win_start(all, 0, win));
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

static void in_a_lock_epoch(int type)
{
    int other = (rank + 1) % size;
    MPI_Win same = win;

    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(type, rank, 0, win));
    UNFIT(MPI_Win_lock(type, rank, 0, win), IS_LOCKED);
    UNFIT(MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, win), IS_LOCKED);
    UNFIT(MPI_Win_lock_all(0, win), LOCK_IS_OPEN);
    UNFIT(MPI_Win_fence(0, win), LOCK_IS_OPEN);
    UNFIT(MPI_Win_start(all, 0, win), LOCK_IS_OPEN);
    UNFIT(MPI_Win_post(all, 0, win),
          "this process has locked its memory"); /* locked and exposed at once: 12.5.3 */
    UNFIT(MPI_Win_unlock_all(win), NO_LOCK_ALL);
    UNFIT(MPI_Win_complete(win), NO_START);
    UNFIT(MPI_Win_free(&same), LOCK_IS_OPEN);
    CHECK(same == win);
    if (other != rank) {
        no_communication(other);
        UNFIT(MPI_Win_unlock(other, win), NOT_LOCKED);
        UNFIT(MPI_Win_flush(other, win), NO_LOCK);
    }
    OK(MPI_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    OK(MPI_Win_flush(rank, win));
    OK(MPI_Win_unlock(rank, win));
    UNFIT(MPI_Win_unlock(rank, win), NOT_LOCKED);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void in_a_lock_all_epoch(void)
{
    MPI_Win same = win;

    OK(MPI_Win_lock_all(0, win));
    UNFIT(MPI_Win_lock_all(0, win), LOCK_ALL_IS_OPEN);
    UNFIT(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), LOCK_ALL_IS_OPEN);
    UNFIT(MPI_Win_unlock(rank, win), NOT_LOCKED);
    UNFIT(MPI_Win_fence(0, win), LOCK_ALL_IS_OPEN);
    UNFIT(MPI_Win_start(all, 0, win), LOCK_ALL_IS_OPEN);
    UNFIT(MPI_Win_complete(win), NO_START);
    UNFIT(MPI_Win_free(&same), LOCK_ALL_IS_OPEN);
    CHECK(same == win);
    OK(MPI_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    OK(MPI_Win_flush_all(win));
    OK(MPI_Win_unlock_all(win));
    UNFIT(MPI_Win_unlock_all(win), NO_LOCK_ALL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void in_a_start_epoch(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win same = win;
    MPI_Group self;

    OK(MPI_Group_incl(all, 1, &rank, &self));
    OK(MPI_Win_post(self, 0, win));
    UNFIT(MPI_Win_post(self, 0, win), HAS_POSTED);
    UNFIT(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win), HAS_POSTED); /* locked and exposed at once */
    UNFIT(MPI_Win_fence(0, win), HAS_POSTED);
    UNFIT(MPI_Win_free(&same), HAS_POSTED);
    CHECK(same == win);
    OK(MPI_Win_start(self, 0, win));
    UNFIT(MPI_Win_start(self, 0, win), START_IS_OPEN);
    UNFIT(MPI_Win_fence(0, win), START_IS_OPEN);
    UNFIT(MPI_Win_lock_all(0, win), START_IS_OPEN);
    OF_LOCKS(MPI_Rput(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request));
    no_flush();
    if (size > 1) /* a target that is not in the group */
        no_communication((rank + 1) % size);
    OK(MPI_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    OK(MPI_Win_complete(win));
    UNFIT(MPI_Win_complete(win), NO_START);
    UNFIT(MPI_Win_free(&same), HAS_POSTED);
    OK(MPI_Win_wait(win));
    UNFIT(MPI_Win_wait(win), NO_POST);
    OK(MPI_Group_free(&self));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void wrong_arguments(void)
{
    REFUSED(MPI_Win_lock(0, rank, 0, win), MPI_ERR_LOCKTYPE);
    REFUSED(MPI_Win_lock(-1, rank, 0, win), MPI_ERR_LOCKTYPE);
    REFUSED(MPI_Win_lock(MPI_LOCK_SHARED + 12345, rank, 0, win), MPI_ERR_LOCKTYPE);
    REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK);
    REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, -17, 0, win), MPI_ERR_RANK);
    REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, rank, 1 << 24, win), MPI_ERR_ASSERT);
    REFUSED(MPI_Win_lock_all(1 << 24, win), MPI_ERR_ASSERT);
    REFUSED(MPI_Win_fence(1 << 24, win), MPI_ERR_ASSERT);
    REFUSED(MPI_Win_fence(-1, win), MPI_ERR_ASSERT);
    REFUSED(MPI_Win_post(all, 1 << 24, win), MPI_ERR_ASSERT);
    REFUSED(MPI_Win_start(all, 1 << 24, win), MPI_ERR_ASSERT);
    REFUSED(MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
    REFUSED(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
    nothing_is_open();
    OK(MPI_Win_lock_all(0, win));
    REFUSED(MPI_Win_flush(size, win), MPI_ERR_RANK);
    REFUSED(MPI_Win_flush_local(-17, win), MPI_ERR_RANK);
    REFUSED(MPI_Win_unlock(size, win), MPI_ERR_RANK);
    OK(MPI_Win_unlock_all(win));
}

/* Groups with members that the window has not. */
static void foreign_group(void)
{
    MPI_Comm part;
    MPI_Win saved = win;
    int memory = 0;

    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part));
    OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, part, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    if (size > 1) {
        REFUSED(MPI_Win_post(all, 0, win), MPI_ERR_GROUP);
        REFUSED(MPI_Win_start(all, 0, win), MPI_ERR_GROUP);
    }
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&part));
    win = saved;
}

/* The call fails, and the fence before it has still opened no epoch: another may be. */
#define OPENS_NOTHING(call, class)                                                                           \
    do {                                                                                                     \
        OK(MPI_Win_fence(0, win));                                                                           \
        REFUSED(call, class);                                                                                \
        OK(MPI_Win_lock_all(0, win));                                                                        \
        OK(MPI_Win_unlock_all(win));                                                                         \
    } while (0)

static void refused_calls_open_nothing(int to)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Datatype bare;
    double d = 0, e = 0;
    int two[2] = {0, 0};

    OK(MPI_Type_contiguous(2, MPI_INT, &bare)); /* not committed */
    OPENS_NOTHING(MPI_Put(&y, 1, MPI_INT, to, 1000, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    OPENS_NOTHING(MPI_Get(&z, 1, MPI_INT, to, -1, 1, MPI_INT, win), MPI_ERR_DISP);
    OPENS_NOTHING(MPI_Put(two, 2, MPI_INT, to, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE);
    OPENS_NOTHING(MPI_Get(&z, 1, MPI_INT, to, 0, 2, MPI_INT, win), MPI_ERR_TRUNCATE);
    OPENS_NOTHING(MPI_Put(two, 2, MPI_INT, to, 0, 1, bare, win), MPI_ERR_TYPE);
    OPENS_NOTHING(MPI_Rput(&y, 1, MPI_INT, to, 0, 1, MPI_INT, win, &r), MPI_ERR_RMA_SYNC);
    OPENS_NOTHING(MPI_Rget(&z, 1, MPI_INT, to, 0, 1, MPI_INT, win, &r), MPI_ERR_RMA_SYNC);
    OPENS_NOTHING(MPI_Accumulate(&y, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
    OPENS_NOTHING(MPI_Accumulate(&d, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, MPI_BAND, win), MPI_ERR_OP);
    OPENS_NOTHING(MPI_Accumulate(two, 2, MPI_INT, to, 0, 2, MPI_INT, MPI_MINLOC, win), MPI_ERR_OP);
    OPENS_NOTHING(MPI_Accumulate(&y, 1, MPI_INT, to, 0, 1, MPI_FLOAT, MPI_SUM, win), MPI_ERR_TYPE);
    OPENS_NOTHING(MPI_Accumulate(two, 2, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_TRUNCATE);
    OPENS_NOTHING(MPI_Raccumulate(&y, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win, &r), MPI_ERR_RMA_SYNC);
    OPENS_NOTHING(MPI_Get_accumulate(&y, 1, MPI_INT, two, 2, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win),
                  MPI_ERR_COUNT);
    OPENS_NOTHING(
        MPI_Get_accumulate(&d, 1, MPI_DOUBLE, &e, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, MPI_LXOR, win),
        MPI_ERR_OP);
    OPENS_NOTHING(MPI_Fetch_and_op(&y, &z, MPI_INT, to, 64, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    OPENS_NOTHING(MPI_Fetch_and_op(&d, &e, MPI_DOUBLE, to, 0, MPI_BOR, win), MPI_ERR_OP);
    OPENS_NOTHING(MPI_Fetch_and_op(&y, &z, MPI_INT, to, 0, MPI_MAXLOC, win), MPI_ERR_OP);
    OPENS_NOTHING(MPI_Compare_and_swap(&d, &d, &e, MPI_DOUBLE, to, 0, win), MPI_ERR_TYPE);
    OPENS_NOTHING(MPI_Compare_and_swap(&y, &x, &z, MPI_INT, to, 61, win), MPI_ERR_RMA_RANGE);
    CHECK_EQ(r, MPI_REQUEST_NULL);
    CHECK(two[0] == 0 && two[1] == 0 && d == 0 && e == 0);
    OK(MPI_Type_free(&bare));
    OK(MPI_Win_fence(0, win));
    REFUSED(MPI_Accumulate(&y, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
}

int main(int argc, char **argv)
{
    int *base;

    set_up(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    *base = 0;
    nothing_is_open();
    in_a_fence_epoch();
    after_an_unused_fence();
    in_a_lock_epoch(MPI_LOCK_EXCLUSIVE);
    in_a_lock_epoch(MPI_LOCK_SHARED);
    in_a_lock_all_epoch();
    in_a_start_epoch();
    wrong_arguments();
    foreign_group();
    nothing_is_open();
    refused_calls_open_nothing(rank);
    refused_calls_open_nothing((rank + 1) % size);
    CHECK_EQ(*base, 1);
    CHECK_EQ(z, 0);
    OK(MPI_Win_free(&win)); /* the fence before has opened no epoch */
    OK(MPI_Group_free(&all));
    MPI_Finalize();
    return 0;
}
