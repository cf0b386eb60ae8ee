/* Receives that rely on the order of messages are looked for where one thread makes calls, in jobs whose clocks tell. */
#include "insight/checks/message/overtaking_check.c"

#include "unit.h"

struct process process = {.rank = 0, .size = 2};

static bool is_of_threads;
static int findings;

bool thread_check_is_shared(void)
{
    return is_of_threads;
}

void order_start_all(void)
{
}

bool order_is_given_up(void)
{
    return false;
}

bool type_check_fits(const struct type_signature *sent, const struct type_signature *received,
                     bool is_message)
{
    (void)is_message;
    return sent->basic == received->basic;
}

bool type_check_is_tolerated(const struct type_signature *sent, const struct type_signature *received)
{
    (void)sent, (void)received;
    return false;
}

void type_check_describe(const struct type_signature *signature, char *text, size_t size)
{
    (void)signature;
    *text = (char)(size ? 0 : *text);
}

void finding_add(const struct finding_about *about, const char *format, ...)
{
    (void)about, (void)format;
    findings++;
}

struct call_place finding_place_late(void *address)
{
    (void)address;
    return (struct call_place){0};
}

struct known_place finding_known[1 << FINDING_PLACE_BITS], finding_last;

/* Two messages of rank 1 with other types, on one communicator and with one tag; how many findings there are. */
static int compare_two(void)
{
    const struct type_signature of_int = {.basic = 2}, of_double = {.basic = 3};
    struct comm_record comm = {.assertions = ASSERT_ALLOW_OVERTAKING, .fatal = MPI_ERRORS_ARE_FATAL};
    struct posted_receive first = {.comm = 1,
                                   .serial = 1,
                                   .record = &comm,
                                   .tag = 5,
                                   .got_tag = 5,
                                   .interval = 9},
                          second = first;

    second.serial = 2;
    first.signature = of_int;
    second.signature = of_double;
    findings = 0;
    receive_count = 0;
    overtaking_check_received(NULL, &first,
                              &(struct race_message){.from = 1, .tag = 5, .known = 1, .signature = &of_int});
    overtaking_check_received(
        NULL, &second, &(struct race_message){.from = 1, .tag = 5, .known = 1, .signature = &of_double});
    return findings;
}

static void test_one_thread(void **state)
{
    (void)state;
    assert_int_equal(compare_two(), 1);
}

static void test_several_threads(void **state)
{
    (void)state;
    is_of_threads = true;
    assert_int_equal(compare_two(), 0);
    is_of_threads = false;
}

static void test_many_ranks(void **state)
{
    (void)state;
    process.size = ORDER_RANKS;
    assert_int_equal(compare_two(), 1);
    process.size = ORDER_RANKS + 1;
    assert_int_equal(compare_two(), 0);
    process.size = 2;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_thread),
                                       cmocka_unit_test(test_several_threads),
                                       cmocka_unit_test(test_many_ranks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
