/* The place of a process that may run on some cores, in a pretended machine: each package has two caches of two cores, and is a
 * memory node; packages are numbered from 0, nodes from the
 * other end, caches in each package from 0. */
#include "boot/boot.h"
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CORES = 16
};

static cpu_set_t allowed;

__attribute__((visibility("default"))) int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    memset(set, 0, size);
    memcpy(set, &allowed, size < sizeof allowed ? size : sizeof allowed);
    return 0;
}

static int package_of(int core)
{
    return core / 4;
}

static int cache_of(int core)
{
    return core / 2 % 2;
}

static int node_of(int core)
{
    return CORES / 4 - 1 - package_of(core);
}

__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode)
{
    static char text[16];
    char name[64];
    int core;

    (void)mode;
    if (sscanf(path, "/sys/devices/system/cpu/cpu%d/%63s", &core, name) != 2 || core >= CORES)
        return NULL;
    if (strcmp(name, "topology/physical_package_id") == 0)
        snprintf(text, sizeof text, "%d\n", package_of(core));
    else if (strcmp(name, "cache/index3/id") == 0)
        snprintf(text, sizeof text, "%d\n", cache_of(core));
    else
        return NULL;
    return fmemopen(text, strlen(text), "r");
}

__attribute__((visibility("default"))) int access(const char *path, int mode)
{
    int core, node;

    (void)mode;
    errno = ENOENT;
    return sscanf(path, "/sys/devices/system/cpu/cpu%d/node%d", &core, &node) == 2 && core < CORES &&
                   node == node_of(core)
               ? 0
               : -1;
}

static void check_place(const char *cores, int package, int node, int cache)
{
    struct machine_place place;

    CPU_ZERO(&allowed);
    for (const char *c = cores; *c; c++)
        CPU_SET(*c <= '9' ? *c - '0' : *c - 'a' + 10, &allowed);
    place = machine_place_mine();
    assert_int_equal(place.part[MACHINE_PACKAGE], package);
    assert_int_equal(place.part[MACHINE_NODE], node);
    assert_int_equal(place.part[MACHINE_CACHE], cache);
}

static void one_core_lies_in_one_part(void **state)
{
    char core[2] = "0";

    (void)state;
    for (int i = 0; i < CORES; i++) {
        core[0] = "0123456789abcdef"[i];
        check_place(core, package_of(i), node_of(i), cache_of(i));
    }
}

/* What is not common to all cores, and all that is within it, is nothing that the process is confined to. */
static void several_have_in_common_what_holds_all(void **state)
{
    (void)state;
    check_place("23", 0, 3, 1);
    check_place("cd", 3, 0, 0);
    check_place("12", 0, 3, -1);
    check_place("cf", 3, 0, -1);
    check_place("4567", 1, 2, -1);
    check_place("04", -1, -1, -1);
    check_place("34", -1, -1, -1);
    check_place("0f", -1, -1, -1);
    check_place("0123456789abcdef", -1, -1, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_core_lies_in_one_part),
                                       cmocka_unit_test(several_have_in_common_what_holds_all)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
