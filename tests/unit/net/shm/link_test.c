/* Links to processes that have ended, and the segments of other jobs. */
#include "net/shm/link.h"

#include "plain/memfd.h"
#include "unit.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    ROOM = 1 << 16
};

static bool is_out; /* of memory, where no sanitizer has an allocator of its own */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum {
    CAN_BE_OUT = false
};
#else
enum {
    CAN_BE_OUT = true
};

void *__libc_calloc(size_t count, size_t size);

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return is_out ? NULL : __libc_calloc(count, size);
}
#endif

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) != -1;
}

/* Nothing can be sent there, mapped or read. It can be opened, closed and lost as often as one likes. */
static void nothing_goes_to_who_is_gone(void **state)
{
    char payload[STAGING_CHUNK_MIN] = "x";
    struct iovec piece = {payload, 1};
    struct link_remote *remote = NULL;
    struct link_lane lane;

    (void)state;
    assert_int_equal(link_remote_open_gone(&remote), MPI_SUCCESS);
    assert_non_null(remote);
    assert_true(remote->is_gone);
    for (int number = 0; number < 2; number++) {
        memset(&lane, 0xff, sizeof lane);
        assert_int_equal(link_open(remote, number, &lane), MPI_SUCCESS);
        assert_ptr_equal(lane.remote, remote);
        for (uint32_t length = 0; length <= sizeof payload; length += sizeof payload) {
            struct message m = {.length = length};

            assert_false(link_send(&lane, &m, payload));
        }
    }
    assert_null(link_remote_map(remote, 0, 1));
    assert_int_not_equal(link_remote_copy(remote, false, &piece, 1, &piece, 1), MPI_SUCCESS);
    link_close(&lane, 0);
    link_remote_close(remote);
    assert_int_equal(link_open(remote, 0, &lane), MPI_SUCCESS);
    link_lose(&lane);
    link_lose(&lane);
    assert_true(lane.remote->is_gone);
    free(remote);
}

static struct link_segment *enter(uint64_t job, int *fd)
{
    struct arena_plan plan = {.stride = ARENA_STRIDE,
                              .fd = memfd_open(ROOM),
                              .local_size = 1,
                              .staging_size = 1 << 20,
                              .ring_size = 4096};
    struct link_segment *segment = NULL;

    *fd = plan.fd;
    assert_true(plan.fd >= 0);
    assert_int_equal(link_segment_enter(job, &plan, &segment), MPI_SUCCESS);
    return segment;
}

static void come_and_go(struct link_segment *segment)
{
    struct link_remote *remote;

    assert_int_equal(link_remote_open(segment, 0, 0, &remote), MPI_SUCCESS);
    assert_false(remote->is_gone);
    assert_ptr_equal(remote->segment, segment);
    link_remote_close(remote);
    assert_true(remote->is_gone);
    link_remote_close(remote); /* once more, which does nothing */
    free(remote);
}

/* Who enters again is told of the same segment, and its descriptor is closed; the first's is closed with the
 * last remote. */
static void jobs_have_a_segment_each(void **state)
{
    int fd[4];
    struct link_segment *first = enter(11, &fd[0]), *second = enter(12, &fd[1]), *third = enter(13, &fd[2]);

    (void)state;
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(enter(12, &fd[3]), second);
    assert_false(is_open(fd[3]));
    assert_int_equal(second->remotes, 2);
    assert_int_equal(first->remotes, 1);
    assert_true(second->limits.message_max >= second->ring_max);
    come_and_go(second);
    assert_true(is_open(fd[1]));
    assert_int_equal(second->remotes, 1);
    come_and_go(second);
    assert_false(is_open(fd[1]));
    assert_true(is_open(fd[0]) && is_open(fd[2]));
    assert_ptr_equal(enter(11, &fd[3]), first); /* the others are still found */
    assert_ptr_equal(enter(13, &fd[3]), third);
    for (int i = 0; i < 2; i++) {
        come_and_go(first);
        come_and_go(third);
    }
    assert_false(is_open(fd[0]) || is_open(fd[2]));
}

/* The descriptor is closed all the same. */
static void no_memory_for_a_segment(void **state)
{
    struct arena_plan plan = {.stride = ARENA_STRIDE,
                              .fd = memfd_open(ROOM),
                              .local_size = 1,
                              .staging_size = 1 << 20,
                              .ring_size = 4096};
    struct link_segment *segment = NULL;
    int error;

    (void)state;
    if (!CAN_BE_OUT)
        skip();
    is_out = true;
    error = link_segment_enter(21, &plan, &segment);
    is_out = false;
    assert_int_equal(error, MPI_ERR_NO_MEM);
    assert_null(segment);
    assert_false(is_open(plan.fd));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_goes_to_who_is_gone),
        cmocka_unit_test(jobs_have_a_segment_each),
        cmocka_unit_test(no_memory_for_a_segment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
