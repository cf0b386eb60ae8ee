/* Windows and files in which a rank dies (survive_steps.c). */
#include "survive_steps.h"

#include <stddef.h>

static int *base;
static short narrow;
static MPI_Aint place[64];

/* What a successful read of rank r's memory has given. */
static int check_value(int error, int value, int r)
{
    if (!error && value != value_of(r) && value != 0)
        wrong("wrong data");
    return error;
}

static void fill(void)
{
    for (int i = 0; i < ITEMS && base; i++)
        base[i] = value_of(rank);
}

/* Windows. */
static int win_make(MPI_Info info, int kind)
{
    int error, bytes = ITEMS * (int)sizeof *base;

    for (int i = 0; i < ITEMS; i++)
        memory[i] = value_of(rank);
    base = memory;
    if (kind == 0 || (kind == 1 && !is_one_host))
        error = MPI_Win_allocate(bytes, sizeof *base, info, MPI_COMM_WORLD, &base, &win);
    else if (kind == 1)
        error = MPI_Win_allocate_shared(bytes, sizeof *base, info, MPI_COMM_WORLD, &base, &win);
    else if (kind == 2)
        error = MPI_Win_create(memory, bytes, sizeof *base, info, MPI_COMM_WORLD, &win);
    else
        error = MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win);
    if (error)
        return win = MPI_WIN_NULL, base = NULL, error;
    fill();
    return MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static int win_allocate(void)
{
    return win_make(MPI_INFO_NULL, 0);
}

static int win_shared(void)
{
    return win_make(MPI_INFO_NULL, 1);
}

static int win_create(void)
{
    return win_make(MPI_INFO_NULL, 2);
}

static int win_dynamic(void)
{
    return win_make(MPI_INFO_NULL, 3);
}

static int win_attach(void)
{
    MPI_Aint mine;
    int error = MPI_Win_attach(win, memory, sizeof memory);

    MPI_Get_address(memory, &mine);
    for (int i = 0; i < size; i++)
        place[i] = mine; /* the same program: where addresses differ nothing is accessed */
    if (error)
        return error;
    return MPI_Allgather(&mine, 1, MPI_AINT, place, 1, MPI_AINT, MPI_COMM_WORLD);
}

static int win_detach(void)
{
    return MPI_Win_detach(win, memory);
}

static int win_fence(void)
{
    return MPI_Win_fence(0, win);
}

static int win_put(void)
{
    int value = value_of(partner);

    return MPI_Put(&value, 1, MPI_INT, partner, place[partner] + 1, 1, MPI_INT, win);
}

static int win_get(void)
{
    return MPI_Get(out, 1, MPI_INT, partner, place[partner], 1, MPI_INT, win);
}

static int win_put_victim(void)
{
    int value = value_of(victim);

    return MPI_Put(&value, 1, MPI_INT, victim, place[victim], 1, MPI_INT, win);
}

static int win_get_victim(void)
{
    return MPI_Get(out, 1, MPI_INT, victim, place[victim], 1, MPI_INT, win);
}

static int win_sum_victim(void)
{
    return MPI_Accumulate(&(short){0}, 1, MPI_SHORT, victim, place[victim], 1, MPI_SHORT, MPI_SUM, win);
}

static int win_sum(void)
{
    return MPI_Accumulate(&(short){0}, 1, MPI_SHORT, 0, place[0], 1, MPI_SHORT, MPI_SUM, win);
}

static int win_fetch_narrow(void)
{
    return MPI_Fetch_and_op(&(short){0}, &narrow, MPI_SHORT, partner, place[partner], MPI_SUM, win);
}

static int win_swap(void)
{
    return MPI_Compare_and_swap(&(int){5}, &(int){4}, out, MPI_INT, partner, place[partner], win);
}

