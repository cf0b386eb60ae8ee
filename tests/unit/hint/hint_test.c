#include "hint/hint.h"

#include "hint/parse.h"
#include "hint/vote.h"

#include "plain/fail.h"
#include "plain/spelling.h"

#include "unit.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void complain(const char *text, const char *what)
{
    print_error("\"%s\": %s\n", text, what);
    assert_true(false);
}

/* Whether every element is well formed, and of a kind that is here. */
static bool is_supported(const char *kinds)
{
    char refused[1024];

    return !kinds_refused(kinds, -1, refused, sizeof refused);
}

static void kinds_supported(void **state)
{
    static const char *const good[] = {"",
                                       "  ",
                                       "system",
                                       "mpi",
                                       " system , mpi:alloc_mem ",
                                       "mpi:win_allocate",
                                       "mpi:win_allocate_shared:alloc_mem",
                                       "mpi,mpi:alloc_mem,mpi",
                                       "system,system"};
    static const char *const bad[] = {",",
                                      "system,",
                                      ",system",
                                      "system,,mpi",
                                      ":",
                                      "mpi:",
                                      "mpi::alloc_mem",
                                      "mpi: alloc_mem",
                                      "mpi :alloc_mem",
                                      "mpi:alloc_mem:",
                                      ":mpi",
                                      "MPI",
                                      "System",
                                      "mpi:Alloc_Mem",
                                      "m",
                                      "sys",
                                      "systemx",
                                      "mpix",
                                      "mpi:alloc",
                                      "mpi:host",
                                      "system:x",
                                      "cuda",
                                      "cuda:device",
                                      "foo",
                                      "system,foo",
                                      "mpi:alloc_mem:bogus",
                                      "mpi alloc_mem"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!is_supported(good[i]))
            complain(good[i], "was refused");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (is_supported(bad[i]))
            complain(bad[i], "was accepted");
}

static void provides(const char *requested, const char *expected)
{
    char buffer[1024];

    kinds_provide(requested, "mpi,system", buffer, sizeof buffer);
    assert_string_equal(buffer, expected);
}

static void kinds_provided(void **state)
{
    (void)state;
    provides("", "mpi,system");
    provides("system", "system,mpi");
    provides("foo,mpi:alloc_mem, cuda:device ,mpi:win_allocate:alloc_mem",
             "mpi:alloc_mem,mpi:win_allocate:alloc_mem,mpi,system");
    provides("mpi,mpi:alloc_mem,mpi", "mpi,mpi:alloc_mem,system");
    provides(",,:,mpi:,system", "system,mpi");
}

static void kinds_never_exceed_their_room(void **state)
{
    char requested[6000] = "", buffer[1024];
    struct hint_span element;
    const char *rest = buffer;

    (void)state;
    for (int i = 1; i < 60; i++) {
        strcat(requested, ",mpi");
        for (int j = 0; j < i; j++)
            strcat(requested, j % 2 ? ":win_allocate" : ":alloc_mem");
        if (strlen(requested) > sizeof requested - 1000)
            break;
    }
    kinds_provide(requested, "mpi,system", buffer, sizeof buffer);
    assert_true(strlen(buffer) < sizeof buffer && strlen(buffer) > 900);
    assert_non_null(strstr(buffer, ",mpi,system"));
    assert_true(is_supported(buffer));
    while (hint_list_next(&rest, &element))
        assert_true(element.length > 0);
}

/* How many rows must be the same on all ranks of an object of this kind. */
static int count_agreed(unsigned on)
{
    int count = 0;

    for (int id = 0; id < HINT_COUNT; id++)
        count += hint_table[id].agree == AGREE_SAME && hint_table[id].on & on;
    return count;
}

