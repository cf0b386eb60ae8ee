/* ranks: 1 2 3 */
/* R35, R37: what the hints of a window rule out is refused, on all ranks, by the name of the hint and of the call
 * that gave it: a lock under no_locks, a size or a displacement unit that differs under same_size or
 * same_disp_unit. A hint that is not in force refuses nothing. */
#include "note.h"
#include "win_hints.h"

static const char *const call_of[WIN_MAKERS] = {"MPI_Win_create", "MPI_Win_allocate",
                                                "MPI_Win_allocate_shared", "MPI_Win_create_dynamic"};

static void expect_no_locks(MPI_Win win, const char *call)
{
    int error;

    CHECK_EQ(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
    error = MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    CHECK_EQ(class_of(error), MPI_ERR_RMA_SYNC);
    expect_note(error, NO_LOCKS, call);
    error = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win);
    CHECK_EQ(class_of(error), MPI_ERR_RMA_SYNC);
    error = MPI_Win_lock_all(0, win);
    CHECK_EQ(class_of(error), MPI_ERR_RMA_SYNC);
    expect_note(error, NO_LOCKS, call);
}

/* Fences go on. */
static void fences_work(MPI_Win win)
{
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
}

static void no_locks(enum win_maker maker)
{
    MPI_Win win = win_with(maker, info_with(NO_LOCKS, "true"));

    expect_no_locks(win, call_of[maker]);
    fences_work(win);
    win_done(win);
    win = win_with(maker, MPI_INFO_NULL);
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_unlock(0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    set_win_hint(win, NO_LOCKS, "true");
    expect_no_locks(win, "MPI_Win_set_info");
    fences_work(win);
    win_done(win);
}

/* The last rank's window is larger, or has another unit. */
static void differ(enum win_maker maker, const char *key)
{
    int is_odd = rank_in(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1,
        is_size = strcmp(key, SAME_SIZE) == 0;
    MPI_Aint bytes = is_size && is_odd ? 2 * WIN_BYTES : WIN_BYTES;
    int unit = !is_size && is_odd ? 8 : 1, error;
    MPI_Info info = info_with(key, "true");
    MPI_Win win = MPI_WIN_NULL;

    error = win_try(maker, bytes, unit, info, MPI_COMM_WORLD, &win);
    if (size_of(MPI_COMM_WORLD) == 1) {
        CHECK_EQ(error, MPI_SUCCESS);
        win_done(win);
    } else {
        CHECK(error != MPI_SUCCESS);
        expect_note(error, key, call_of[maker]);
        expect_note(error, is_size ? "256" : "8", is_size ? "128" : "1");
    }
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(win_try(maker, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    win_done(win);
}

/* Where not all ranks promise it, nobody has. */
static void only_one_promises(void)
{
    int is_first = rank_in(MPI_COMM_WORLD) == 0;
    MPI_Info info = is_first ? info_with(SAME_SIZE, "true") : MPI_INFO_NULL;
    MPI_Win win;

    CHECK_EQ(win_try(BY_ALLOCATE, is_first ? WIN_BYTES : 2 * WIN_BYTES, 1, info, MPI_COMM_WORLD, &win),
             MPI_SUCCESS);
    CHECK_WIN_HINT(win, SAME_SIZE, size_of(MPI_COMM_WORLD) == 1 ? "true" : "false");
    win_done(win);
    if (is_first)
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    for (int maker = 0; maker < WIN_MAKERS; maker++)
        no_locks(maker);
    for (int maker = 0; maker < BY_CREATE_DYNAMIC; maker++) { /* which has neither */
        differ(maker, SAME_SIZE);
        differ(maker, SAME_DISP_UNIT);
    }
    only_one_promises();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
