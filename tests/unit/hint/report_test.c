#include "hint/report.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_out; /* of memory, where no sanitizer has an allocator of its own */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum {
    CAN_BE_OUT = false
};
#else
enum {
    CAN_BE_OUT = true
};

#define SEEN_BY_ALL __attribute__((visibility("default"))) /* by the C library too: strdup calls malloc */

void *__libc_malloc(size_t size);
void *__libc_realloc(void *old, size_t size);

SEEN_BY_ALL void *realloc(void *old, size_t size)
{
    return is_out ? NULL : __libc_realloc(old, size);
}

SEEN_BY_ALL void *malloc(size_t size)
{
    return is_out ? NULL : __libc_malloc(size);
}
#endif

static const struct report_object it = {
    .kind = "communicator", .title = "it", .rank = 1, .size = 2, .is_final = true};

static int offer(struct hints *h, const char *key)
{
    return hint_offer(h, AT_SET, key, "1");
}

/* What a report on h says, for which memory may be out; *count as returned. The caller frees the text. */
static char *report_on(struct hints *h, bool without_memory, int *count)
{
    FILE *file = tmpfile();
    int keep = dup(STDERR_FILENO);
    char *text = calloc(1, 1 << 16);

    assert_non_null(file);
    assert_non_null(text);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    is_out = without_memory;
    *count = report_hints(&it, h, NULL, NULL);
    is_out = false;
    fflush(stderr);
    dup2(keep, STDERR_FILENO);
    close(keep);
    rewind(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) < (1 << 16) - 1);
    fclose(file);
    return text;
}

