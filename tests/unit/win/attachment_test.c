/* What a rank shows of its attachments when it has no shared memory for more than those behind its control block. */
#define memory_alloc alloc_counted /* memory/memory.h declares them */
#define memory_free  free_counted

#include "unit.h"
#include "win/attachment.c"

static int blocks; /* of memory that is not shared */

int alloc_counted(size_t bytes, size_t alignment, void **block)
{
    (void)alignment;
    *block = malloc(bytes);
    blocks++;
    return MPI_SUCCESS;
}

int free_counted(void *block)
{
    free(block);
    blocks--;
    return MPI_SUCCESS;
}

static struct {
    struct win_control control;
    struct attachments_shown shown;
} shared;

static void what_cannot_be_shown_is_refused(void **state)
{
    static char memory[ATTACHMENTS_SHOWN + 1], *last = memory + ATTACHMENTS_SHOWN;
    struct win win = {.size = 1,
                      .flavor = MPI_WIN_FLAVOR_DYNAMIC,
                      .is_shared = true,
                      .control = &shared.control,
                      .controls = 1};

    (void)state;
    assert_int_equal(attachment_open(&win), MPI_SUCCESS);
    for (char *at = memory; at < last; at++)
        assert_int_equal(win_attach(&win, at, 1), MPI_SUCCESS);
    assert_int_equal(win_attach(&win, last, 1), MPI_ERR_NO_MEM);
    assert_int_equal(blocks, 0);
    assert_int_equal(shared.shown.count, ATTACHMENTS_SHOWN);
    assert_int_equal(win_detach(&win, memory), MPI_SUCCESS);
    assert_int_equal(win_attach(&win, last, 1), MPI_SUCCESS);
    attachment_close(&win);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_cannot_be_shown_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
