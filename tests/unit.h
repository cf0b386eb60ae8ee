/* unit: cmocka as unit tests include it, without its fail(), which is the library's error note (plain/fail.h);
 * and what the code under test writes to standard error. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#undef fail

/* Runs `act` and returns what it wrote to standard error. */
static inline void hear_stderr(void (*act)(void), char *said, size_t size)
{
    int ends[2], saved = dup(STDERR_FILENO);
    ssize_t length;

    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    act();
    dup2(saved, STDERR_FILENO);
    close(saved);
    length = read(ends[0], said, size - 1);
    close(ends[0]);
    assert_true(length >= 0);
    said[length] = '\0';
}

#endif
