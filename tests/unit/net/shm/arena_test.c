/* What a process and its peers map of an arena: the same bytes, and no two things in one place. */
#include "net/shm/arena.h"

#include "memory/heap.h"
#include "net/net.h"
#include "plain/fail.h"
#include "plain/memfd.h"
#include "unit.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOCAL = 3,
    RING = 1 << 14,
    SLOTS = LOCAL + 2 /* that are looked at: with guests */
};

static struct arena_plan plan = {.local_size = LOCAL, .ring_size = RING, .staging_size = 1 << 20};
static struct host_page *page;
static struct arena mine[LOCAL][NET_LANES];

static int open_all(void **state)
{
    (void)state;
    plan.fd = memfd_open(1 << 20);
    page = plan.fd < 0 ? NULL : host_page_open(plan.fd, LOCAL, &plan.stride);
    for (int rank = 0; page && rank < LOCAL; rank++)
        if (arena_open(&plan, 0, 1, rank, mine[rank]) ||
            arena_open(&plan, 1, NET_LANES - 1, rank, &mine[rank][1]))
            return -1;
    return page ? 0 : -1;
}

static int close_all(void **state)
{
    (void)state;
    for (int rank = 0; rank < LOCAL; rank++)
        for (int lane = 0; lane < NET_LANES; lane++)
            arena_close(&mine[rank][lane]);
    host_page_close(page);
    return close(plan.fd);
}

/* A number for each thing that is written. */
static unsigned char mark_of(int rank, int lane, int slot)
{
    return (unsigned char)(1 + (rank * NET_LANES + lane) * SLOTS + slot);
}

static void write_all(struct arena *a, int rank, int lane, int slot)
{
    unsigned char mark = mark_of(rank, lane, slot);

    memset(a->control, mark, sizeof *a->control);
    memset(a->rings, mark, RING);
    if (a->adverts)
        memset(a->adverts, mark, sizeof *a->adverts);
    a->lane->doorbell[slot] = mark;
    if (a->head)
        a->head->bell = mark_of(rank, 0, 0);
    if (a->staging)
        memset(a->staging, mark_of(rank, 0, 0), STAGING_MOST);
}

static bool is_filled(const void *at, unsigned char mark, size_t bytes)
{
    const unsigned char *byte = at;

    return byte[0] == mark && memcmp(byte, byte + 1, bytes - 1) == 0;
}

static void look_at(int rank, int lane, int slot)
{
    const struct arena *a = &mine[rank][lane];
    unsigned char mark = mark_of(rank, lane, slot);

    assert_true(is_filled(&a->control[slot], mark, sizeof *a->control));
    assert_int_equal(a->lane->doorbell[slot], mark);
    if (slot < LOCAL) {
        assert_true(is_filled(a->rings + (size_t)slot * RING, mark, RING));
        assert_true(is_filled(&a->adverts[slot], mark, sizeof *a->adverts));
    } else {
        void *ring = arena_map_guest(&plan, rank, slot);

        assert_non_null(ring);
        assert_true(is_filled(ring, mark, RING));
        arena_clear_guest(&plan, rank, a, slot, ring);
    }
    assert_int_equal(a->head != NULL, lane == 0);
    assert_int_equal(a->staging != NULL, lane == 0);
    if (lane == 0) {
        assert_int_equal(a->head->bell, mark_of(rank, 0, 0));
        assert_true(is_filled(a->staging, mark_of(rank, 0, 0), STAGING_MOST));
    }
}

static void do_all(void (*act)(int rank, int lane, int slot))
{
    for (int rank = 0; rank < LOCAL; rank++)
        for (int lane = 0; lane < NET_LANES; lane++)
            for (int slot = 0; slot < (lane ? LOCAL : SLOTS); slot++)
                act(rank, lane, slot);
}

static bool is_unmapped(const void *at)
{
    const uintptr_t bytes = (uintptr_t)sysconf(_SC_PAGESIZE);

    return msync((void *)((uintptr_t)at / bytes * bytes), 1, MS_ASYNC) < 0 && errno == ENOMEM;
}

static void write_as_a_peer(int rank, int lane, int slot)
{
    struct arena a, was;

    assert_int_equal(arena_connect(&plan, lane, rank, slot, &a), MPI_SUCCESS);
    assert_int_equal(a.adverts != NULL, slot < LOCAL);
    write_all(&a, rank, lane, slot);
    was = a;
    arena_close(&a);
    assert_null(a.map[0]);
    assert_true(is_unmapped(was.map[0]));
    assert_true(is_unmapped(was.rings));
}