/* What every row must have, so that no code needs to check for it. */
static void rows_are_complete(void **state)
{
    (void)state;
    for (int id = 0; id < HINT_COUNT; id++) {
        const struct hint_row *row = &hint_table[id];
        bool is_text = row->type == HINT_KINDS || row->type == HINT_STRING;
        int64_t value;

        assert_non_null(row->key);
        assert_true(strlen(row->key) < MPI_MAX_INFO_KEY && row->on && row->when);
        assert_non_null(row->since);
        assert_non_null(row->effect);
        assert_non_null(row->text);
        assert_ptr_equal(hint_find(row->key), row);
        assert_int_equal(row->type == HINT_CHOICE || row->type == HINT_SET, row->choices != NULL);
        if (row->agree == AGREE_SAME && !(row->on & ON_PROCESS))
            assert_false(is_text); /* votes are numbers */
        if (row->state == EFFECT_NONE)
            assert_true(is_text && !row->def); /* it never has a value */
        if (!is_text)
            assert_true(row->def && parse_value(row, row->def, &value));
        if (row->on & (ON_PROCESS | ON_COMMAND))
            assert_true(strncmp(row->key, "inkling_", 8) == 0);
    }
    assert_in_range(count_agreed(ON_COMM), 1, 64 / VOTE_BITS);
    assert_in_range(count_agreed(ON_OPERATION), 1, 64 / VOTE_BITS);
    assert_int_equal(count_agreed(ON_WIN), VOTE_ROWS);
    assert_int_equal(count_agreed(ON_FILE), VOTE_ROWS);
    assert_int_equal(count_agreed(~(unsigned)(ON_COMM | ON_WIN | ON_FILE | ON_PROCESS | ON_OPERATION)),
                     0); /* nobody counts their votes yet */
}

static const char *legal_values(const struct hint_row *row)
{
    static char text[128];
    char min[32], max[32];

    switch (row->type) {
    case HINT_BOOL:
        return "true,false";
    case HINT_CHOICE:
        return row->choices;
    case HINT_SET:
        snprintf(text, sizeof text, "none,%s", row->choices);
        return text;
    case HINT_STRING:
        return row == &hint_table[HINT_RULES] ? "built-in" : "gcc,/usr/bin/cc -m64";
    case HINT_KINDS:
        return "mpi,system,mpi:alloc_mem";
    default:
        hint_format_value(row, row->min, min, sizeof min);
        hint_format_value(row, row->max, max, sizeof max);
        snprintf(text, sizeof text, "%s,%s,%s", min, max, row->def);
        return text;
    }
}

static const char *illegal_value(const struct hint_row *row)
{
    switch (row->type) {
    case HINT_STRING:
        return "  ";
    case HINT_KINDS:
        return "system,foo";
    default:
        return "maybe";
    }
}

static void offer_each(struct hints *h, int id)
{
    const struct hint_row *row = &hint_table[id];
    const char *rest = legal_values(row);
    struct hint_span element;
    char value[64], padded[80], now[64];

    while (hint_list_next(&rest, &element)) {
        snprintf(value, sizeof value, "%.*s", (int)element.length, element.start);
        snprintf(padded, sizeof padded, " %s\t", value);
        for (int twice = 0; twice < 2; twice++) {
            assert_int_equal(hint_offer(h, row->when, row->key, value), HINT_ACCEPTED);
            assert_true(hint_format(h, (enum hint_id)id, now, sizeof now));
            assert_string_equal(now, value);
        }
        assert_int_equal(hint_offer(h, row->when, row->key, padded), HINT_ACCEPTED);
        hint_format(h, (enum hint_id)id, now, sizeof now);
        assert_string_equal(now, row->type == HINT_KINDS ? padded : value);
        hint_offer(h, row->when, row->key, value);
        assert_true(hint_offer(h, row->when, row->key, illegal_value(row)) != HINT_ACCEPTED);
        hint_format(h, (enum hint_id)id, now, sizeof now);
        assert_string_equal(now, value);
    }
}

/* For every row: its default, each legal value, the value twice and trimmed, and an illegal value that
 * changes nothing. */
