#include "insight/observe/observe.h"

#include "insight/board/process_record.h"
#include "insight/objects/comm_record.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void name_of_rank(int rank, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s/profile.%d", getenv("INKLING_JOB_ADVISE"), rank);
}

/* What its sites have counted is all of it. */
static void observe_close_sites(struct profile *p)
{
    for (uint32_t i = 0; i < p->sites; i++)
        p->site[i].longest = p->site[i].shortest = p->site[i].time;
}

static bool may_lose_ranks(void)
{
    int *value, flag = 0;

    return process_is_inkling() && !real.Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &flag) && flag &&
           *value;
}

static struct profile *map_profile(const char *path, int flags)
{
    int fd = open(path, flags | O_RDWR | O_CLOEXEC, 0666);
    struct profile *p = MAP_FAILED;

    if (fd >= 0 && (!(flags & O_CREAT) || !ftruncate(fd, PROFILE_BYTES)))
        p = mmap(NULL, PROFILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return p == MAP_FAILED ? NULL : p;
}

struct profile *observe_kept_make(void)
{
    char path[PATH_MAX];

    observe.is_kept = may_lose_ranks();
    if (!observe.is_kept)
        return calloc(1, sizeof(struct profile));
    mkdir(getenv("INKLING_JOB_ADVISE"), 0777);
    name_of_rank(observe.rank, path);
    return map_profile(path, O_CREAT | O_TRUNC);
}

static void observe_kept_free(struct profile *p)
{
    if (observe.is_kept && p)
        munmap(p, PROFILE_BYTES);
    else
        free(p);
}

static void observe_kept_take(void)
{
    char path[PATH_MAX];

    name_of_rank(observe.rank, path);
    if (observe.is_kept)
        unlink(path);
}

/* Adds those of the dead. */
static void observe_kept_merge(struct profile *all)
{
    for (int rank = 0; observe.is_kept && rank < observe.size; rank++) {
        char path[PATH_MAX];
        struct stat info;
        struct profile *dead;

        name_of_rank(rank, path);
        dead = stat(path, &info) || info.st_size != PROFILE_BYTES ? NULL : map_profile(path, 0);
        unlink(path);
        if (dead && strcmp(dead->magic, all->magic) == 0) {
            observe_close_sites(dead);
            profile_merge(all, dead);
        }
        if (dead)
            munmap(dead, PROFILE_BYTES);
    }
}

enum {
    TAG_PROFILE = 1
};

/* MPI_T of the library below, which has no PMPI_ names. */
static void *find_tool(const char *name)
{
    void *library = dlopen("libmpi_abi.so.1", RTLD_LAZY | RTLD_NOLOAD), *function = dlsym(RTLD_NEXT, name);

    if (!function && library)
        function = dlsym(library, name);
    if (library)
        dlclose(library);
    return function;
}

struct tool {
    __typeof__(MPI_T_init_thread) *init;
    __typeof__(MPI_T_finalize) *finalize;
    __typeof__(MPI_T_pvar_get_index) *index;
    __typeof__(MPI_T_pvar_session_create) *create;
    __typeof__(MPI_T_pvar_session_free) *free;
    __typeof__(MPI_T_pvar_handle_alloc) *alloc;
    __typeof__(MPI_T_pvar_read) *read;
    __typeof__(MPI_T_pvar_start) *start;
};

/* The variable of the longest queue, watched from MPI_Init to MPI_Finalize. */
static struct {
    bool is_open, is_started;
    struct tool tool;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
} queue;

static bool find_functions(struct tool *t)
{
    static const char *const names[] = {"MPI_T_init_thread",       "MPI_T_finalize",
                                        "MPI_T_pvar_get_index",    "MPI_T_pvar_session_create",
                                        "MPI_T_pvar_session_free", "MPI_T_pvar_handle_alloc",
                                        "MPI_T_pvar_read",         "MPI_T_pvar_start"};
    void *function[sizeof names / sizeof *names];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        function[i] = find_tool(names[i]);
        if (!function[i])
            return false;
    }
    memcpy(t, function, sizeof function);
    return true;
}

