#include "plain/adapter.h"

#include "plain/cpu.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FABRIC_PATH_SIZE = 512
};

static int is_entry(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The first line of a file, "" if there is none. */
static void read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");

    if (!file || !fgets(line, size, file))
        line[0] = 0;
    line[strcspn(line, "\n")] = 0;
    if (file)
        fclose(file);
}

/* The driver of a device, or the device's name where sysfs does not tell it: older kernels name devices after drivers. */
static void name_driver(const char *folder, const char *name, char driver[FABRIC_PATH_SIZE])
{
    char path[FABRIC_PATH_SIZE];
    ssize_t length;
    const char *last;

    snprintf(path, sizeof path, "%s/%s/device/driver", folder, name);
    length = readlink(path, driver, FABRIC_PATH_SIZE - 1);
    driver[length < 0 ? 0 : length] = 0;
    last = strrchr(driver, '/');
    if (length < 0)
        snprintf(driver, FABRIC_PATH_SIZE, "%s", name);
    else if (last)
        memmove(driver, last + 1, strlen(last));
}

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Of a port of a device of the class infiniband, if it is in use. NULL: it is not. */
static const char *kind_of_port(const char *ports, const char *port)
{
    char path[FABRIC_PATH_SIZE], line[64];

    snprintf(path, sizeof path, "%.400s/%.64s/state", ports, port);
    read_line(path, line, sizeof line);
    if (!strstr(line, "ACTIVE"))
        return NULL;
    snprintf(path, sizeof path, "%.400s/%.64s/link_layer", ports, port);
    read_line(path, line, sizeof line);
    return strcmp(line, "Ethernet") == 0 ? "RoCE" : "InfiniBand";
}

static const char *kind_of_ports(const char *folder, const char *name)
{
    char ports[FABRIC_PATH_SIZE];
    const struct dirent *entry;
    const char *kind = NULL;
    DIR *list;

    snprintf(ports, sizeof ports, "%s/%s/ports", folder, name);
    list = opendir(ports);
    while (list && !kind && (entry = readdir(list)))
        if (is_entry(entry))
            kind = kind_of_port(ports, entry->d_name);
    if (list)
        closedir(list);
    return kind;
}

/* Software over Ethernet (rxe, siw) is no fabric. */
static bool describe_rdma(const char *folder, struct fabric_port *d)
{
    char driver[FABRIC_PATH_SIZE];

    name_driver(folder, d->name, driver);
    d->kind = kind_of_ports(folder, d->name);
    d->network = "ucx";
    if (!d->kind || begins_with(driver, "rxe") || begins_with(driver, "siw"))
        return false;
    if (begins_with(driver, "hfi1") || begins_with(driver, "efa")) {
        d->kind = driver[0] == 'h' ? "Omni-Path" : "EFA";
        d->network = "ofi";
    }
    return true;
}

static bool describe_slingshot(const char *folder, struct fabric_port *d)
{
    (void)folder;
    d->kind = "Slingshot";
    d->network = "ofi";
    return true;
}

static bool find_in_class(const char *sysfs, const char *class,
                          bool (*describe)(const char *folder, struct fabric_port *d),
                          struct fabric_port *device)
{
    char folder[FABRIC_PATH_SIZE / 2];
    struct dirent **entry;
    bool found = false;
    int count;

    snprintf(folder, sizeof folder, "%s/class/%s", sysfs, class);
    count = scandir(folder, &entry, is_entry, alphasort);
    for (int i = 0; i < count; i++) {
        if (!found) {
            snprintf(device->name, sizeof device->name, "%.63s", entry[i]->d_name);
            found = describe(folder, device);
        }
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return found;
}

bool adapter_find_fabric(const char *sysfs, struct fabric_port *device)
{
    return find_in_class(sysfs, "cxi", describe_slingshot, device) ||
           find_in_class(sysfs, "infiniband", describe_rdma, device);
}

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

bool adapter_is_near(const char *sysfs, const char *name)
{
    char list[DEVICE_LINE_SIZE];
    cpu_set_t own;

    if (sched_getaffinity(0, sizeof own, &own) || !read_line_of(sysfs, name, "device/local_cpulist", list) ||
        list[0] == '\n')
        return true;
    return list_meets(list, &own);
}

long adapter_speed(const char *sysfs, const char *name)
{
    char line[DEVICE_LINE_SIZE];
    long speed = read_line_of(sysfs, name, "speed", line) ? strtol(line, NULL, 10) : 0;

    return speed > 0 ? speed : 0;
}