static void rows_take_their_values(void **state)
{
    (void)state;
    for (int id = 0; id < HINT_COUNT; id++) {
        const struct hint_row *row = &hint_table[id];
        struct hints h, other;
        char now[64];

        hints_init(&h, row->on);
        hints_init(&other, row->on);
        assert_int_equal(hint_format(&h, (enum hint_id)id, now, sizeof now), row->def != NULL);
        if (row->def)
            assert_string_equal(now, row->def);
        if (row->state == EFFECT_NONE)
            assert_int_equal(hint_offer(&h, AT_SET, row->key, "4"), HINT_USELESS);
        else if (row->when & READ_ONLY)
            assert_int_equal(hint_offer(&h, AT_SET, row->key, "mpi"), HINT_NOT_NOW);
        else
            offer_each(&h, id);
        assert_int_equal(hint_format(&other, (enum hint_id)id, now, sizeof now), row->def != NULL);
        if (row->def)
            assert_string_equal(now, row->def);
        hints_fini(&h);
        hints_fini(&other);
    }
}

static void a_key_changes_no_other(void **state)
{
    struct hints h;

    (void)state;
    hints_init(&h, ON_COMM);
    assert_int_equal(hint_offer(&h, AT_SET, "mpi_assert_no_any_tag", "true"), HINT_ACCEPTED);
    for (int id = 0; id <= HINT_STRICT_PERSISTENT_ORDERING; id++)
        assert_int_equal(hint_value(&h, (enum hint_id)id), id == HINT_NO_ANY_TAG);
    assert_int_equal(hint_offer(&h, AT_SET, "mpi_assert_no_any_tag", "false"), HINT_ACCEPTED);
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 0);
    hints_fini(&h);
}

static void unknown_keys_are_not_kept(void **state)
{
    struct hints h;

    (void)state;
    hints_init(&h, ON_COMM);
    assert_int_equal(hint_offer(&h, AT_SET, "my_key", "true"), HINT_UNKNOWN);
    assert_int_equal(hint_offer(&h, AT_SET, "", "true"), HINT_UNKNOWN);
    assert_int_equal(hint_offer(&h, AT_SET, "MPI_ASSERT_NO_ANY_TAG", "true"), HINT_UNKNOWN);
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_ring_size", "64K"), HINT_UNKNOWN);
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 0);
    hints_fini(&h);
}

static void format_is(struct hints *h, enum hint_id id, const char *expected)
{
    char now[MPI_MAX_INFO_VAL];

    assert_int_equal(hint_format(h, id, now, sizeof now), expected != NULL);
    if (expected)
        assert_string_equal(now, expected);
}

static void asserted_kinds_narrow(void **state)
{
    struct hints h;

    (void)state;
    hints_init(&h, ON_COMM);
    format_is(&h, HINT_ASSERT_MEMORY_KINDS, NULL);
    format_is(&h, HINT_MEMORY_KINDS, "mpi,system");
    hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", " mpi:alloc_mem,system , mpi:alloc_mem");
    format_is(&h, HINT_ASSERT_MEMORY_KINDS, " mpi:alloc_mem,system , mpi:alloc_mem");
    format_is(&h, HINT_MEMORY_KINDS, "mpi:alloc_mem,system");
    assert_int_equal(hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", "cuda,system"),
                     HINT_UNSUPPORTED_KIND);
    format_is(&h, HINT_MEMORY_KINDS, "mpi:alloc_mem,system");
    hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", "");
    format_is(&h, HINT_ASSERT_MEMORY_KINDS, "");
    format_is(&h, HINT_MEMORY_KINDS, "");
    hints_fini(&h);
    hints_init(&h, ON_COMM);
    h.keep_kinds = true;
    hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", "system");
    format_is(&h, HINT_ASSERT_MEMORY_KINDS, "system");
    format_is(&h, HINT_MEMORY_KINDS, "mpi,system");
    hints_fini(&h);
}

