/* level_zero: memory of Intel's GPUs, through the loader of Level Zero.
 *
 * Allocations belong to a context, and the program's is not ours. Drivers keep account of allocations for
 * themselves and not for each context, so a context of our own finds those of the program as well. */
#include "base/fail.h"
#include "base/library.h"
#include "base/lock.h"
#include "memory/kind.h"

#include <mpi.h>

/* As the binary interface has them. */
enum {
    ZE_OK = 0,
    INIT_GPU_ONLY = 1,
    STYPE_CONTEXT = 0xd,
    STYPE_QUEUE = 0xe,
    STYPE_DEVICE_ALLOC = 0x15,
    STYPE_ALLOCATION_PROPERTIES = 0x17,
    TYPE_DEVICE = 2,
    MODE_SYNCHRONOUS = 1,
    DRIVERS_MAX = 8
};

struct context_desc {
    int stype;
    const void *next;
    uint32_t flags;
};

struct queue_desc {
    int stype;
    const void *next;
    uint32_t ordinal, index, flags;
    int mode, priority;
};

struct device_alloc_desc {
    int stype;
    const void *next;
    uint32_t flags, ordinal;
};

struct allocation_properties {
    int stype;
    void *next;
    int type;
    uint64_t id, page_size;
};

static struct {
    int (*init)(uint32_t flags);
    int (*drivers)(uint32_t *count, void **driver);
    int (*devices)(void *driver, uint32_t *count, void **device);
    int (*new_context)(void *driver, const struct context_desc *desc, void **context);
    int (*properties)(void *context, const void *at, struct allocation_properties *properties, void **device);
    int (*new_list)(void *context, void *device, const struct queue_desc *desc, void **list);
    int (*append_copy)(void *list, void *to, const void *from, size_t bytes, void *signal, uint32_t waits,
                       void **wait);
    int (*alloc)(void *context, const struct device_alloc_desc *desc, size_t bytes, size_t alignment,
                 void *device, void **at);
    int (*free)(void *context, void *at);
} ze;

static void *context, *device;
static void *list; /* guarded by lock: a list of commands takes one thread at a time */
static struct lock lock = LOCK_INIT;

/* The first device of any driver, with a context and a list of commands that runs them at once. */
static bool take_device(void)
{
    void *driver[DRIVERS_MAX];
    uint32_t drivers = DRIVERS_MAX;
    struct context_desc context_desc = {.stype = STYPE_CONTEXT};
    struct queue_desc queue_desc = {.stype = STYPE_QUEUE, .mode = MODE_SYNCHRONOUS};

    if (ze.drivers(&drivers, driver) != ZE_OK)
        return false;
    for (uint32_t i = 0; i < drivers && i < DRIVERS_MAX; i++) {
        uint32_t devices = 1;

        if (ze.devices(driver[i], &devices, &device) == ZE_OK && devices > 0 &&
            ze.new_context(driver[i], &context_desc, &context) == ZE_OK)
            return ze.new_list(context, device, &queue_desc, &list) == ZE_OK;
    }
    return false;
}

static bool level_zero_open(void)
{
    static const char *const libraries[] = {"libze_loader.so.1", "libze_loader.so", NULL};
    static const struct library_function functions[] = {
        {&ze.init, "zeInit"},
        {&ze.drivers, "zeDriverGet"},
        {&ze.devices, "zeDeviceGet"},
        {&ze.new_context, "zeContextCreate"},
        {&ze.properties, "zeMemGetAllocProperties"},
        {&ze.new_list, "zeCommandListCreateImmediate"},
        {&ze.append_copy, "zeCommandListAppendMemoryCopy"},
        {&ze.alloc, "zeMemAllocDevice"},
        {&ze.free, "zeMemFree"},
        {NULL, NULL},
    };

    return library_load(libraries, functions) && ze.init(INIT_GPU_ONLY) == ZE_OK && take_device();
}

static bool level_zero_holds(const void *at)
{
    struct allocation_properties found = {.stype = STYPE_ALLOCATION_PROPERTIES};
    void *owner = NULL;

    return ze.properties(context, at, &found, &owner) == ZE_OK && found.type == TYPE_DEVICE;
}

static int level_zero_copy(void *to, const void *from, size_t bytes)
{
    int error;

    lock_always_take(&lock);
    error = ze.append_copy(list, to, from, bytes, NULL, 0, NULL);
    lock_always_release(&lock);
    return error == ZE_OK ? MPI_SUCCESS
                          : fail(MPI_ERR_OTHER, "Level Zero cannot copy %zu bytes from %p to %p: error 0x%x",
                                 bytes, from, to, (unsigned)error);
}

static void *level_zero_alloc(size_t bytes)
{
    struct device_alloc_desc desc = {.stype = STYPE_DEVICE_ALLOC};
    void *at = NULL;

    return ze.alloc(context, &desc, bytes, 64, device, &at) == ZE_OK ? at : NULL;
}

static void level_zero_free(void *at)
{
    ze.free(context, at);
}

const struct device level_zero_device = {
    .library = "libze_loader.so.1",
    .open = level_zero_open,
    .holds = level_zero_holds,
    .copy = level_zero_copy,
    .alloc = level_zero_alloc,
    .free = level_zero_free,
};