static int lines_of(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static struct hints *with_report(enum report_level level)
{
    static struct hints hints;

    hints_init(&hint_process, ON_PROCESS);
    hint_process.value[HINT_HINTS_REPORT] = level;
    hints_init(&hints, ON_COMM);
    return &hints;
}

static void strays_are_told_once(void **state)
{
    struct hints *h = with_report(REPORT_FIRST);
    char *text;
    int count;

    (void)state;
    offer(h, "stray");
    offer(h, "strayed"); /* neither is the other */
    offer(h, "stray");
    offer(h, "str");
    text = report_on(h, false, &count);
    assert_int_equal(count, 3);
    assert_string_equal(
        text, "inkling: hints: it of 2 ranks, rank 1: stray, ignored: no hint of this kind of object\n"
              "inkling: hints: it of 2 ranks, rank 1: strayed, ignored: no hint of this kind of object\n"
              "inkling: hints: it of 2 ranks, rank 1: str, ignored: no hint of this kind of object\n");
    free(text);
    hints_fini(h);
}

static void nothing_is_kept_without_a_report(void **state)
{
    struct hints *h = with_report(REPORT_OFF);

    (void)state;
    offer(h, "stray");
    assert_null(h->strays);
    assert_int_equal(h->strays_lost, 0);
    hints_fini(h);
}

static void strays_without_memory_are_counted(void **state)
{
    struct hints *h = with_report(REPORT_ALL);
    char *text;
    int count;

    (void)state;
    if (!CAN_BE_OUT)
        skip();
    offer(h, "first");
    is_out = true;
    offer(h, "second");
    offer(h, "third");
    offer(h, "first"); /* which is there */
    is_out = false;
    text = report_on(h, false, &count);
    assert_int_equal(count, 2);
    assert_string_equal(
        text, "inkling: hints: it of 2 ranks, rank 1: first, ignored: no hint of this kind of object\n"
              "inkling: hints: it of 2 ranks, rank 1: 2 offers of keys, ignored: no hints of this kind of "
              "object, and "
              "no room for their names\n");
    free(text);
    hints_fini(h);
    assert_int_equal(h->strays_lost, 0);
}

/* 4096 bytes: 63 keys of 64 with their newlines, and one of 62 that just fits. */
static void a_full_list_says_so(void **state)
{
    struct hints *h = with_report(REPORT_ALL);
    char key[80], *text;
    int count;

    (void)state;
    for (int i = 0; i < 63; i++) {
        snprintf(key, sizeof key, "k%062d", i);
        offer(h, key);
    }
    snprintf(key, sizeof key, "k%063d", 0); /* a byte more than there is room for */
    offer(h, key);
    assert_int_equal(h->strays_lost, 1);
    snprintf(key, sizeof key, "k%061d", 1);
    offer(h, key);
    assert_int_equal(h->strays_lost, 1);
    offer(h, "");
    assert_int_equal(h->strays_lost, 2);
    text = report_on(h, false, &count);
    assert_int_equal(count, 65);
    assert_int_equal(lines_of(text), 65);
    free(text);
    hints_fini(h);
}

static void what_is_lost_moves_with_the_hints(void **state)
{
    struct hints *h = with_report(REPORT_ALL), next;

    (void)state;
    if (!CAN_BE_OUT)
        skip();
    is_out = true;
    offer(h, "stray");
    is_out = false;
    assert_true(hints_copy(h, &next));
    assert_int_equal(next.strays_lost, 1);
    offer(&next, "kept");
    hints_move(h, &next);
    assert_string_equal(h->strays, "kept\n");
    assert_int_equal(h->strays_lost, 1);
    hints_fini(&next);
    hints_fini(h);
}

static void a_report_without_memory_is_a_line(void **state)
{
    struct hints *h = with_report(REPORT_ALL);
    char *text;
    int count;

    (void)state;
    if (!CAN_BE_OUT)
        skip();
    offer(h, "stray");
    text = report_on(h, true, &count);
    assert_int_equal(count, 1);
    assert_string_equal(text, "inkling: hints: it of 2 ranks, rank 1: no memory to tell of its hints\n");
    free(text);
    hints_fini(h);
}

static void keys_that_the_call_reads_are_not_told(void **state)
{
    struct hints h;

    (void)state;
    hints_init(&h, ON_COMM);
    hint_process.value[HINT_HINTS_REPORT] = REPORT_FIRST;
    offer(&h, "mpi_hw_resource_type");
    assert_null(h.strays);
    offer(&h, "somebody_elses_key");
    assert_non_null(h.strays);
    hints_fini(&h);
}

static void what_is_switched_off_is_not_told_as_on(void **state)
{
    struct hints h;
    char text[512];

    (void)state;
    hints_init(&h, ON_PROCESS);
    assert_int_equal(hint_offer(&h, AT_START, "inkling_cma", "false"), HINT_ACCEPTED);
    hint_explain(&h, HINT_CMA, NULL, text, sizeof text);
    assert_ptr_equal(strstr(text, "active: switched off; when it is on, large messages are read"), text);
    hints_fini(&h);
}

static char heard[2][REPORT_LINE_SIZE];
static int heard_count;

static bool listen(const char *kind, const char *line)
{
    assert_true(heard_count < 2);
    assert_string_equal(kind, "hint");
    snprintf(heard[heard_count++], sizeof heard[0], "%s", line);
    return true;
}

/* A listener hears of objects that live, without what they count; and at their end what a line is made of. */
static void a_listener_hears_the_fields(void **state)
{
    struct hints *h = with_report(REPORT_FIRST);
    struct report_object object = it;
    struct report_line line;
    char text[512];

    (void)state;
    heard_count = 0;
    report_set_listener(listen);
    assert_true(report_is_wanted(1));
    h->giver = "MPI_Comm_set_info";
    hint_offer(h, AT_SET, "mpi_assert_no_any_tag", "true");
    hint_count(h, COUNTED_ANY_TAG);
    object.title = "a\tname";
    object.is_final = false;
    assert_int_equal(report_hints(&object, h, NULL, NULL), 1);
    object.is_final = true;
    assert_int_equal(report_hints(&object, h, NULL, NULL), 1);
    report_set_listener(NULL);
    assert_false(report_is_wanted(1));
    assert_false(report_tell("hint", "nobody hears this"));
    assert_int_equal(heard_count, 2);
    assert_true(report_parse(heard[0], &line));
    assert_false(line.is_final);
    assert_string_equal(line.counted, "");
    assert_true(report_parse(heard[1], &line));
    assert_true(line.is_final && !line.is_each && line.rank == 1 && line.size == 2 && line.count[0] == 1);
    assert_string_equal(line.title, "a name");
    report_format(&line, text, sizeof text);
    assert_non_null(strstr(text, "mpi_assert_no_any_tag = \"true\", active: "));
    assert_non_null(
        strstr(text, "; given by MPI_Comm_set_info; proof: 1 receives or probes named MPI_ANY_TAG"));
    hints_fini(h);
}

static void a_line_needs_all_its_fields(void **state)
{
    char good[] = "0 1 ff 0 4 30 10 0\tfile\tdata\t\t\t\tread # bytes, % a time\t",
         few[] = "0 1 ff 0 4 3 2 1\tfile\tdata", words[] = "all of it\ta\tb\tc\td\te\tf\tg", text[128];
    struct report_line line;

    (void)state;
    assert_true(report_parse(good, &line));
    assert_null(line.value);
    assert_null(line.giver);
    report_format(&line, text, sizeof text);
    assert_string_equal(text, "read 30 bytes, 3 a time");
    assert_false(report_parse(few, &line));
    assert_false(report_parse(words, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_the_call_reads_are_not_told),
        cmocka_unit_test(what_is_switched_off_is_not_told_as_on),

        cmocka_unit_test(strays_are_told_once),
        cmocka_unit_test(nothing_is_kept_without_a_report),
        cmocka_unit_test(strays_without_memory_are_counted),
        cmocka_unit_test(a_full_list_says_so),
        cmocka_unit_test(what_is_lost_moves_with_the_hints),
        cmocka_unit_test(a_report_without_memory_is_a_line),
        cmocka_unit_test(a_listener_hears_the_fields),
        cmocka_unit_test(a_line_needs_all_its_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