void observe_queue(void)
{
    struct tool *t = &queue.tool;
    int level, index, count = 0;

    if (!find_functions(t) || t->init(MPI_THREAD_SINGLE, &level))
        return;
    if (t->index("inkling_unexpected_queue", MPI_T_PVAR_CLASS_HIGHWATERMARK, &index) ||
        t->create(&queue.session)) {
        t->finalize();
        return;
    }
    queue.is_open = true;
    queue.is_started = !t->alloc(queue.session, index, NULL, &queue.handle, &count) && count == 1 &&
                       !t->start(queue.session, queue.handle);
}

/* The longest queue of messages that waited for their receive, if the library counts it. */
static bool read_queue(uint64_t *longest)
{
    uint64_t value[8] = {0};
    bool is_read = queue.is_started && queue.tool.read(queue.session, queue.handle, value) == MPI_SUCCESS;

    if (queue.is_open) {
        queue.tool.free(&queue.session);
        queue.tool.finalize();
    }
    *longest = value[0];
    return is_read;
}

/* Each rank receives the profiles of the ranks below it in a binomial tree, and sends the sum up. */
static bool merge_tree(struct profile *mine)
{
    struct profile *other = malloc(sizeof *other);
    bool is_whole = comm_quiet_agree(observe.comm, other && mine);
    int rank, size;

    real.Comm_rank(observe.comm, &rank);
    real.Comm_size(observe.comm, &size);
    for (int step = 1; is_whole && step < size; step *= 2) {
        if (rank & step) {
            real.Send(mine, (int)sizeof *mine, MPI_BYTE, rank - step, TAG_PROFILE, observe.comm);
            break;
        }
        if (rank + step < size && !real.Recv(other, (int)sizeof *other, MPI_BYTE, rank + step, TAG_PROFILE,
                                             observe.comm, MPI_STATUS_IGNORE)) /* else it has died since */
            profile_merge(mine, other);
    }
    free(other);
    return is_whole;
}

static void write_profile(const struct profile *p)
{
    const char *folder = getenv("INKLING_JOB_ADVISE");
    char path[PATH_MAX];
    FILE *out;

    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%.4000s/profile", folder);
    out = fopen(path, "w");
    if (!out || fwrite(p, sizeof *p, 1, out) != 1)
        fprintf(stderr, "inkling advise: cannot write %s: %s\n", path, strerror(errno));
    if (out)
        fclose(out);
}

/* Those that live. The same on all of them. */
static void shrink(void)
{
    MPI_Errhandler handler = comm_quiet_begin(MPI_COMM_WORLD);

    if (real.X_Comm_shrink(MPI_COMM_WORLD, &observe.comm))
        real.Comm_dup(MPI_COMM_SELF, &observe.comm);
    comm_quiet_end(MPI_COMM_WORLD, handler);
    real.Comm_set_errhandler(observe.comm, MPI_ERRORS_RETURN);
}

void observe_end(void)
{
    struct profile *p = observe.profile;
    bool is_whole, is_first;
    int rank;

    observe.is_on = false;
    if (observe.is_kept)
        shrink();
    observe_kept_take();
    observe_close_sites(p);
    p->knows_unexpected = read_queue(&p->lane[profile_lane_of(observe.rank, observe.size)].unexpected);
    is_whole = merge_tree(p);
    real.Comm_rank(observe.comm, &rank);
    is_first = rank == 0;
    if (is_first && is_whole)
        observe_kept_merge(p);
    if (is_first && is_whole)
        write_profile(p);
    else if (is_first)
        fprintf(stderr,
                "inkling advise: a rank had no memory for its profile (%d bytes): nothing is advised\n",
                PROFILE_BYTES);
    real.Comm_free(&observe.comm);
    observe_kept_free(p);
    observe.profile = NULL;
}
