#include "memory/heap.h"
#include "memory/memory.h"

#include "plain/fail.h"
#include "unit.h"

#include <mpi.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE ((uint64_t)8 << 20)
#define SIZE  ((size_t)256 << 20)

static int fd;
static _Atomic uint64_t shown;

static int set_up(void **state)
{
    (void)state;
    fd = memfd_create("heap", MFD_CLOEXEC);
    assert_int_equal(ftruncate(fd, (off_t)(PLACE + SIZE)), 0);
    shown = 0;
    heap_open(fd, PLACE, SIZE, &shown);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    heap_close();
    close(fd);
    return 0;
}

static size_t pages_in_file(void)
{
    struct stat info;

    assert_int_equal(fstat(fd, &info), 0);
    return (size_t)info.st_blocks * 512;
}

static bool is_in_heap(const void *p)
{
    return shown && (uintptr_t)p - shown < SIZE;
}

static void *take(size_t bytes, size_t alignment)
{
    void *p = NULL;

    assert_int_equal(memory_alloc(bytes, alignment, &p), MPI_SUCCESS);
    assert_non_null(p);
    return p;
}

static void the_heap_is_shown_once_used(void **state)
{
    void *p;

    (void)state;
    assert_int_equal(shown, 0);
    p = take(100, 1);
    assert_true(is_in_heap(p));
    assert_true(heap_holds(p, 100));
    assert_false(heap_holds(p, SIZE) && heap_holds(p, SIZE_MAX));
    assert_false(heap_holds(&p, 1));
    assert_int_equal((uintptr_t)p % MEMORY_ALIGNMENT, 0);
    assert_int_equal(memory_free(p), MPI_SUCCESS);
}

static void small_blocks_share_a_page(void **state)
{
    char *p = take(100, 1), *q = take(100, 1);

    (void)state;
    assert_in_range(q > p ? q - p : p - q, 100, 1000);
    assert_int_equal(memory_free(p), MPI_SUCCESS);
    assert_int_equal(memory_free(q), MPI_SUCCESS);
}

/* Another process reads through the file. */
static void views_see_what_is_written(void **state)
{
    struct heap_view view = {.fd = fd, .place = PLACE, .size = SIZE};
    unsigned char *p = take(10 << 20, 1), *q = take(100, 1), *seen;

    (void)state;
    memset(p, 7, 10 << 20);
    q[99] = 9;
    seen = heap_view_at(&view, (uintptr_t)p - shown, 10 << 20);
    assert_non_null(seen);
    assert_ptr_not_equal(seen, p);
    assert_int_equal(seen[(10 << 20) - 1], 7);
    assert_int_equal(*(unsigned char *)heap_view_at(&view, (uintptr_t)q - shown + 99, 1), 9);
    assert_ptr_equal(heap_view_at(&view, (uintptr_t)p - shown, 1), seen); /* it does not move */
    assert_null(heap_view_at(&view, SIZE - 1, 2));
    assert_null(heap_view_at(&view, SIZE + 1, 0));
    assert_null(heap_view_at(&view, 1, SIZE_MAX));
    assert_int_equal(memory_free(p), MPI_SUCCESS);
    assert_int_equal(seen[0], 0); /* freed, and its pages returned, but no fault */
    assert_int_equal(memory_free(q), MPI_SUCCESS);
    heap_view_close(&view);
}

static void pages_come_and_go(void **state)
{
    size_t before = pages_in_file();
    void *p[8];

    (void)state;
    for (int i = 0; i < 8; i++)
        p[i] = take(8 << 20, 1);
    assert_true(pages_in_file() >= before + (64 << 20)); /* allocated before they are touched */
    for (int i = 0; i < 8; i++)
        assert_int_equal(memory_free(p[i]), MPI_SUCCESS);
    assert_true(pages_in_file() <= before + (2 << 20));
    for (int i = 0; i < 10000; i++) { /* small blocks as well, in the end */
        void *small = take(4000, 1);

        memset(small, 1, 4000);
        assert_int_equal(memory_free(small), MPI_SUCCESS);
    }
    assert_true(pages_in_file() <= before + (2 << 20));
}

