#include "plain/adapter.h"

#include "unit.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char sysfs[] = "/tmp/near_adapter-XXXXXX";

/* Writes a line of a device. */
static void put(const char *class, const char *device, const char *name, const char *line)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "mkdir -p %s/class/%s/%s/device", sysfs, class, device);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/class/%s/%s/%s", sysfs, class, device, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", line);
    fclose(file);
}

static int first_core(void)
{
    cpu_set_t own;
    int core = 0;

    assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
    while (!CPU_ISSET(core, &own))
        core++;
    return core;
}

static void cores_of_a_device_decide(void **state)
{
    static const char list[] = "device/local_cpulist";
    char text[64];
    int core = first_core();

    (void)state;
    put("net", "far0", list, "1000-1003,1010");
    snprintf(text, sizeof text, "1000-1003,%d-%d", core, core + 1);
    put("net", "near0", list, text);
    snprintf(text, sizeof text, "%d", core);
    put("infiniband", "near1", list, text);
    put("infiniband", "far1", list, "1020");
    put("net", "unknown0", list, "");
    put("net", "odd0", list, "cores");
    assert_false(adapter_is_near(sysfs, "far0"));
    assert_false(adapter_is_near(sysfs, "far1"));
    assert_false(adapter_is_near(sysfs, "odd0"));
    assert_true(adapter_is_near(sysfs, "near0"));
    assert_true(adapter_is_near(sysfs, "near1"));
    assert_true(adapter_is_near(sysfs, "unknown0"));
    assert_true(adapter_is_near(sysfs, "none0"));
}

static void speeds_are_read(void **state)
{
    (void)state;
    put("net", "near0", "speed", "10000");
    put("net", "down0", "speed", "-1");
    assert_int_equal(adapter_speed(sysfs, "near0"), 10000);
    assert_int_equal(adapter_speed(sysfs, "down0"), 0);
    assert_int_equal(adapter_speed(sysfs, "none0"), 0);
}

static int make_sysfs(void **state)
{
    (void)state;
    return mkdtemp(sysfs) ? 0 : -1;
}

static int remove_sysfs(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", sysfs);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cores_of_a_device_decide),
                                       cmocka_unit_test(speeds_are_read)};

    return cmocka_run_group_tests(tests, make_sysfs, remove_sysfs);
}
