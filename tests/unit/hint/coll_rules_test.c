/* coll_rules: what a file of rules may say, and what is said of one that is wrong. What they choose: coll/choice_test.c. */
#include "hint/coll_rules.h"

#include "plain/fail.h"
#include "unit.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[64];

static const char *named(const char *text)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return path;
}

static void good_files_are_read(void **state)
{
    struct hints h;
    const struct rules *rules;

    (void)state;
    hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
    hints_init(&h, ON_COMM);
    assert_int_equal(
        hint_offer(&h, AT_CREATE, "inkling_rules",
                   named("{\"inkling_rules\": 1, \"machine\": \"m\", \"date\": \"d\", \"model\": {\"a\": 1},"
                         " \"settings\": {\"inkling_eager_limit\": \"8K\"}, \"rules\": ["
                         "{\"collective\": \"bcast\", \"algorithm\": \"tree\", \"bytes\": [1, null]},"
                         "{\"collective\": \"scan\", \"algorithm\": \"mailbox\", \"ranks\": [2, 3], "
                         "\"hosts\": [1, 1]}]}")),
        HINT_ACCEPTED);
    rules = coll_rules_of(&h);
    assert_non_null(rules);
    assert_int_equal(rules->count, 2);
    assert_string_equal(rules->machine, "m");
    assert_int_equal(rules->rule[0].collective, HINT_BCAST - HINT_BARRIER);
    assert_true(rules->rule[0].from_bytes == 1 && rules->rule[0].to_bytes == SIZE_MAX &&
                rules->rule[0].to_ranks == INT_MAX);
    assert_true(rules->rule[1].algorithm == 0 && rules->rule[1].to_ranks == 3 &&
                rules->rule[1].to_hosts == 1);
    assert_int_equal(rules->settings, 1);
    assert_true(coll_rules_digest(&h) != 0 && coll_rules_digest(&hint_process) == 0);
    assert_int_equal(coll_rules_read(path), coll_rules_read(path)); /* kept once */
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_rules", "built-in"), HINT_NOT_NOW);
    assert_int_equal(hint_offer(&h, AT_CREATE, "inkling_rules", "built-in"), HINT_ACCEPTED);
    assert_null(coll_rules_of(&h));
    hints_fini(&h);
    hints_fini(&hint_process);
}

static void refuse(const char *text, const char *note)
{
    char whole[FAIL_NOTE_SIZE];

    assert_int_equal(coll_rules_read(named(text)), 0);
    snprintf(whole, sizeof whole, "%s:%s", path, note);
    assert_string_equal(fail_note(), whole);
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    refuse("[]", "1:1: this is no file of rules; it begins with {\"inkling_rules\": 1");
    refuse("{\"inkling_rules\": 1}", "1:1: the file has no array \"rules\"; write \"rules\": []");
    refuse("{\"inkling_rules\": 1, \"ruels\": []}", "1:23: the file has \"ruels\"; it takes machine, date, "
                                                    "note, model, settings and rules: remove or rename it");
    refuse("{\"inkling_rules\": 1, \"rules\": [{\"algorithm\": \"tree\"}]}",
           "1:32: the rule has no \"collective\"; add one");
    refuse("{\"inkling_rules\": 1, \"rules\": [\n{\"collective\": \"bcat\"}]}",
           "2:3: \"collective\" is \"bcat\"; write one of barrier, bcast, reduce, allreduce, allgather, "
           "alltoall, "
           "reduce_scatter, gather, scatter, scan");
    refuse("{\"inkling_rules\": 1, \"rules\": [{\"collective\": \"bcast\", \"algorithm\": \"tree\", "
           "\"bytes\": 7}]}",
           "1:78: \"bytes\" is 7; write [FROM, TO], with null for a TO without bound");
    refuse("{\"inkling_rules\": 1, \"rules\": [{\"collective\": \"bcast\", \"algorithm\": \"tree\", "
           "\"ranks\": [7, 2]}]}",
           "1:90: \"ranks\" ends with 2; write a whole number of at least 7, or null");
    refuse("{\"inkling_rules\": 1, \"rules\": [{\"collective\": \"bcast\", \"algorithm\": \"tree\", "
           "\"ranks\": [-1, 2]}]}",
           "1:87: \"ranks\" begins with -1; write a whole number from 0 on");
    refuse("{\"inkling_rules\": 1, \"rules\": [{\"collective\": \"bcast\", \"algorithm\": \"tree\", "
           "\"byte\": [7, 8]}]}",
           "1:78: a rule has \"byte\"; it takes collective, algorithm, bytes, ranks and hosts: remove or "
           "rename it");
    refuse("{\"inkling_rules\": 1, \"settings\": {\"inkling_eager_limit\": 8}, \"rules\": []}",
           "1:36: \"inkling_eager_limit\" is 8; write a size like 4096, 64K, 2M from 0 to 1M, in quotes");
    refuse("{\"inkling_rules\": 1, \"settings\": {\"inkling_cma\": \"true\"}, \"rules\": []}",
           "1:36: \"settings\" has \"inkling_cma\"; it takes inkling_eager_limit, inkling_joint_limit, "
           "inkling_ofi_eager_limit and inkling_network: remove it");
    assert_int_equal(coll_rules_read("/"), 0);
}

static bool is_mapped(size_t bytes)
{
    size_t before = mallinfo2().hblks;
    void *block = malloc(bytes);
    bool is_more = mallinfo2().hblks > before;

    assert_non_null(block);
    memset(block, 1, bytes); /* or the compiler leaves it out */
    assert_int_equal(*(volatile char *)block, 1);
    free(block);
    return is_more;
}

/* A block that is freed raises the threshold to its own size, so the second question is about a larger one. */
static void large_blocks_stay_mapped(void **state)
{
    (void)state;
    if (!is_mapped(256 << 10))
        skip(); /* a malloc that is not glibc's */
    assert_true(coll_rules_read(named("{\"inkling_rules\": 1, \"rules\": []}")) > 0);
    assert_true(is_mapped(1 << 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_blocks_stay_mapped),
        cmocka_unit_test(good_files_are_read),
        cmocka_unit_test(bad_files_are_refused),
    };
    int failed, file;

    snprintf(path, sizeof path, "/tmp/inkling-rules-XXXXXX");
    file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
