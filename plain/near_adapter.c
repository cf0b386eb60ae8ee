#include "plain/near_adapter.h"

#include "plain/cpu_list.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DEVICE_LINE_SIZE = 4096 /* of a list of cores */
};

/* The first line of a file of a device, which is of either class. */
static bool read_line_of(const char *sysfs, const char *name, const char *what, char line[DEVICE_LINE_SIZE])
{
    static const char *const classes[] = {"net", "infiniband"};
    bool is_read = false;

    for (int i = 0; i < 2 && !is_read; i++) {
        char path[320];
        FILE *file;

        snprintf(path, sizeof path, "%.160s/class/%s/%.64s/%s", sysfs, classes[i], name, what);
        file = fopen(path, "re");
        is_read = file && fgets(line, DEVICE_LINE_SIZE, file);
        if (file)
            fclose(file);
    }
    return is_read;
}

static bool list_meets(const char *list, const cpu_set_t *set)
{
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, set) && cpu_list_has(list, core))
            return true;
    return false;
}

bool near_adapter_is(const char *sysfs, const char *name)
{
    char list[DEVICE_LINE_SIZE];
    cpu_set_t own;

    if (sched_getaffinity(0, sizeof own, &own) || !read_line_of(sysfs, name, "device/local_cpulist", list) ||
        list[0] == '\n')
        return true;
    return list_meets(list, &own);
}

long near_adapter_speed(const char *sysfs, const char *name)
{
    char line[DEVICE_LINE_SIZE];
    long speed = read_line_of(sysfs, name, "speed", line) ? strtol(line, NULL, 10) : 0;

    return speed > 0 ? speed : 0;
}
