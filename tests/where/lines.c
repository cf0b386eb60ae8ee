/* The line of an instruction of Python, from tables of lines that are whole and that are cut. */
#include "cmd/where/script.h"
#include "unit.h"

#include <string.h>

enum {
    FIRST = 100,
    ENTRY = 0x80,
    MORE = 0x40, /* of a number: another byte follows */
    SHORT = 0,
    NEXT_LINE = 11,
    LONG = 14,
    NO_LINE = 15
};

bool traced_read(const struct traced *t, uint64_t address, void *to, size_t bytes)
{
    (void)t, (void)address, (void)to, (void)bytes;
    return false;
}

uint64_t traced_word(const struct traced *t, uint64_t address)
{
    (void)t, (void)address;
    return 0;
}

/* Of one unit of code, two bytes. */
static unsigned char entry(int kind)
{
    return (unsigned char)(ENTRY | kind << 3);
}

static void each_kind_of_entry(void **state)
{
    const unsigned char table[] = {entry(SHORT),
                                   0,
                                   entry(NEXT_LINE),
                                   0,
                                   0,
                                   entry(LONG),
                                   MORE | 2,
                                   1,
                                   0,
                                   entry(LONG),
                                   5,
                                   0,
                                   entry(NO_LINE),
                                   entry(SHORT),
                                   0};
    const int lines[] = {FIRST, FIRST + 1, FIRST + 34, FIRST + 32, 0, FIRST + 32, 0};
    static struct script_copy copy = {.first_line = FIRST, .line_bytes = sizeof table};

    (void)state;
    memcpy(copy.lines, table, sizeof table);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        copy.instruction = 2 * i + 1;
        assert_int_equal(script_line(&copy), lines[i]);
    }
}

/* What lies behind the table is not its. */
static void a_number_that_is_cut(void **state)
{
    static struct script_copy copy = {.first_line = FIRST, .line_bytes = 2};

    (void)state;
    copy.lines[0] = entry(LONG);
    copy.lines[1] = MORE | 2;
    copy.lines[2] = 1;
    assert_int_equal(script_line(&copy), FIRST + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind_of_entry),
                                       cmocka_unit_test(a_number_that_is_cut)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
