#include "making/make.h"

#include "boot/host.h"

#include <errno.h>
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROOM_TO_READ = 16 << 20 /* more than the topology of a large machine needs */
};

const char *const hw_resource_level[HW_RESOURCE_LEVELS] = {
    "mpi_shared_memory", "hwloc://Package", "hwloc://NUMANode", "hwloc://L3Cache",
    "hwloc://L2Cache",   "hwloc://Core",    "hwloc://PU",
};

static const hwloc_obj_type_t level_type[HW_RESOURCE_LEVELS] = {
    HWLOC_OBJ_MACHINE, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L3CACHE,
    HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE,    HWLOC_OBJ_PU,
};

/* Reading the topology takes tens of milliseconds, so it happens on first use. The topology does not
 * change. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static hwloc_topology_t topology; /* NULL: hwloc cannot read it */

/* Where the system refuses to give the affinity, hwloc asks without end. EINVAL: more cores than in a
 * cpu_set_t. */
static bool may_ask_affinity(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 || errno == EINVAL;
}

/* hwloc crashes if memory runs out while it reads the topology or asks for the affinity. */
static bool hw_resource_has_room(void)
{
    void *volatile room = malloc(ROOM_TO_READ);

    free(room);
    return room != NULL;
}

static void hw_resource_load(void)
{
    hwloc_topology_t t;

    if (!may_ask_affinity() || !hw_resource_has_room() || hwloc_topology_init(&t))
        return;
    if (hwloc_topology_load(t))
        hwloc_topology_destroy(t);
    else
        topology = t;
}

/* The index of the only object of this type whose processors the process may run on; -1: there is not exactly
 * one. */
static int only_object(hwloc_obj_type_t type, hwloc_const_bitmap_t may_run_on)
{
    hwloc_obj_t o = NULL;
    int found = -1;

    while ((o = hwloc_get_next_obj_by_type(topology, type, o)) != NULL)
        if (hwloc_bitmap_intersects(o->cpuset, may_run_on)) {
            if (found >= 0)
                return -1;
            found = (int)o->logical_index;
        }
    return found;
}

static int hw_resource_find_place(hwloc_obj_type_t type)
{
    hwloc_bitmap_t may_run_on;
    int place = -1;

    pthread_once(&once, hw_resource_load);
    if (!topology)
        return -1;
    may_run_on = hw_resource_has_room() ? hwloc_bitmap_alloc() : NULL;
    if (may_run_on && hwloc_get_cpubind(topology, may_run_on, HWLOC_CPUBIND_PROCESS) == 0)
        place = only_object(type, may_run_on);
    hwloc_bitmap_free(may_run_on);
    return place;
}

int64_t hw_resource_place(int level)
{
    int64_t host = (int64_t)(host_mine() >> 17 << 16); /* the same number in all jobs of the host */
    int place = level == 0 ? 0 : hw_resource_find_place(level_type[level]);

    return place < 0 || place > UINT16_MAX ? -1 : host | place;
}

int hw_resource_find(const char *name)
{
    for (int i = 0; i < HW_RESOURCE_LEVELS; i++)
        if (strcmp(name, hw_resource_level[i]) == 0)
            return i;
    return -1;
}

int hw_resource_get_info(struct info **info)
{
    struct info *new;
    int error = info_new(&new);

    if (error)
        return error;
    pthread_once(&once, hw_resource_load);
    for (int i = 1; !error && topology && i < HW_RESOURCE_LEVELS; i++)
        if (hwloc_get_nbobjs_by_type(topology, level_type[i]) > 0)
            error = info_set(new, hw_resource_level[i], hw_resource_place(i) < 0 ? "false" : "true");
    if (error)
        info_unref(new);
    else
        *info = new;
    return error;
}