/* A guest's slot is empty for the next one. */
static void look_at_cleared(int rank, int lane, int slot)
{
    struct arena a;

    if (slot < LOCAL)
        return;
    assert_true(is_filled(&mine[rank][lane].control[slot], 0, sizeof *a.control));
    assert_int_equal(arena_connect(&plan, lane, rank, slot, &a), MPI_SUCCESS);
    assert_true(is_filled(a.rings, 0, RING));
    arena_close(&a);
}

static void peers_write_where_owners_read(void **state)
{
    (void)state;
    do_all(write_as_a_peer);
    do_all(look_at);
    do_all(look_at_cleared);
    assert_int_equal(arena_slots(&plan, 0), LOCAL + ARENA_GUESTS);
    assert_int_equal(arena_slots(&plan, 1), LOCAL);
}

/* Heaps begin behind the last lane's last ring, and end where the next arena begins. */
static void heaps_are_apart(void **state)
{
    uint64_t size = arena_heap_size(&plan), place = arena_heap_place(&plan, 0);
    struct stat file;

    (void)state;
    assert_true(size > 0 && size % HEAP_PAGE == 0 && place % HEAP_PAGE == 0);
    assert_true(place >= (uint64_t)LOCAL * RING * NET_LANES + STAGING_MOST + (uint64_t)ARENA_GUESTS * RING);
    assert_true(place + size <= ARENA_STRIDE);
    assert_int_equal(arena_heap_place(&plan, 2), place + 2 * ARENA_STRIDE);
    assert_int_equal(fstat(plan.fd, &file), 0);
    assert_true((uint64_t)file.st_size >= LOCAL * ARENA_STRIDE + sizeof *page);
    assert_true(arena_has_lanes(&plan));
}

/* Rings so large that the lanes, or all of the arena, have no room for more. */
static void what_has_no_room(void **state)
{
    struct arena_plan wide = {.local_size = ARENA_LOCAL_MAX, .stride = ARENA_STRIDE, .ring_size = 4 << 20};

    (void)state;
    assert_false(arena_has_lanes(&wide));
    assert_int_equal(arena_heap_size(&wide), 0);
    wide.local_size = 1;
    assert_true(arena_has_lanes(&wide));
    assert_true(arena_heap_size(&wide) > 0);
}

static void the_first_settles_a_size(void **state)
{
    _Atomic uint64_t size = 0;

    (void)state;
    assert_int_equal(host_page_settle(&size, 5), 5);
    assert_int_equal(host_page_settle(&size, 6), 5);
    assert_int_equal(size, 5);
}

/* Whether a file is sized under these limits, and they are the same behind it. */
static bool is_sized(rlim_t soft, rlim_t hard)
{
    struct arena_plan size = {.local_size = 1, .ring_size = RING};
    struct rlimit limit = {soft, hard}, after;
    int status, fd = memfd_open(1 << 20);
    pid_t pid = fork();

    if (pid == 0) {
        struct host_page *made;

        setrlimit(RLIMIT_FSIZE, &limit);
        made = host_page_open(fd, 1, &size.stride);
        getrlimit(RLIMIT_FSIZE, &after);
        if (!made || arena_check_room(&size))
            _exit(strstr(fail_note(), "ulimit -f unlimited") ? 1 : 2);
        _exit(after.rlim_cur == soft && after.rlim_max == hard ? 0 : 3);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    close(fd);
    return WEXITSTATUS(status) == 0;
}

static void limits_on_files_are_lifted_for_a_moment(void **state)
{
    rlim_t needed = ARENA_STRIDE + (rlim_t)sysconf(_SC_PAGESIZE);

    (void)state;
    assert_true(is_sized(1 << 20, RLIM_INFINITY));
    assert_true(is_sized(1 << 20, needed));
    assert_true(is_sized(1 << 20, needed - 1));
    assert_true(is_sized(1 << 20, 256 << 20));
    assert_false(is_sized(1 << 20, 1 << 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_write_where_owners_read),
        cmocka_unit_test(heaps_are_apart),
        cmocka_unit_test(what_has_no_room),
        cmocka_unit_test(the_first_settles_a_size),
        cmocka_unit_test(limits_on_files_are_lifted_for_a_moment),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