static void explains(struct hints *h, enum hint_id id, const char *start)
{
    char why[256];

    hint_explain(h, id, NULL, why, sizeof why);
    if (strncmp(why, start, strlen(start)))
        complain(why, start);
}

/* The defaults of windows (MPI-5.0 section 12.2.1; tests/hints/RULES.md, R40). */
static void windows_have_their_defaults(void **state)
{
    struct hints h;

    (void)state;
    hints_init(&h, ON_WIN);
    format_is(&h, HINT_NO_LOCKS, "false");
    format_is(&h, HINT_ACCUMULATE_ORDERING, "rar,raw,war,waw");
    assert_int_equal(hint_value(&h, HINT_ACCUMULATE_ORDERING), 15);
    format_is(&h, HINT_ACCUMULATE_OPS, "same_op_no_op");
    format_is(&h, HINT_ACCUMULATE_GRANULARITY, "0");
    format_is(&h, HINT_SAME_SIZE, "false");
    format_is(&h, HINT_SAME_DISP_UNIT, "false");
    format_is(&h, HINT_SHARED_NONCONTIG, "false");
    format_is(&h, HINT_MINIMUM_MEMORY_ALIGNMENT, "64");
    format_is(&h, HINT_ASSERT_MEMORY_KINDS, NULL);
    format_is(&h, HINT_MEMORY_KINDS, "mpi,system");
    format_is(&h, HINT_NO_ANY_TAG, NULL);
    hints_fini(&h);
}

/* What a window's mechanisms are built on is fixed when it is made. */
static void windows_keep_what_they_were_made_with(void **state)
{
    static const char *const fixed[] = {"same_size",
                                        "true",
                                        "same_disp_unit",
                                        "true",
                                        "alloc_shared_noncontig",
                                        "true",
                                        "mpi_accumulate_granularity",
                                        "8",
                                        "mpi_minimum_memory_alignment",
                                        "4096"};
    static const char *const later[] = {"no_locks", "true",           "accumulate_ordering",
                                        "none",     "accumulate_ops", "same_op"};
    struct hints h;

    (void)state;
    hints_init(&h, ON_WIN);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i += 2) {
        assert_int_equal(hint_offer(&h, AT_SET, fixed[i], fixed[i + 1]), HINT_NOT_NOW);
        assert_int_equal(hint_offer(&h, AT_CREATE, fixed[i], fixed[i + 1]), HINT_ACCEPTED);
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i += 2)
        assert_int_equal(hint_offer(&h, AT_SET, later[i], later[i + 1]), HINT_ACCEPTED);
    format_is(&h, HINT_ACCUMULATE_ORDERING, "none");
    format_is(&h, HINT_ACCUMULATE_OPS, "same_op");
    hints_fini(&h);
}

static void each_offer_is_explained(void **state)
{
    struct hints h;

    (void)state;
    hints_init(&h, ON_COMM);
    explains(&h, HINT_NO_ANY_TAG, "default");
    hint_offer(&h, AT_SET, "mpi_assert_exact_length", "true");
    explains(&h, HINT_EXACT_LENGTH,
             hint_table[HINT_EXACT_LENGTH].state == EFFECT_ACTIVE ? "active: " : "idle: ");
    hint_offer(&h, AT_SET, "mpi_assert_no_any_tag", "1");
    explains(&h, HINT_NO_ANY_TAG, "ignored: the value last offered is not legal");
    hint_offer(&h, AT_SET, "mpi_memory_alloc_kinds", "system");
    explains(&h, HINT_MEMORY_KINDS, "ignored: a program cannot set it");
    hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", "rocm");
    explains(&h, HINT_ASSERT_MEMORY_KINDS,
             "ignored: the list last offered has \"rocm\": it was not requested with");
    hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", "system, plastic:soft");
    explains(&h, HINT_ASSERT_MEMORY_KINDS,
             "ignored: the list last offered has \"plastic:soft\": there is no such kind of memory");
    hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", "mpi:none");
    explains(&h, HINT_ASSERT_MEMORY_KINDS,
             "ignored: the list last offered has \"mpi:none\": this kind has no such");
    hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", "mpi");
    hint_offer(&h, AT_SET, "mpi_assert_memory_alloc_kinds", "plastic");
    explains(&h, HINT_ASSERT_MEMORY_KINDS, "active: ");
    explains(&h, HINT_RING_SIZE, "ignored: no hint of this kind of object");
    hints_fini(&h);
}