static int win_rget(void)
{
    int error = MPI_Rget(out, 1, MPI_INT, victim, place[victim], 1, MPI_INT, win, request);

    return error ? error : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int win_check(void)
{
    return check_value(MPI_SUCCESS, has_failed ? 0 : out[0], partner);
}

static int win_check_victim(void)
{
    return check_value(MPI_SUCCESS, has_failed ? 0 : out[0], victim);
}

static int lock(int type, int r)
{
    return MPI_Win_lock(type, r, 0, win);
}

static int lock_exclusive_first(void)
{
    return lock(MPI_LOCK_EXCLUSIVE, 0);
}

static int unlock_first(void)
{
    return MPI_Win_unlock(0, win);
}

static int lock_shared_victim(void)
{
    return lock(MPI_LOCK_SHARED, victim);
}

static int lock_exclusive_victim(void)
{
    return lock(MPI_LOCK_EXCLUSIVE, victim);
}

static int unlock_victim(void)
{
    return MPI_Win_unlock(victim, win);
}

static int lock_all(void)
{
    return MPI_Win_lock_all(0, win);
}

static int unlock_all(void)
{
    return MPI_Win_unlock_all(win);
}

static int flush_victim(void)
{
    return MPI_Win_flush(victim, win);
}

static int flush_all(void)
{
    return MPI_Win_flush_all(win);
}

static int with_others(int (*call)(MPI_Group group, int assert, MPI_Win win))
{
    MPI_Group all, others;
    int error;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, &rank, &others);
    error = call(others, 0, win);
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    return error;
}

static int win_post(void)
{
    return with_others(MPI_Win_post);
}

static int win_start(void)
{
    return with_others(MPI_Win_start);
}

static int win_complete(void)
{
    return MPI_Win_complete(win);
}

static int win_wait(void)
{
    return MPI_Win_wait(win);
}

static int win_test(void)
{
    double end = MPI_Wtime() + limit;
    int flag = 0, error = MPI_SUCCESS;

    while (!error && !flag && MPI_Wtime() < end)
        error = MPI_Win_test(win, &flag);
    if (!error && !flag)
        wrong("MPI_Win_test never ends");
    return error;
}

static int win_free(void)
{
    int error = MPI_Win_free(&win);

    if (!error)
        win = MPI_WIN_NULL;
    return error;
}

/* Files. */
static int file_open(void)
{
    int error = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);

    for (int i = 0; i < ITEMS; i++)
        memory[i] = value_of(rank);
    if (error)
        file = MPI_FILE_NULL;
    return error;
}

static int file_view(void)
{
    MPI_Datatype every;
    int error;

    MPI_Type_create_resized(MPI_INT, 0, size * (int)sizeof(int), &every);
    MPI_Type_commit(&every);
    error = MPI_File_set_view(file, rank * (int)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL);
    MPI_Type_free(&every);
    return error;
}

static int file_write_at_all(void)
{
    return MPI_File_write_at_all(file, 0, memory, ITEMS, MPI_INT, MPI_STATUS_IGNORE);
}

static int file_read_at_all(void)
{
    int error = MPI_File_read_at_all(file, 0, out, ITEMS, MPI_INT, MPI_STATUS_IGNORE);

    return check_value(error, has_failed ? 0 : out[ITEMS - 1], rank);
}

