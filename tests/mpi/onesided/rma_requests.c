/* ranks: 1 2 4 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* MPI_Rput, Rget, Raccumulate and Rget_accumulate: their requests complete by Wait, Test, Waitall, Waitany,
 * Waitsome and Testall, in any order and beside those of messages. Completion is that at the origin, and a
 * flush makes it that at the target. */
#include "win.h"

enum {
    ITEMS = 64,
    LARGE = 100000,
    ROOM = 2 * LARGE
};

static void wait_each(int count, MPI_Request *r)
{
    for (int i = count - 1; i >= 0; i--)
        OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
}

static void test_each(int count, MPI_Request *r)
{
    for (int i = 0; i < count; i++)
        for (int flag = 0; !flag;)
            OK(MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE));
}

static void wait_all(int count, MPI_Request *r)
{
    OK(MPI_Waitall(count, r, MPI_STATUSES_IGNORE));
}

static void test_all(int count, MPI_Request *r)
{
    for (int flag = 0; !flag;)
        OK(MPI_Testall(count, r, &flag, MPI_STATUSES_IGNORE));
}

static void wait_any(int count, MPI_Request *r)
{
    for (int i = 0, index; i < count; i++) {
        OK(MPI_Waitany(count, r, &index, MPI_STATUS_IGNORE));
        CHECK(index >= 0 && index < count);
    }
}

static void wait_some(int count, MPI_Request *r)
{
    int index[2 * ITEMS];

    for (int done = 0, some; done < count; done += some) {
        OK(MPI_Waitsome(count, r, &some, index, MPI_STATUSES_IGNORE));
        CHECK(some > 0);
    }
}

static void (*const ends[])(int, MPI_Request *) = {wait_each, test_each, wait_all,
                                                   test_all,  wait_any,  wait_some};
enum {
    ENDS = sizeof ends / sizeof *ends
};

static void end(int how, int count, MPI_Request *r)
{
    ends[how](count, r);
    for (int i = 0; i < count; i++)
        CHECK_EQ(r[i], MPI_REQUEST_NULL);
}

/* Each item is put, changed by a sum and got, one kind of request at a time; the buffers are used again as
 * soon as the requests are complete. */
static void items(const struct window *w, int how)
{
    int to = (rank + 1) % size, data[ITEMS], got[ITEMS], old[ITEMS];
    MPI_Request r[ITEMS];

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
    for (int i = 0; i < ITEMS; i++) {
        data[i] = 1000 * rank + i;
        OK(MPI_Rput(&data[i], 1, MPI_INT, to, window_at(w, to, i), 1, MPI_INT, w->win, &r[i]));
    }
    end(how, ITEMS, r);
    OK(MPI_Win_flush(to, w->win));
    for (int i = 0; i < ITEMS; i++) {
        data[i] = 5;
        OK(MPI_Raccumulate(&data[i], 1, MPI_INT, to, window_at(w, to, i), 1, MPI_INT, MPI_SUM, w->win,
                           &r[i]));
    }
    end(how, ITEMS, r);
    for (int i = 0; i < ITEMS; i++) {
        data[i] = 7;
        OK(MPI_Rget_accumulate(&data[i], 1, MPI_INT, &old[i], 1, MPI_INT, to, window_at(w, to, i), 1, MPI_INT,
                               MPI_SUM, w->win, &r[i]));
    }
    end(how, ITEMS, r);
    for (int i = 0; i < ITEMS; i++) /* accumulates of one origin are ordered */
        CHECK_EQ(old[i], 1000 * rank + i + 5);
    OK(MPI_Win_flush(to, w->win));
    for (int i = 0; i < ITEMS; i++)
        OK(MPI_Rget(&got[i], 1, MPI_INT, to, window_at(w, to, i), 1, MPI_INT, w->win, &r[i]));
    end(how, ITEMS, r);
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQ(got[i], 1000 * rank + i + 12);
    OK(MPI_Win_unlock(to, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Large ones under lock_all, completed together with messages. */
static void with_messages(const struct window *w, int how)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, x = rank, y = -1;
    unsigned char *data = malloc(LARGE), *got = calloc(1, LARGE);
    MPI_Request r[4];

    CHECK(data && got);
    fill(data, LARGE, rank + how);
    OK(MPI_Win_lock_all(0, w->win));
    OK(MPI_Irecv(&y, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &r[2]));
    OK(MPI_Rput(data, LARGE, MPI_BYTE, to, window_at(w, to, 0), LARGE, MPI_BYTE, w->win, &r[0]));
    OK(MPI_Isend(&x, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &r[1]));
    OK(MPI_Rput(data, 0, MPI_BYTE, to, window_at(w, to, 0), 0, MPI_BYTE, w->win, &r[3]));
    end(how, 4, r);
    CHECK_EQ(y, from);
    OK(MPI_Win_flush_all(w->win));
    memset(data, 0, LARGE);
    OK(MPI_Rget(got, LARGE, MPI_BYTE, to, window_at(w, to, 0), LARGE, MPI_BYTE, w->win, &r[0]));
    end(how, 1, r);
    CHECK_EQ(find_wrong(got, LARGE, rank + how), -1);
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(data), free(got);
}

/* The request of MPI_Rget says that the data has come, without any other call on the window. */
static void rget_is_complete_data(const struct window *w)
{
    int to = (rank + 1) % size, got = -1;
    MPI_Request r;
    MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w->win));
    *(int *)(void *)w->base = 77 + rank;
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
    OK(MPI_Rget(&got, 1, MPI_INT, to, window_at(w, to, 0), 1, MPI_INT, w->win, &r));
    OK(MPI_Wait(&r, &status));
    CHECK_EQ(got, 77 + to);
    OK(MPI_Win_unlock(to, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, ROOM, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        for (int how = 0; how < ENDS; how++) {
            items(&w, how);
            with_messages(&w, how);
        }
        rget_is_complete_data(&w);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