/* A value in force is not called ignored because a later one was refused. */
static void what_is_in_force_is_not_ignored(void **state)
{
    struct hints h;
    char why[800];

    (void)state;
    hints_init(&h, ON_COMM);
    hint_offer(&h, AT_SET, "mpi_assert_no_any_tag", "true");
    hint_offer(&h, AT_SET, "mpi_assert_no_any_tag", "maybe");
    hint_explain(&h, HINT_NO_ANY_TAG, NULL, why, sizeof why);
    assert_ptr_equal(strstr(why, "active: "), why);
    assert_non_null(strstr(why, "; a later offer was ignored: the value last offered is not legal"));
    hint_explain(&h, HINT_NO_ANY_TAG, "one rank", why, sizeof why);
    assert_ptr_equal(strstr(why, "no effect: one rank; a later offer"), why);
    hint_offer(&h, AT_SET, "mpi_assert_no_any_tag", "false");
    explains(&h, HINT_NO_ANY_TAG, "default");
    hints_fini(&h);
}

static void what_is_kept_says_why(void **state)
{
    struct hints old, h;

    (void)state;
    hints_init(&old, ON_COMM);
    hint_offer(&old, AT_CREATE, "mpi_assert_no_any_tag", "true");
    assert_true(hints_copy(&old, &h));
    hint_offer(&h, AT_SET, "mpi_assert_no_any_tag", "false");
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 0);
    hint_keep(&h, &old, HINT_NO_ANY_TAG);
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 1);
    explains(&h, HINT_NO_ANY_TAG, "active: taking it back was ignored, since requests rely on it");
    hints_fini(&h);
    hints_fini(&old);
}

static void copies_are_moved_in(void **state)
{
    struct hints h, next;

    (void)state;
    hints_init(&h, ON_COMM);
    hint_offer(&h, AT_CREATE, "mpi_assert_memory_alloc_kinds", "mpi");
    assert_true(hints_copy(&h, &next));
    hint_offer(&next, AT_SET, "mpi_assert_memory_alloc_kinds", "system");
    hint_offer(&next, AT_SET, "mpi_assert_no_any_source", "true");
    format_is(&h, HINT_ASSERT_MEMORY_KINDS, "mpi");
    assert_int_equal(hint_value(&h, HINT_NO_ANY_SOURCE), 0);
    hints_move(&h, &next);
    hints_fini(&next);
    format_is(&h, HINT_ASSERT_MEMORY_KINDS, "system");
    assert_int_equal(hint_value(&h, HINT_NO_ANY_SOURCE), 1);
    hints_fini(&h);
}

static void nearest_key(const char *key, const char *expected)
{
    const struct hint_row *row = hint_nearest(key);

    if (expected)
        assert_non_null(row);
    else
        assert_null(row);
    if (expected)
        assert_string_equal(row->key, expected);
}

/* One slip, and another one for each six characters of what is meant. */
static void more_slips_than_that_are_another_word(void **state)
{
    int distance = -1;

    (void)state;
    assert_true(spelling_is_near("abxde", "abcde", &distance));
    assert_int_equal(distance, 1);
    assert_false(spelling_is_near("xbxde", "abcde", &distance));
    assert_true(spelling_is_near("xbxdef", "abcdef", &distance));
    assert_int_equal(distance, 2);
    assert_false(spelling_is_near("xbxdxf", "abcdef", &distance));
    assert_false(spelling_is_near("xxabcdef", "abcde", &distance));
    assert_false(spelling_is_near("xabcdefxx", "abcdef", &distance));
    assert_true(spelling_is_near("abc", "abcdef", &distance)); /* its first half */
    assert_false(spelling_is_near("ab", "abcdef", &distance));
}