static int file_iwrite_all(void)
{
    int error = MPI_File_iwrite_at_all(file, 0, memory, ITEMS, MPI_INT, request);

    return error ? error : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int file_begin(void)
{
    return MPI_File_read_at_all_begin(file, 0, out, ITEMS, MPI_INT);
}

static int file_end(void)
{
    return MPI_File_read_at_all_end(file, out, MPI_STATUS_IGNORE);
}

static int file_write_shared(void)
{
    return MPI_File_write_shared(file, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
}

static int file_write_ordered(void)
{
    return MPI_File_write_ordered(file, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
}

static int file_seek_shared(void)
{
    return MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
}

static int file_sync(void)
{
    return MPI_File_sync(file);
}

static int file_set_size(void)
{
    return MPI_File_set_size(file, ITEMS * 64 * (int)sizeof(int));
}

static int file_preallocate(void)
{
    return MPI_File_preallocate(file, ITEMS * 64 * (int)sizeof(int));
}

static int file_atomic(void)
{
    return MPI_File_set_atomicity(file, 1);
}

static int file_write(void)
{
    return MPI_File_write_at(file, 0, memory, ITEMS, MPI_INT, MPI_STATUS_IGNORE);
}

static int file_close(void)
{
    int error = MPI_File_close(&file);

    file = MPI_FILE_NULL;
    return error;
}

const struct step fence[] = {{"MPI_Win_allocate", win_allocate},
                             {"MPI_Win_fence", win_fence},
                             {"MPI_Put", win_put},
                             {"MPI_Win_fence", win_fence},
                             {"MPI_Get", win_get},
                             {"MPI_Win_fence", win_fence},
                             {"check", win_check},
                             {"MPI_Get", win_get_victim},
                             {"MPI_Accumulate", win_sum},
                             {"MPI_Win_fence", win_fence},
                             {"MPI_Win_free", win_free},
                             {NULL, NULL}};
const struct step locks[] = {{"MPI_Win_allocate", win_allocate},
                             {"MPI_Win_lock", lock_exclusive_first},
                             {"MPI_Accumulate", win_sum},
                             {"MPI_Win_unlock", unlock_first},
                             {"MPI_Win_lock", lock_shared_victim},
                             {"MPI_Get", win_get_victim},
                             {"MPI_Win_flush", flush_victim},
                             {"check", win_check_victim},
                             {"MPI_Win_unlock", unlock_victim},
                             {"MPI_Win_lock", lock_exclusive_victim},
                             {"MPI_Put", win_put_victim},
                             {"MPI_Accumulate", win_sum_victim},
                             {"MPI_Win_unlock", unlock_victim},
                             {"MPI_Win_free", win_free},
                             {NULL, NULL}};
const struct step everybody[] = {{"MPI_Win_create", win_create},
                                 {"MPI_Win_lock_all", lock_all},
                                 {"MPI_Get", win_get_victim},
                                 {"MPI_Win_flush", flush_victim},
                                 {"MPI_Fetch_and_op", win_fetch_narrow},
                                 {"MPI_Compare_and_swap", win_swap},
                                 {"MPI_Rget", win_rget},
                                 {"MPI_Accumulate", win_sum_victim},
                                 {"MPI_Win_flush_all", flush_all},
                                 {"MPI_Win_unlock_all", unlock_all},
                                 {"MPI_Win_lock", lock_exclusive_first},
                                 {"MPI_Win_unlock", unlock_first},
                                 {"MPI_Win_free", win_free},
                                 {NULL, NULL}};
const struct step partners[] = {{"MPI_Win_allocate_shared", win_shared},
                                {"MPI_Win_post", win_post},
                                {"MPI_Win_start", win_start},
                                {"MPI_Put", win_put_victim},
                                {"MPI_Get", win_get},
                                {"MPI_Win_complete", win_complete},
                                {"MPI_Win_wait", win_wait},
                                {"check", win_check},
                                {"MPI_Win_post", win_post},
                                {"MPI_Win_start", win_start},
                                {"MPI_Win_complete", win_complete},
                                {"MPI_Win_test", win_test},
                                {"MPI_Win_free", win_free},
                                {NULL, NULL}};
const struct step dynamic[] = {{"MPI_Win_create_dynamic", win_dynamic},
                               {"MPI_Win_attach", win_attach},
                               {"MPI_Win_lock_all", lock_all},
                               {"MPI_Get", win_get_victim},
                               {"MPI_Win_flush", flush_victim},
                               {"check", win_check_victim},
                               {"MPI_Accumulate", win_sum},
                               {"MPI_Win_unlock_all", unlock_all},
                               {"MPI_Win_fence", win_fence},
                               {"MPI_Win_detach", win_detach},
                               {"MPI_Win_free", win_free},
                               {NULL, NULL}};
const struct step files[] = {{"MPI_File_open", file_open},
                             {"MPI_File_set_view", file_view},
                             {"MPI_File_write_at_all", file_write_at_all},
                             {"MPI_File_sync", file_sync},
                             {"MPI_File_read_at_all", file_read_at_all},
                             {"MPI_File_iwrite_at_all", file_iwrite_all},
                             {"MPI_File_read_at_all_begin", file_begin},
                             {"MPI_File_read_at_all_end", file_end},
                             {"MPI_File_set_size", file_set_size},
                             {"MPI_File_preallocate", file_preallocate},
                             {"MPI_File_close", file_close},
                             {NULL, NULL}};
const struct step pointers[] = {{"MPI_File_open", file_open},
                                {"MPI_File_write_shared", file_write_shared},
                                {"MPI_File_write_ordered", file_write_ordered},
                                {"MPI_File_seek_shared", file_seek_shared},
                                {"MPI_File_set_atomicity", file_atomic},
                                {"MPI_File_write_at", file_write},
                                {"MPI_File_write_ordered", file_write_ordered},
                                {"MPI_File_close", file_close},
                                {NULL, NULL}};
