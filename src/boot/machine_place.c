#include "boot/boot.h"

#include "hint/hint.h"
#include "hint/warn.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum {
    CORES_MOST = 256, /* that are looked at: who may run on more is confined to nothing */
    NODES_MOST = 1024
};

/* The number in a file about a core; -1: there is none. */
static int machine_read_number(int core, const char *name)
{
    char path[96];
    FILE *file;
    int number = -1;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", core, name);
    file = fopen(path, "re");
    if (!file)
        return -1;
    if (fscanf(file, "%d", &number) != 1)
        number = -1;
    fclose(file);
    return number;
}

/* The memory node of a core, near `guess`. */
static int machine_find_node(int core, int guess)
{
    char path[96];

    for (int i = 0; i < NODES_MOST; i++) {
        int node = i == 0 && guess >= 0 ? guess : i;

        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d", core, node);
        if (access(path, F_OK) == 0)
            return node;
    }
    return -1;
}

static struct machine_place place_of_core(int core, int node_guess)
{
    return (struct machine_place){
        .part = {[MACHINE_PACKAGE] = (int16_t)machine_read_number(core, "topology/physical_package_id"),
                 [MACHINE_NODE] = (int16_t)machine_find_node(core, node_guess),
                 [MACHINE_CACHE] = (int16_t)machine_read_number(core, "cache/index3/id")}};
}

/* What two places have in common. */
static void narrow(struct machine_place *place, const struct machine_place *other)
{
    bool is_same = true;

    for (int level = 0; level < MACHINE_LEVELS; level++) {
        is_same = is_same && place->part[level] == other->part[level];
        if (!is_same)
            place->part[level] = -1;
    }
}

static const struct machine_place anywhere = {{-1, -1, -1}};

static struct machine_place real_place(void)
{
    struct machine_place place = anywhere;
    cpu_set_t set;
    bool is_first = true;

    if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) > CORES_MOST)
        return anywhere;
    for (int core = 0; core < CPU_SETSIZE && (is_first || place.part[0] >= 0); core++) {
        struct machine_place other;

        if (!CPU_ISSET(core, &set))
            continue;
        other = place_of_core(core, place.part[MACHINE_NODE]);
        if (is_first)
            place = other;
        else
            narrow(&place, &other);
        is_first = false;
    }
    return place;
}

struct machine_place machine_place_mine(void)
{
    const char *pretended = hint_text(&hint_process, HINT_TOPOLOGY);
    int packages, caches, cores, core;
    char more;

    if (!pretended || !*pretended)
        return real_place();
    if (sscanf(pretended, "%dx%dx%d%c", &packages, &caches, &cores, &more) != 3 || packages < 1 ||
        caches < 1 || cores < 1) {
        warn_of_key(&hint_process, hint_table[HINT_TOPOLOGY].key,
                    "inkling_topology=%s is not PACKAGESxCACHESxCORES, as 2x4x8; the real machine is taken",
                    pretended);
        return real_place();
    }
    core = boot.local_rank % (packages * caches * cores);
    return (struct machine_place){.part = {[MACHINE_PACKAGE] = (int16_t)(core / cores / caches),
                                           [MACHINE_NODE] = (int16_t)(core / cores / caches),
                                           [MACHINE_CACHE] = (int16_t)(core / cores)}};
}
