/* A board is opened only where it is one: what lies under the same path on another host is left as it is. */
#include "insight/board/board.c"
#include "insight/board/finding_list.c"

#include "unit.h"

#include <stdlib.h>

static void write_head(int fd, uint64_t nonce)
{
    struct {
        uint64_t magic, nonce, bytes;
    } head = {BOARD_MAGIC, nonce, sizeof(struct board)};

    assert_int_equal(ftruncate(fd, (off_t)board_size), 0);
    assert_int_equal(pwrite(fd, &head, sizeof head, 0), sizeof head);
}

static void open_by(int fd, const char *nonce, bool is_one)
{
    char name[BOARD_NAME];
    struct board *b;

    snprintf(name, sizeof name, "/proc/%d/fd/%d %s", (int)getpid(), fd, nonce);
    b = board_open(name);
    assert_int_equal(b != NULL, is_one);
    if (b)
        munmap(b, board_size);
}

static void test_own(void **state)
{
    struct board *made, *opened;
    char name[BOARD_NAME];
    int fd = board_make(&made);

    (void)state;
    assert_true(fd >= 0);
    board_name(made, fd, name);
    opened = board_open(name);
    assert_non_null(opened);
    opened->table[3] = 7;
    assert_int_equal(made->table[3], 7);
    munmap(opened, board_size);
    munmap(made, board_size);
    close(fd);
}

static void test_others(void **state)
{
    char path[] = "/tmp/board_test_XXXXXX";
    int file = mkstemp(path), memory = memfd_create(BOARD_FILE, MFD_CLOEXEC),
        other = memfd_create("other", MFD_CLOEXEC), pipes[2];

    (void)state;
    unlink(path);
    assert_int_equal(pipe(pipes), 0);
    write_head(file, 0xabc);
    write_head(memory, 0xabc);
    write_head(other, 0xabc);
    open_by(memory, "abc", true);
    open_by(memory, "abd", false); /* the board of another job */
    open_by(memory, "", false);
    open_by(file, "abc", false);
    open_by(other, "abc", false);
    open_by(pipes[0], "abc", false);
    assert_int_equal(ftruncate(memory, (off_t)board_size - 1), 0);
    open_by(memory, "abc", false);
    assert_null(board_open("/proc/1/fd/999999 abc"));
    assert_null(board_open("inkling"));
    close(pipes[0]);
    close(pipes[1]);
    close(other);
    close(memory);
    close(file);
}

static struct finding_list first, second;

static void add(struct finding_list *list, const char *module, int rank, const char *text)
{
    struct finding f = {.class = FINDING_LEAK, .count = 1};

    f.where = (struct call_place){finding_list_module(list, module), 0x40};
    f.ranks[0] = UINT64_C(1) << rank;
    snprintf(f.text, sizeof f.text, text, f.where.module);
    finding_list_add(list, &f);
}

/* Modules have other numbers on the other board. */
static void test_merge(void **state)
{
    (void)state;
    add(&first, "/a", 0, "of a");
    add(&second, "/b", 1, "one at \1%u:40\2, and more");
    add(&second, "/a", 2, "of a");
    second.lost = 3;
    finding_list_leave_out(&second, UNCHECKED_WINDOWS);
    finding_list_merge(&first, &second, false);
    assert_int_equal(first.count, 2);
    assert_int_equal(first.finding[0].count, 2);
    assert_int_equal(first.finding[0].ranks[0], 5);
    assert_string_equal(first.finding[1].text, "one at \1" /* ends the escape */ "2:40\2, and more");
    assert_int_equal(first.finding[1].where.module, 2);
    assert_int_equal(first.lost, 3);
    assert_int_equal(first.unchecked, UNCHECKED_WINDOWS);
    finding_list_merge(&first, &second, true); /* those of another job are others */
    assert_int_equal(first.count, 4);
    assert_true(first.finding[2].is_spawned);
}

static void test_full(void **state)
{
    char name[32];

    (void)state;
    memset(&first, 0, sizeof first);
    for (int i = 0; i < LIST_FINDINGS + 5; i++) {
        struct finding f = {.class = FINDING_LEAK, .count = 1};

        snprintf(name, sizeof name, "finding %d", i);
        snprintf(f.text, sizeof f.text, "%s", name);
        finding_list_add(&first, &f);
    }
    assert_int_equal(first.count, LIST_FINDINGS);
    assert_int_equal(first.lost, 5);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_own), cmocka_unit_test(test_others),
                                              cmocka_unit_test(test_merge), cmocka_unit_test(test_full)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