static void slips_are_recognised(void **state)
{
    (void)state;
    assert_int_equal(spelling_distance("", "abc"), 3);
    assert_int_equal(spelling_distance("abc", "acb"), 1);
    assert_int_equal(spelling_distance("a-B", "A_b"), 0);
    assert_int_equal(spelling_distance("kitten", "sitting"), 3);
    nearest_key("mpi_assert_no_any_tags", "mpi_assert_no_any_tag");
    nearest_key("mpi_asert_exact_lenght", "mpi_assert_exact_length");
    nearest_key("no_any_source", "mpi_assert_no_any_source");
    nearest_key("MPI_ASSERT_ALLOW_OVERTAKING", "mpi_assert_allow_overtaking");
    nearest_key("INKLING_EAGER_LIMT", "inkling_eager_limit");
    nearest_key("no_locks", "no_locks");
    nearest_key("no_lock", "no_locks");
    nearest_key("same_sizes", "same_size");
    nearest_key("accumulate_order", "accumulate_ordering");
    nearest_key("accumulate_granularity", "mpi_accumulate_granularity");
    nearest_key("mpi_hw_resource_type", NULL);
    nearest_key("length", NULL);
    nearest_key("assert_no_any_tag", "mpi_assert_no_any_tag");
    nearest_key("", NULL);
    nearest_key("x", NULL);
}

/* What is reported of more than has an effect. */
static void capped_values(void **state)
{
    struct hints h;
    char value[32];

    (void)state;
    hints_init(&h, ON_COMM);
    assert_int_equal(hint_offer(&h, AT_CREATE, "inkling_ofi_eager_limit", "48K"), HINT_ACCEPTED);
    assert_int_equal(hint_effective(&h, HINT_OFI_EAGER_LIMIT), 48 << 10);
    hint_cap(HINT_OFI_EAGER_LIMIT, 32 << 10);
    assert_true(hint_format(&h, HINT_OFI_EAGER_LIMIT, value, sizeof value));
    assert_string_equal(value, "32K");
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_ofi_eager_limit", "5"), HINT_ACCEPTED);
    assert_int_equal(hint_effective(&h, HINT_OFI_EAGER_LIMIT), 5);
    hint_cap(HINT_OFI_EAGER_LIMIT, 16 << 10); /* another transport, which can do less */
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_ofi_eager_limit", "64K"), HINT_ACCEPTED);
    assert_int_equal(hint_effective(&h, HINT_OFI_EAGER_LIMIT), 32 << 10);
    hint_cap(HINT_OFI_EAGER_LIMIT, 64 << 10);
    assert_int_equal(hint_effective(&h, HINT_OFI_EAGER_LIMIT), 64 << 10);
    hints_fini(&h);
}

