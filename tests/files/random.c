/* Random accesses to a file, against an array of bytes that each rank keeps.
 *
 * A seed gives every rank the same plan. A round is one of: independent accesses of each rank, blocking and not;
 * a collective access, blocking, nonblocking or split; ordered ones; a race for the shared pointer; writes that
 * conflict, in atomic mode; a new view, size, info or handle. In it no two ranks touch the same bytes, but where
 * that has a defined outcome. After it every byte of the file, its size, the file pointers and all that was read
 * are what the model (model.h) says.
 *
 * FILES_SEED=N repeats a run, also as the first argument; ROUNDS=N, or the second one, is how many rounds.
 * FILES_IN is the folder (/dev/shm). FILES_TRACE=1 says what each round does. */
#include "calls.h"
#include "plan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_ROUNDS = 1500,
    CALLS = 8
};

static int rank, size, bytes_fd;
static MPI_File fh;
static char name[512];
static struct model model;
static struct plan plan;
static struct call calls[CALLS];
static MPI_Request requests[CALLS];
static uint64_t own_state;
static bool is_traced;

static int draw_own(int below)
{
    own_state = own_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((own_state >> 33) % (unsigned)below);
}

static void trace_views(void)
{
    fprintf(stderr, "    etype of %d bytes, extent %d, in the file %d and %d; base %lld%s%s%s\n",
            model.etype.bytes, model.etype.extent, model.etype.file_bytes, model.etype.file_extent,
            (long long)model.base, model.is_external ? ", external32" : "", model.is_common ? ", common" : "",
            model.is_atomic ? ", atomic" : "");
    for (int r = 0; r < size; r++) {
        const struct view *v = &model.view[r];

        fprintf(stderr, "    rank %d: %lld, then %d slots of [%d, %d):", r, (long long)v->begin, v->layout.n,
                v->layout.lb, v->layout.ub);
        for (int i = 0; i < v->layout.n && i < 30; i++)
            fprintf(stderr, " %d", v->layout.slot[i]);
        fprintf(stderr, "\n");
    }
}

static void trace(uint64_t round)
{
    static const char *const position[] = {"explicit", "individual", "shared"};
    static const char *const form[] = {"blocking", "nonblocking", "split"};

    if (!is_traced || rank)
        return;
    fprintf(stderr, "round %llu: %s; size %lld\n", (unsigned long long)round, plan_names[plan.kind],
            (long long)(model.base + model.end));
    for (int i = 0; i < plan.count; i++) {
        const struct access *a = &plan.access[i];

        fprintf(stderr, "    rank %d: %s %s %s%s: %d etypes from %lld on, memory %d\n", a->rank,
                form[a->form], position[a->position], a->is_write ? "write" : "read",
                a->is_collective ? ", collective" : "", a->count, (long long)a->offset, a->memory);
    }
}

/* The file's handle and view */

static MPI_Info random_info(void)
{
    static const char *const hints[][5] = {
        {"cb_buffer_size", "64", "1000", "4096", "16777216"},
        {"cb_block_size", "1", "512", "4096", "65536"},
        {"cb_nodes", "1", "2", "3", "100"},
        {"collective_buffering", "true", "false", "true", "false"},
        {"romio_cb_write", "enable", "disable", "automatic", "enable"},
        {"romio_cb_read", "enable", "disable", "automatic", "disable"},
        {"romio_ds_write", "enable", "disable", "automatic", "enable"},
        {"romio_ds_read", "enable", "disable", "automatic", "enable"},
        {"ind_rd_buffer_size", "4096", "5000", "9999", "1048576"},
        {"ind_wr_buffer_size", "4096", "5000", "9999", "1048576"},
        {"access_style", "sequential", "random", "read_once,write_once", "reverse_sequential"},
        {"striping_unit", "512", "4096", "65536", "1000"},
    };
    MPI_Info info;

    if (draw(3) == 0 || MPI_VERSION < 5) /* others crash with small buffers */
        return MPI_INFO_NULL;
    OK(MPI_Info_create(&info));
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (draw(3) == 0)
            OK(MPI_Info_set(info, hints[i][0], hints[i][1 + draw(4)]));
    return info;
}

static void drop_info(MPI_Info info)
{
    if (info != MPI_INFO_NULL)
        OK(MPI_Info_free(&info));
}

