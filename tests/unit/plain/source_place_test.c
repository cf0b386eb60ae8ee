/* The lines of this program itself, and commands that answer otherwise than addr2line does: PATH leads to them. */
#include "plain/source_place.h"

#include "plain/clock.h"
#include "unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/source_place.XXXXXX", usual_path[4096];

/* Puts a command of this name into the folder, which alone is in PATH. */
static void plant(const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "#!/bin/sh\nPATH=%s\n%s\n", usual_path, text);
    fclose(out);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("PATH", folder, 1);
}

static int remove_planted(void **state)
{
    char path[PATH_MAX];

    (void)state;
    for (const char *const *name = (const char *const[]){"addr2line", "eu-addr2line", "number", NULL}; *name;
         name++) {
        snprintf(path, sizeof path, "%s/%s", folder, *name);
        unlink(path);
    }
    setenv("PATH", usual_path, 1);
    return 0;
}

/* What is found for some addresses, of which most_ms may pass for each. */
static bool ask(struct source_place *found, int count, int most_ms)
{
    struct source_place *place[8];
    uint64_t offset[8] = {0};

    for (int i = 0; i < count; i++) {
        found[i] = (struct source_place){.number = 0};
        place[i] = &found[i];
    }
    return source_place_find("/proc/self/exe", offset, place, count, most_ms);
}

static void own_line_is_found(void **state)
{
    struct source_place found = {.number = 0}, *place = &found;
    char exe[PATH_MAX] = "";
    uint64_t offset;
    Dl_info info;

    (void)state;
    if (system("addr2line --version >/dev/null 2>&1") && system("eu-addr2line --version >/dev/null 2>&1"))
        skip();
    assert_int_not_equal(dladdr((void *)(uintptr_t)own_line_is_found, &info), 0);
    assert_non_null(realpath("/proc/self/exe", exe));
    offset = (uint64_t)((uintptr_t)own_line_is_found - (uintptr_t)info.dli_fbase);
    assert_true(source_place_find(exe, &offset, &place, 1, SOURCE_PLACE_REPORT_MS));
    assert_string_equal(found.function, "own_line_is_found");
    assert_non_null(strstr(found.file, "plain/source_place_test.c"));
    assert_in_range(found.number, 60, 66);
}

static void answers_come_in_parts(void **state)
{
    struct source_place found[2];

    (void)state;
    plant("addr2line", "printf 'fir'; sleep 0.2; printf 'st\\n/a/b.c:1'; sleep 0.2; printf '2 (discriminator "
                       "3)\\n??\\n??:0\\n'");
    assert_true(ask(found, 2, 20000));
    assert_string_equal(found[0].function, "first");
    assert_string_equal(found[0].file, "/a/b.c");
    assert_int_equal(found[0].number, 12);
    assert_int_equal(found[1].number, 0);
    assert_string_equal(found[1].file, "");
}

static void long_lines_are_cut(void **state)
{
    struct source_place found[2];

    (void)state;
    plant("addr2line", "printf '%05000d\\n/a.c:1\\nsecond\\n/b.c:2\\n' 7");
    assert_true(ask(found, 2, 20000));
    assert_int_equal(strlen(found[0].function), sizeof found[0].function - 1);
    assert_int_equal(found[0].number, 1);
    assert_string_equal(found[1].function, "second");
    assert_int_equal(found[1].number, 2);
}

static void other_command_is_asked_where_one_fails(void **state)
{
    struct source_place found;

    (void)state;
    plant("addr2line", "exit 1");
    plant("eu-addr2line", "printf 'other\\n/o.c:5\\n'");
    assert_true(ask(&found, 1, 20000));
    assert_string_equal(found.function, "other");
    assert_int_equal(found.number, 5);
}

/* It is not waited for, nor left behind, and nobody else is asked. */
static void silent_command_is_killed(void **state)
{
    struct source_place found;
    char path[PATH_MAX], text[PATH_MAX + 64];
    uint64_t begin = clock_ns();
    int pid = 0;
    FILE *in;

    (void)state;
    snprintf(path, sizeof path, "%s/number", folder);
    snprintf(text, sizeof text, "echo $$ >%s; exec sleep 50", path);
    plant("addr2line", text);
    plant("eu-addr2line", "printf 'other\\n/o.c:5\\n'");
    assert_false(ask(&found, 1, 2000));
    assert_true(clock_ns() - begin < 20000000000);
    assert_int_equal(found.number, 0);
    in = fopen(path, "r");
    if (!in)
        skip(); /* the shell had no core for two seconds */
    assert_int_equal(fscanf(in, "%d", &pid), 1);
    fclose(in);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static void no_command_is_no_answer(void **state)
{
    struct source_place found;

    (void)state;
    setenv("PATH", folder, 1);
    assert_true(ask(&found, 1, 20000));
    assert_int_equal(found.number, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_line_is_found),
        cmocka_unit_test_teardown(answers_come_in_parts, remove_planted),
        cmocka_unit_test_teardown(long_lines_are_cut, remove_planted),
        cmocka_unit_test_teardown(other_command_is_asked_where_one_fails, remove_planted),
        cmocka_unit_test_teardown(silent_command_is_killed, remove_planted),
        cmocka_unit_test_teardown(no_command_is_no_answer, remove_planted),
    };
    int failed;

    snprintf(usual_path, sizeof usual_path, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    if (!mkdtemp(folder))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