static void process_settings(void **state)
{
    (void)state;
    setenv("INKLING_JOB_WHATEVER", "internal", 1);
    setenv("INKLING_EAGER_LIMIT", " 64K ", 1);
    assert_int_equal(hint_process_init(), MPI_SUCCESS);
    assert_int_equal(hint_value(&hint_process, HINT_EAGER_LIMIT), 65536);
    assert_int_equal(hint_value(&hint_process, HINT_CMA), 1);

    setenv("INKLING_EAGER_LIMIT", "lots", 1);
    assert_int_equal(hint_process_init(), MPI_ERR_OTHER);
    assert_string_equal(fail_note(),
                        "INKLING_EAGER_LIMIT=lots is not legal; it takes a size like 4096, 64K, 2M "
                        "from 0 to 1M (default 4K)");
    unsetenv("INKLING_EAGER_LIMIT");

    setenv("INKLING_EAGER_LIMITS", "4K", 1);
    assert_int_equal(hint_process_init(), MPI_ERR_OTHER);
    assert_string_equal(fail_note(),
                        "INKLING_EAGER_LIMITS is no setting of Inkling; did you mean INKLING_EAGER_LIMIT?");
    unsetenv("INKLING_EAGER_LIMITS");

    setenv("INKLING_PIZZA", "4", 1);
    assert_int_equal(hint_process_init(), MPI_ERR_OTHER);
    assert_string_equal(fail_note(), "INKLING_PIZZA is no setting of Inkling; `inkling hints` lists them");
    unsetenv("INKLING_PIZZA");

    assert_int_equal(hint_process_set("INKLING_CC", "clang -m64"), MPI_SUCCESS);
    format_is(&hint_process, HINT_CC, "clang -m64");
    assert_int_equal(hint_process_set("INKLING_cc", "clang"), MPI_ERR_OTHER);
    assert_int_equal(hint_process_set("PATH", "/"), MPI_ERR_OTHER);
    assert_int_equal(hint_process_init(), MPI_SUCCESS);
}

static void offer_slips(void)
{
    struct hints h;

    hints_init(&h, ON_COMM);
    for (int i = 0; i < 3; i++) {
        hint_offer(&h, AT_SET, "mpi_assert_exact_lenghts", "true");
        hint_offer(&h, AT_SET, "ompi_something", "true");
    }
    hints_fini(&h);
}

static void slips_are_told_once(void **state)
{
    char said[1024];

    (void)state;
    hear_stderr(offer_slips, said, sizeof said);
    assert_string_equal(
        said,
        "inkling: warning: communicator: info key \"mpi_assert_exact_lenghts\" is not known and changes "
        "nothing; did you mean \"mpi_assert_exact_length\"?\n");
    hear_stderr(offer_slips, said, sizeof said);
    assert_string_equal(said, "");
}

/* Runs in a process of its own, because the kinds are fixed at the first look. */
static void kinds_when_asked_for(const char *requested, const char *expected)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        setenv("INKLING_JOB_MEMORY_KINDS", requested, 1);
        _exit(strcmp(hint_world_kinds(), expected) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void world_kinds_follow_the_launcher(void **state)
{
    (void)state;
    kinds_when_asked_for("mpi:alloc_mem,cuda,system", "mpi:alloc_mem,system,mpi");
    kinds_when_asked_for("", "mpi,system");
    assert_string_equal(hint_world_kinds(), "mpi,system");
    setenv("INKLING_JOB_MEMORY_KINDS", "system", 1);
    assert_string_equal(hint_world_kinds(), "mpi,system"); /* fixed for the life of the process */
    unsetenv("INKLING_JOB_MEMORY_KINDS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_kinds_follow_the_launcher),
        cmocka_unit_test(kinds_supported),
        cmocka_unit_test(kinds_provided),
        cmocka_unit_test(kinds_never_exceed_their_room),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(rows_take_their_values),
        cmocka_unit_test(a_key_changes_no_other),
        cmocka_unit_test(unknown_keys_are_not_kept),
        cmocka_unit_test(asserted_kinds_narrow),
        cmocka_unit_test(windows_have_their_defaults),
        cmocka_unit_test(windows_keep_what_they_were_made_with),
        cmocka_unit_test(each_offer_is_explained),
        cmocka_unit_test(what_is_in_force_is_not_ignored),
        cmocka_unit_test(what_is_kept_says_why),
        cmocka_unit_test(copies_are_moved_in),
        cmocka_unit_test(slips_are_recognised),
        cmocka_unit_test(more_slips_than_that_are_another_word),
        cmocka_unit_test(capped_values),
        cmocka_unit_test(process_settings),
        cmocka_unit_test(slips_are_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
