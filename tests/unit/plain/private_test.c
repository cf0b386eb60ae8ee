#include "plain/private.h"

#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BEYOND = 65536 /* the first number that is not in the table */
};

/* A child that lives until the other end of this pipe is closed. */
struct child {
    pid_t pid;
    int leash;
};

static struct child start_child(void)
{
    struct child child;
    int ends[2];
    char byte;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    child.pid = fork();
    if (child.pid == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
    }
    assert_true(child.pid > 0);
    close(ends[0]);
    child.leash = ends[1];
    return child;
}

static void end_child(struct child child)
{
    int status;

    close(child.leash);
    assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
    assert_int_equal(status, 0);
}

/* Whether nobody has the other end of this pipe open any more. */
static bool is_over(int fd)
{
    struct pollfd end = {.fd = fd};

    return poll(&end, 1, 0) == 1 && (end.revents & POLLHUP);
}

/* The same, with time for the child to get there. */
static bool is_over_soon(int fd)
{
    for (int i = 0; i < 10000 && !is_over(fd); i++)
        usleep(1000);
    return is_over(fd);
}

/* A child does not keep private descriptors, and keeps the others. */
static void test_children(void **state)
{
    int shared[2], secret[2];
    struct child child;

    (void)state;
    assert_int_equal(pipe2(shared, O_CLOEXEC), 0);
    assert_int_equal(pipe2(secret, O_CLOEXEC), 0);
    private_add(secret[1]);
    child = start_child();
    assert_false(is_over(secret[0]));
    private_close(secret[1]);
    close(shared[1]);
    assert_true(is_over_soon(secret[0]));
    assert_false(is_over(shared[0]));
    end_child(child);
    assert_true(is_over(shared[0]));
    close(shared[0]);
    close(secret[0]);
}

/* What a child has closed is not looked for in its own children, which have other descriptors of these numbers. */
static void test_grandchildren(void **state)
{
    int secret = dup(0), status;
    pid_t child;

    (void)state;
    private_add(secret);
    child = fork();
    if (child == 0) {
        pid_t grandchild = fork();

        if (grandchild == 0)
            _exit(fcntl(0, F_GETFD) < 0 ? 1 : 0);
        _exit(waitpid(grandchild, &status, 0) == grandchild && status == 0 ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    private_close(secret);
}

/* A closed descriptor's number, when reused, is not private. */
static void test_numbers(void **state)
{
    int ends[2], again[2];
    struct child child;

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    private_add(ends[1]);
    private_close(ends[1]);
    close(ends[0]);
    assert_int_equal(pipe2(again, O_CLOEXEC), 0);
    assert_int_equal(again[1], ends[1]);
    child = start_child();
    close(again[1]);
    assert_false(is_over(again[0]));
    end_child(child);
    assert_true(is_over(again[0]));
    close(again[0]);
}

/* The first descriptor, and those of several words of the table. */
static void test_all_numbers(void **state)
{
    int kept = dup(0);

    (void)state;
    for (int number = 0; number <= 195; number += 65) {
        struct child child;
        int ends[2];

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(dup3(ends[1], number, O_CLOEXEC), number);
        close(ends[1]);
        private_add(number);
        child = start_child();
        private_close(number);
        assert_true(is_over_soon(ends[0]));
        end_child(child);
        close(ends[0]);
    }
    assert_int_equal(dup2(kept, 0), 0);
    close(kept);
}

/* None is not taken for one of the table's. */
static void test_none(void **state)
{
    struct child child;
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(dup3(ends[1], 63, O_CLOEXEC), 63); /* -1 as an index of bits */
    close(ends[1]);
    private_add(-1);
    child = start_child();
    private_close(-1);
    close(63);
    assert_false(is_over(ends[0])); /* the child has it */
    end_child(child);
    assert_true(is_over(ends[0]));
    close(ends[0]);
}

/* One that the table has no place for is inherited, and closed all the same. */
static void test_beyond(void **state)
{
    struct rlimit limit, more = {BEYOND + 1, BEYOND + 1};
    struct child child;
    int ends[2];

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < more.rlim_cur && setrlimit(RLIMIT_NOFILE, &more) < 0)
        skip(); /* here no descriptor has such a number */
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(dup3(ends[1], BEYOND, O_CLOEXEC), BEYOND);
    close(ends[1]);
    private_add(BEYOND);
    child = start_child();
    private_close(BEYOND);
    assert_false(is_over(ends[0]));
    end_child(child);
    assert_true(is_over(ends[0]));
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_children), cmocka_unit_test(test_grandchildren),
        cmocka_unit_test(test_numbers),  cmocka_unit_test(test_all_numbers),
        cmocka_unit_test(test_none),     cmocka_unit_test(test_beyond),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
