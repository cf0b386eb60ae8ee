/* ranks: 1 2 4 also: INKLING_TRANSPORT=ofi */
/* What makes no window, or is done to one of the wrong kind: the class of each error, no window, and nothing
 * lost: a right call afterwards works. Errors of making one are the communicator's. */
#include "win.h"

#define REFUSED(call, class) CHECK_EQ(class_of(call), class)

static MPI_Comm comm;
static long memory[64];

static MPI_Win created(void)
{
    MPI_Win win;

    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static MPI_Win dynamic(void)
{
    MPI_Win win;

    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static void sizes_and_units(void)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base = NULL;

    REFUSED(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, comm, &win), MPI_ERR_SIZE);
    REFUSED(MPI_Win_create(memory, sizeof memory, 0, MPI_INFO_NULL, comm, &win), MPI_ERR_DISP);
    REFUSED(MPI_Win_create(memory, sizeof memory, -8, MPI_INFO_NULL, comm, &win), MPI_ERR_DISP);
    REFUSED(MPI_Win_allocate(-1, 1, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_SIZE);
    REFUSED(MPI_Win_allocate(8, 0, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_DISP);
    REFUSED(MPI_Win_allocate(8, -1, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_DISP);
    REFUSED(MPI_Win_allocate_shared(-1, 1, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_SIZE);
    REFUSED(MPI_Win_allocate_shared(8, 0, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_DISP);
#if MPI_VERSION >= 5
    REFUSED(MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, comm, &win), MPI_ERR_BASE);
    REFUSED(MPI_Win_create_c(memory, sizeof memory, -8, MPI_INFO_NULL, comm, &win), MPI_ERR_DISP);
    REFUSED(MPI_Win_allocate_c(8, 0, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_DISP);
    REFUSED(MPI_Win_allocate_shared_c(8, -2, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_DISP);
#endif
    CHECK_EQ(win, MPI_WIN_NULL);
    CHECK(base == NULL);
}

static void communicators_and_infos(void)
{
    MPI_Win win = MPI_WIN_NULL;
    MPI_Comm inter, half;
    void *base = NULL;

    REFUSED(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
    REFUSED(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &base, &win), MPI_ERR_COMM);
    REFUSED(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
    if (size > 1) {
        OK(MPI_Comm_split(comm, rank % 2, rank, &half));
        OK(MPI_Intercomm_create(half, 0, comm, !(rank % 2), 0, &inter));
        OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
        REFUSED(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, inter, &win), MPI_ERR_COMM);
        REFUSED(MPI_Win_allocate(8, 1, MPI_INFO_NULL, inter, &base, &win), MPI_ERR_COMM);
        REFUSED(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, inter, &base, &win), MPI_ERR_COMM);
        REFUSED(MPI_Win_create_dynamic(MPI_INFO_NULL, inter, &win), MPI_ERR_COMM);
        OK(MPI_Comm_free(&inter));
        OK(MPI_Comm_free(&half));
    }
    CHECK_EQ(win, MPI_WIN_NULL);
}

/* `size` ranks ask for so many bytes each, more than any machine has. */
static void too_large_alike(MPI_Aint bytes, MPI_Info info)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base = NULL;

    REFUSED(MPI_Win_allocate(bytes, 1, info, comm, &base, &win), MPI_ERR_NO_MEM);
    if (shares_memory(comm))
        REFUSED(MPI_Win_allocate_shared(bytes, 1, info, comm, &base, &win), MPI_ERR_NO_MEM);
    CHECK_EQ(win, MPI_WIN_NULL);
    CHECK(base == NULL);
}

/* Sums and products of sizes are more than a number of 64 bits holds, and what is left of them is little. */
static void too_large(void)
{
    MPI_Aint bytes[] = {INT64_MAX, INT64_MAX - 63, (MPI_Aint)1 << 62, (MPI_Aint)1 << 61, (MPI_Aint)1 << 60};
    MPI_Win win = MPI_WIN_NULL;
    MPI_Info same;
    void *base;

    OK(MPI_Info_create(&same));
    OK(MPI_Info_set(same, "same_size", "true"));
    OK(MPI_Info_set(same, "same_disp_unit", "true"));
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        too_large_alike(bytes[i], MPI_INFO_NULL);
        too_large_alike(bytes[i], same);
        if (size > 1) {
            too_large_alike(rank ? bytes[i] : 8, MPI_INFO_NULL);
            REFUSED(MPI_Win_allocate(rank ? bytes[i] : 8, 1, same, comm, &base, &win), MPI_ERR_SIZE);
        }
    }
    OK(MPI_Info_free(&same));
}

/* Every call on no window, and on one that was freed. */
static void no_window(MPI_Win win)
{
    MPI_Errhandler handler;
    MPI_Request request;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Group group;
    MPI_Info info;
    int x = 0, y, flag;
    MPI_Aint bytes;
    void *base;

    REFUSED(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_WIN);
    REFUSED(MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_WIN);
    REFUSED(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_WIN);
    REFUSED(MPI_Get_accumulate(&x, 1, MPI_INT, &y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_WIN);
    REFUSED(MPI_Fetch_and_op(&x, &y, MPI_INT, 0, 0, MPI_SUM, win), MPI_ERR_WIN);
    REFUSED(MPI_Compare_and_swap(&x, &x, &y, MPI_INT, 0, 0, win), MPI_ERR_WIN);
    REFUSED(MPI_Rput(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request), MPI_ERR_WIN);
    REFUSED(MPI_Rget(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request), MPI_ERR_WIN);
    REFUSED(MPI_Win_fence(0, win), MPI_ERR_WIN);
    REFUSED(MPI_Win_post(MPI_GROUP_EMPTY, 0, win), MPI_ERR_WIN);
    REFUSED(MPI_Win_start(MPI_GROUP_EMPTY, 0, win), MPI_ERR_WIN);
    REFUSED(MPI_Win_complete(win), MPI_ERR_WIN);
    REFUSED(MPI_Win_wait(win), MPI_ERR_WIN);
    REFUSED(MPI_Win_test(win, &flag), MPI_ERR_WIN);
    REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_WIN);
    REFUSED(MPI_Win_unlock(0, win), MPI_ERR_WIN);
    REFUSED(MPI_Win_lock_all(0, win), MPI_ERR_WIN);
    REFUSED(MPI_Win_unlock_all(win), MPI_ERR_WIN);
    REFUSED(MPI_Win_flush(0, win), MPI_ERR_WIN);
    REFUSED(MPI_Win_flush_all(win), MPI_ERR_WIN);
    REFUSED(MPI_Win_flush_local(0, win), MPI_ERR_WIN);
    REFUSED(MPI_Win_flush_local_all(win), MPI_ERR_WIN);
    REFUSED(MPI_Win_sync(win), MPI_ERR_WIN);
    REFUSED(MPI_Win_attach(win, memory, 8), MPI_ERR_WIN);
    REFUSED(MPI_Win_detach(win, memory), MPI_ERR_WIN);
    REFUSED(MPI_Win_shared_query(win, 0, &bytes, &x, &base), MPI_ERR_WIN);
    REFUSED(MPI_Win_get_group(win, &group), MPI_ERR_WIN);
    REFUSED(MPI_Win_get_info(win, &info), MPI_ERR_WIN);
    REFUSED(MPI_Win_set_name(win, "x"), MPI_ERR_WIN);
    if (win != MPI_WIN_NULL)
        REFUSED(MPI_Win_get_name(win, name, &x), MPI_ERR_WIN);
    REFUSED(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag), MPI_ERR_WIN);
    REFUSED(MPI_Win_get_errhandler(win, &handler), MPI_ERR_WIN);
    REFUSED(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_ERR_WIN);
    REFUSED(MPI_Win_call_errhandler(win, MPI_ERR_OTHER), MPI_ERR_WIN);
    REFUSED(MPI_Win_free(&win), MPI_ERR_WIN);
}

/* Attaching is for dynamic windows, and asking for shared memory for all others. */
static void wrong_flavor(void)
{
    MPI_Win win = created();
    MPI_Aint bytes = 0;
    void *base = NULL;
    int unit;

    REFUSED(MPI_Win_attach(win, memory, 8), MPI_ERR_RMA_FLAVOR);
    REFUSED(MPI_Win_detach(win, memory), MPI_ERR_RMA_FLAVOR);
    REFUSED(MPI_Win_shared_query(win, size, &bytes, &unit, &base), MPI_ERR_RANK);
    REFUSED(MPI_Win_shared_query(win, -17, &bytes, &unit, &base), MPI_ERR_RANK);
    OK(MPI_Win_free(&win));
    win = dynamic();
    REFUSED(MPI_Win_shared_query(win, 0, &bytes, &unit, &base), MPI_ERR_RMA_FLAVOR);
    OK(MPI_Win_free(&win));
}

/* Overlaps of each kind, and what was never attached, or only in its middle. */
static void attaching(void)
{
    unsigned char *at = (unsigned char *)memory;
    MPI_Win win = dynamic();

    OK(MPI_Win_attach(win, at + 64, 64));
    REFUSED(MPI_Win_attach(win, at + 64, 64), MPI_ERR_RMA_ATTACH);
    REFUSED(MPI_Win_attach(win, at + 64, 1), MPI_ERR_RMA_ATTACH);
    REFUSED(MPI_Win_attach(win, at + 127, 8), MPI_ERR_RMA_ATTACH);
    REFUSED(MPI_Win_attach(win, at + 60, 5), MPI_ERR_RMA_ATTACH);
    REFUSED(MPI_Win_attach(win, at, 256), MPI_ERR_RMA_ATTACH);
    REFUSED(MPI_Win_attach(win, at + 80, 8), MPI_ERR_RMA_ATTACH);
    REFUSED(MPI_Win_attach(win, at, -8), MPI_ERR_SIZE);
    REFUSED(MPI_Win_detach(win, at), MPI_ERR_RMA_ATTACH);
    REFUSED(MPI_Win_detach(win, at + 65), MPI_ERR_RMA_ATTACH);
    REFUSED(MPI_Win_detach(win, at + 128), MPI_ERR_RMA_ATTACH);
    OK(MPI_Win_attach(win, at, 64)); /* side by side is no overlap */
    OK(MPI_Win_attach(win, at + 128, 64));
    OK(MPI_Win_detach(win, at + 64));
    REFUSED(MPI_Win_detach(win, at + 64), MPI_ERR_RMA_ATTACH);
    OK(MPI_Win_attach(win, at + 64, 32));
    OK(MPI_Win_free(&win));
    win = dynamic(); /* another window knows nothing of it */
    OK(MPI_Win_attach(win, at, 256));
    OK(MPI_Win_free(&win));
}

static void attributes(void)
{
    MPI_Win win = created();
    void *base;
    int value = 0, keyval, flag,
        keyvals[] = {MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL};

    for (int i = 0; i < 5; i++) { /* MPI-5.0, 7.7: the predefined ones cannot be changed */
        CHECK(MPI_Win_set_attr(win, keyvals[i], &value) != MPI_SUCCESS);
        CHECK(MPI_Win_delete_attr(win, keyvals[i]) != MPI_SUCCESS);
    }
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
    CHECK(flag && base == memory);
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    REFUSED(MPI_Win_set_attr(win, keyval, &value), MPI_ERR_KEYVAL);
    REFUSED(MPI_Win_get_attr(win, MPI_KEYVAL_INVALID, &base, &flag), MPI_ERR_KEYVAL);
    OK(MPI_Comm_free_keyval(&keyval));
    OK(MPI_Win_free(&win));
}

static void still_works(void)
{
    MPI_Win win = created();
    long x = 40 + rank;

    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&x, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(memory[0], 40 + (rank + size - 1) % size);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    MPI_Win win, freed;

    set_up(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    sizes_and_units();
    communicators_and_infos();
    too_large();
    no_window(MPI_WIN_NULL);
    win = created();
    freed = win;
    OK(MPI_Win_free(&win));
#if MPI_VERSION >= 5
    no_window(freed);
#else
    (void)freed;
#endif
    wrong_flavor();
    attaching();
    attributes();
    still_works();
    OK(MPI_Comm_free(&comm));
    MPI_Finalize();
    return 0;
}
