/* What the machine and its control groups leave, by files that are invented. */
#include <stdio.h>

static FILE *open_invented(const char *path, const char *mode);
#define fopen open_invented
#include "memory/memory.c"
#undef fopen

#include "unit.h"

static struct file {
    const char *path, *text;
} files[8];

static FILE *open_invented(const char *path, const char *mode)
{
    (void)mode;
    for (size_t i = 0; i < sizeof files / sizeof *files && files[i].path; i++)
        if (strcmp(files[i].path, path) == 0)
            return fmemopen((void *)(uintptr_t)files[i].text, strlen(files[i].text), "r");
    return NULL;
}

/* Up to the one without a path. */
static void invent(const struct file *of)
{
    memset(files, 0, sizeof files);
    for (size_t i = 0; of[i].path; i++)
        files[i] = of[i];
}

#define INVENT(...) invent((struct file[]){__VA_ARGS__, {NULL, NULL}})

static const struct file machine = {"/proc/meminfo",
                                    "MemTotal: 9000 kB\nMemAvailable:    3000 kB\nSwapFree: 1000 kB\n"},
                         group = {"/proc/self/cgroup", "1:name=systemd:/\n0::/outer/inner\n"};

static void the_machine_leaves_memory_and_swap(void **state)
{
    (void)state;
    INVENT(machine);
    assert_int_equal(memory_available(), 4000 * 1024);
    INVENT({"/proc/meminfo", "MemTotal: 9000 kB\n"});
    assert_int_equal(memory_available(), UINT64_MAX);
}

static void the_own_group_has_a_limit(void **state)
{
    (void)state;
    INVENT(machine, group, {"/sys/fs/cgroup/outer/inner/memory.max", "5000\n"},
           {"/sys/fs/cgroup/outer/inner/memory.current", "1500\n"},
           {"/sys/fs/cgroup/outer/memory.max", "max\n"}, {"/sys/fs/cgroup/outer/memory.current", "1600\n"});
    assert_int_equal(memory_available(), 3500);
}

static void a_group_around_it_has_a_lower_one(void **state)
{
    (void)state;
    INVENT(machine, group, {"/sys/fs/cgroup/outer/inner/memory.max", "5000\n"},
           {"/sys/fs/cgroup/outer/inner/memory.current", "1500\n"},
           {"/sys/fs/cgroup/outer/memory.max", "6000\n"}, {"/sys/fs/cgroup/outer/memory.current", "5800\n"});
    assert_int_equal(memory_available(), 200);
}

/* In a container it is the root that has the limit. */
static void the_root_that_is_seen_has_a_limit(void **state)
{
    (void)state;
    INVENT(machine, group, {"/sys/fs/cgroup/memory.max", "5000\n"},
           {"/sys/fs/cgroup/memory.current", "7000\n"});
    assert_int_equal(memory_available(), 0);
}

static void first_version_of_groups(void **state)
{
    (void)state;
    INVENT(machine, {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "8000\n"},
           {"/sys/fs/cgroup/memory/memory.usage_in_bytes", "7000\n"});
    assert_int_equal(memory_available(), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_leaves_memory_and_swap),
        cmocka_unit_test(the_own_group_has_a_limit),
        cmocka_unit_test(a_group_around_it_has_a_lower_one),
        cmocka_unit_test(the_root_that_is_seen_has_a_limit),
        cmocka_unit_test(first_version_of_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