static void set_view(void)
{
    MPI_Info info = random_info();
    const struct view *v;

    plan_view(&model);
    v = &model.view[rank];
    if (is_traced && rank == 0)
        trace_views();
    OK(MPI_File_set_view(fh, model.base + v->begin, model.etype.type, v->layout.type,
                         model.is_external ? "external32" : "native", info));
    drop_info(info);
}

static void open_file(bool is_new)
{
    int mode = MPI_MODE_RDWR | (is_new ? MPI_MODE_CREATE | MPI_MODE_EXCL : draw(2) ? MPI_MODE_CREATE : 0);
    MPI_Info info = random_info();

    mode |= draw(4) == 0 ? MPI_MODE_UNIQUE_OPEN : 0;
    mode |= draw(4) == 0 ? MPI_MODE_APPEND : 0;
    OK(MPI_File_open(MPI_COMM_WORLD, name, mode, info, &fh));
    OK(MPI_File_set_errhandler(fh, MPI_ERRORS_ARE_FATAL));
    drop_info(info);
    model.is_atomic = false;
    plan_default_view(&model, mode & MPI_MODE_APPEND);
    if (model.base || draw(2))
        set_view();
}

static void choose_file(void)
{
    const char *folder = getenv("FILES_IN");
    long number = getpid();

    OK(MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    snprintf(name, sizeof name, "%s/random_file.%ld", folder ? folder : "/dev/shm", number);
}

static void begin_file(void)
{
    plan_file(&model, size);
    open_file(true);
    bytes_fd = open(name, O_RDONLY | O_CLOEXEC);
    CHECK(bytes_fd >= 0);
}

static void end_file(void)
{
    plan_free_view(&model);
    OK(MPI_File_close(&fh));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    close(bytes_fd);
    if (rank == 0)
        OK(MPI_File_delete(name, MPI_INFO_NULL));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* What is in it */

/* What all ranks have written is visible to all, and nobody goes on. */
static void settle(void)
{
    if (!model.is_atomic)
        OK(MPI_File_sync(fh));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (!model.is_atomic)
        OK(MPI_File_sync(fh));
}

static void load(unsigned char *bytes)
{
    ssize_t got;

    memset(bytes, 0, SPAN);
    got = pread(bytes_fd, bytes, SPAN, model.base);
    CHECK(got >= 0);
}

static void check_bytes(void)
{
    static unsigned char bytes[SPAN];
    struct stat st;

    CHECK_EQ(fstat(bytes_fd, &st), 0);
    CHECK_EQ(st.st_size, model.base + model.end);
    load(bytes);
    for (int i = 0; i < SPAN && MPI_VERSION < 5; i++) /* others leave anything in holes */
        if (model.file[i] == 0)
            model.file[i] = bytes[i];
    for (int i = 0; i < SPAN; i++)
        if (bytes[i] != model.file[i]) {
            fprintf(stderr, "byte %d after byte %lld of the file is %#x, not %#x\n", i, (long long)model.base,
                    bytes[i], model.file[i]);
            CHECK_EQ(bytes[i], model.file[i]);
        }
}

static void check_pointers(void)
{
    MPI_Offset offset, place;

    OK(MPI_File_get_position(fh, &offset));
    CHECK_EQ(offset, model.pointer[rank]);
    OK(MPI_File_get_byte_offset(fh, offset, &place));
    CHECK_EQ(place, model.base + model_place(&model, rank, offset));
    if (model.is_common) {
        OK(MPI_File_get_position_shared(fh, &offset));
        CHECK_EQ(offset, model.shared);
    }
    OK(MPI_File_get_size(fh, &offset));
    CHECK_EQ(offset, model.base + model.end);
}

/* Rounds */

static void complete(int count)
{
    int open = count, index, flag = 0;
    MPI_Status statuses[CALLS];

    for (int i = 0; i < count; i++)
        requests[i] = calls[i].request;
    while (open && draw_own(3)) {
        OK(MPI_Waitany(count, requests, &index, &statuses[0]));
        if (index == MPI_UNDEFINED)
            break;
        calls[index].status = statuses[0];
        calls[index].request = MPI_REQUEST_NULL;
        open--;
    }
    while (!flag)
        OK(MPI_Testall(count, requests, &flag, statuses));
    for (int i = 0; i < count; i++)
        if (calls[i].request != MPI_REQUEST_NULL) {
            calls[i].status = statuses[i];
            calls[i].request = MPI_REQUEST_NULL;
        }
}

/* This rank's part of the plan: what is split begins first and ends last. */
static void run_accesses(void)
{
    int count = 0, split = -1;

    for (int i = 0; i < plan.count; i++) {
        if (plan.access[i].rank != rank)
            continue;
        if (plan.access[i].form == SPLIT)
            split = count;
        CHECK(count < CALLS);
        call_begin(fh, &calls[count++], &model.etype, &plan.access[i]);
    }
    complete(count);
    for (int i = 0; i < count; i++)
        if (i != split)
            call_end(fh, &calls[i], &model.etype);
    if (split >= 0)
        call_end(fh, &calls[split], &model.etype);
}

/* All read by the shared pointer, equally much: each gets some part. */
static void run_race_read(struct access *a)
{
    int64_t first = a->offset;

    call_begin(fh, &calls[0], &model.etype, a);
    complete(1);
    for (int part = 0; part < size; part++) {
        free(a->data);
        a->offset = first + (int64_t)part * a->count;
        model_read(&model, a);
        if (buffer_holds(&calls[0].buffer, &model.etype, a))
            break;
    }
    call_end(fh, &calls[0], &model.etype);
}

static void run_race(void)
{
    static unsigned char bytes[SPAN];

    if (!plan.access[rank].is_write) {
        run_race_read(&plan.access[rank]);
        return;
    }
    run_accesses();
    settle();
    load(bytes);
    plan_race_written(&plan, &model, bytes);
}

static void run_conflict(void)
{
    static unsigned char bytes[SPAN];

    run_accesses();
    settle();
    load(bytes);
    plan_conflict_written(&plan, &model, bytes);
}

static void run_change(void)
{
    MPI_Info info;

    switch (plan.kind) {
    case VIEW:
        plan_free_view(&model);
        set_view();
        break;
    case SIZE:
        OK(MPI_File_set_size(fh, model.base + model.end));
        break;
    case PREALLOCATE:
        OK(MPI_File_preallocate(fh, model.base + plan.value));
        break;
    case ATOMICITY:
        OK(MPI_File_set_atomicity(fh, model.is_atomic));
        break;
    case SEEK:
        OK(MPI_File_seek(fh, plan.offset[rank], plan.whence[rank]));
        break;
    case SEEK_SHARED:
        OK(MPI_File_seek_shared(fh, plan.offset[0], plan.whence[0]));
        break;
    case INFO:
        info = random_info();
        OK(MPI_File_set_info(fh, info));
        drop_info(info);
        break;
    default:
        plan_free_view(&model);
        OK(MPI_File_close(&fh));
        open_file(false);
    }
}

static void play(uint64_t round)
{
    plan_round(&plan, &model);
    trace(round);
    if (plan.kind == RACE && plan.count)
        run_race();
    else if (plan.kind == CONFLICT)
        run_conflict();
    else if (plan.count)
        run_accesses();
    else if (plan.kind >= VIEW)
        run_change();
    settle();
    check_bytes();
    check_pointers();
    plan_free(&plan);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static uint64_t choose_seed(const char *wanted)
{
    uint64_t seed = wanted ? strtoull(wanted, NULL, 0) : (uint64_t)time(NULL) << 16 ^ (uint64_t)clock();

    OK(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    if (rank == 0)
        printf("FILES_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    layout_seed(seed);
    own_state = seed * 31 + (uint64_t)rank;
    return seed;
}

int main(int argc, char **argv)
{
    const char *given = argc > 1 ? argv[1] : getenv("FILES_SEED");
    const char *most = argc > 2 ? argv[2] : getenv("ROUNDS");
    uint64_t rounds = most ? strtoull(most, NULL, 0) : DEFAULT_ROUNDS;

    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size <= RANKS);
    is_traced = getenv("FILES_TRACE") != NULL;
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL));
    choose_seed(given);
    choose_file();
    begin_file();
    for (uint64_t round = 1; round <= rounds; round++) {
        if (round % 200 == 0) {
            end_file();
            begin_file();
        }
        play(round);
    }
    end_file();
    MPI_Finalize();
    return 0;
}