static void what_the_heap_cannot_hold_is_plain(void **state)
{
    void *large = take(SIZE + 1, 1), *aligned = take(1, 4 << 20), *at_most = take(1, 2 << 20);

    (void)state;
    assert_false(is_in_heap(large));
    assert_false(is_in_heap(aligned));
    assert_true(is_in_heap(at_most));
    assert_int_equal((uintptr_t)aligned % (4 << 20), 0);
    assert_int_equal((uintptr_t)at_most % (2 << 20), 0);
    assert_int_equal(memory_free(large), MPI_SUCCESS);
    assert_int_equal(memory_free(aligned), MPI_SUCCESS);
    assert_int_equal(memory_free(at_most), MPI_SUCCESS);
}

/* What the machine does not have is refused before the kernel is asked, which may lend more than there is. */
static void too_much_is_an_error(void **state)
{
    void *p = &fd;

    (void)state;
    assert_int_equal(memory_alloc(SIZE_MAX, 1, &p), MPI_ERR_NO_MEM);
    assert_int_equal(memory_alloc((size_t)1 << 60, 1, &p), MPI_ERR_NO_MEM);
    assert_int_equal(memory_alloc(1, (size_t)1 << 62, &p), MPI_ERR_NO_MEM);
    if (memory_available() < UINT64_MAX / 2)
        assert_int_equal(memory_alloc((size_t)(memory_available() * 2), 1, &p), MPI_ERR_NO_MEM);
    if (memory_installed() < UINT64_MAX / 2) {
        assert_int_equal(memory_alloc((size_t)memory_installed(), 1, &p), MPI_ERR_NO_MEM);
        assert_non_null(strstr(fail_note(), " are more than the "));
    }
    assert_ptr_equal(p, &fd);
}

static void only_blocks_can_be_freed(void **state)
{
    char *p = take(100, 1), local;

    (void)state;
    assert_int_equal(memory_free(&local), MPI_ERR_BASE);
    assert_int_equal(memory_free(p + 1), MPI_ERR_BASE);
    assert_int_equal(memory_free(p + 64), MPI_ERR_BASE);
    assert_int_equal(memory_free(NULL), MPI_SUCCESS);
    assert_int_equal(memory_free(p), MPI_SUCCESS);
    assert_int_equal(memory_free(p), MPI_ERR_BASE);
}

static void blocks_outlive_the_heaps_closing(void **state)
{
    char *p = take(100, 1), *q;

    (void)state;
    p[99] = 5;
    heap_close();
    assert_int_equal(p[99], 5);
    q = take(100, 1);
    shown = 0;
    heap_open(fd, PLACE, SIZE, &shown);
    assert_true(is_in_heap(p));
    assert_int_equal(memory_free(p), MPI_SUCCESS);
    assert_int_equal(memory_free(q), MPI_SUCCESS);
}

static void without_a_file_memory_is_plain(void **state)
{
    void *p;

    (void)state;
    heap_close();
    p = take(5 << 20, 1);
    assert_false(heap_holds(p, 1));
    assert_int_equal((uintptr_t)p % HEAP_PAGE, 0); /* large pages fit */
    memset(p, 1, 5 << 20);
    assert_int_equal(shown, 0);
    assert_int_equal(memory_free(p), MPI_SUCCESS);
    heap_open(-1, 0, SIZE, &shown);
    p = take(100, 1);
    assert_int_equal(shown, 0);
    assert_int_equal(memory_free(p), MPI_SUCCESS);
}

static void there_is_room(void **state)
{
    (void)state;
    assert_true(memory_available() > 0);
    assert_true(memory_installed() >= memory_available() || memory_available() == UINT64_MAX);
}

/* Large blocks, too, and where there is no heap. */
static void blocks_are_aligned_as_asked(void **state)
{
    (void)state;
    for (int has_heap = 1; has_heap >= 0; has_heap--) {
        for (size_t alignment = 1; alignment <= (size_t)64 << 20; alignment *= 2) {
            void *small = take(100, alignment), *large = take((size_t)3 << 20, alignment);

            assert_int_equal((uintptr_t)small % alignment, 0);
            assert_int_equal((uintptr_t)large % alignment, 0);
            memory_free(small);
            memory_free(large);
        }
        if (has_heap)
            heap_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_heap_is_shown_once_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(small_blocks_share_a_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_are_aligned_as_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(views_see_what_is_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_come_and_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_the_heap_cannot_hold_is_plain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_much_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_blocks_can_be_freed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_outlive_the_heaps_closing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_file_memory_is_plain, set_up, tear_down),
        cmocka_unit_test(there_is_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
