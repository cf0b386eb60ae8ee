/* level_zero: memory of Intel's GPUs, through the loader of Level Zero.
 *
 * Allocations belong to a context, and the program's context is unknown here. Drivers track allocations for
 * themselves and not for each context, so Inkling's own context finds the program's allocations too.
 *
 * Memory is exported as a file. The driver's handles are not meant to be sent, but it makes files from them,
 * and handles from files that another process has opened (kind_descriptor_import). */
#include "base/lock.h"
#include "memory/kind.h"
#include "plain/fail.h"
#include "plain/library.h"

#include <mpi.h>
#include <string.h>
#include <unistd.h>

/* Values of the binary interface. */
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

struct ze_ipc_handle {
    char bytes[64];
};

_Static_assert(sizeof(struct descriptor) <= sizeof((struct ipc_export){0}.handle),
               "a file fits into an export");

/* Functions that old loaders lack. */
static struct {
    bool is_there;
    int (*range)(void *context, const void *at, void **base, size_t *bytes);
    int (*get)(void *context, const void *at, struct ze_ipc_handle *handle);
    int (*file_of)(void *context, struct ze_ipc_handle handle, uint64_t *fd);
    int (*of_file)(void *context, uint64_t fd, struct ze_ipc_handle *handle);
    int (*open)(void *context, void *device, struct ze_ipc_handle handle, uint32_t flags, void **at);
    int (*close)(void *context, const void *at);
} ipc;

static const char *const libraries[] = {"libze_loader.so.1", "libze_loader.so", NULL};

static void *context, *device;
static void *list; /* guarded by lock: only one thread at a time may use a command list */
static struct lock lock = LOCK_INIT;

/* Takes the first device of any driver, with a context and a synchronous command list. */
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

static bool level_zero_load_ipc(void)
{
    static const struct library_function functions[] = {
        {&ipc.range, "zeMemGetAddressRange"},
        {&ipc.get, "zeMemGetIpcHandle"},
        {&ipc.file_of, "zeMemGetFileDescriptorFromIpcHandleExp"},
        {&ipc.of_file, "zeMemGetIpcHandleFromFileDescriptorExp"},
        {&ipc.open, "zeMemOpenIpcHandle"},
        {&ipc.close, "zeMemCloseIpcHandle"},
        {NULL, NULL},
    };

    return library_load(libraries, functions) == MPI_SUCCESS;
}

static int level_zero_open(void)
{
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
    int error = library_load(libraries, functions);

    if (error)
        return error;
    error = ze.init(INIT_GPU_ONLY);
    if (error != ZE_OK)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "libze_loader.so.1 does not start: error 0x%x",
                    (unsigned)error);
    if (!take_device())
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "libze_loader.so.1 knows no device that can be used");
    ipc.is_there = level_zero_load_ipc();
    return MPI_SUCCESS;
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

/* The driver keeps one file per allocation, as long as the allocation exists. */
static bool level_zero_export(const void *at, struct ipc_export *exported)
{
    struct allocation_properties found = {.stype = STYPE_ALLOCATION_PROPERTIES};
    struct ze_ipc_handle handle;
    struct descriptor file;
    void *owner = NULL, *base = NULL;
    size_t bytes = 0;
    uint64_t fd;

    if (!ipc.is_there || ze.properties(context, at, &found, &owner) != ZE_OK ||
        ipc.range(context, at, &base, &bytes) != ZE_OK || ipc.get(context, base, &handle) != ZE_OK ||
        ipc.file_of(context, handle, &fd) != ZE_OK || !kind_descriptor_export((int)fd, &file))
        return false;
    exported->id = found.id;
    exported->base = (uint64_t)(uintptr_t)base;
    exported->bytes = bytes;
    memcpy(exported->handle, &file, sizeof file);
    return true;
}

static void *level_zero_import(const struct ipc_export *exported, const void *beside)
{
    struct descriptor file;
    struct ze_ipc_handle handle;
    void *at = NULL;
    int fd;

    (void)beside;
    if (!ipc.is_there)
        return NULL;
    memcpy(&file, exported->handle, sizeof file);
    fd = kind_descriptor_import(&file);
    if (fd < 0)
        return NULL;
    if (ipc.of_file(context, (uint64_t)fd, &handle) != ZE_OK ||
        ipc.open(context, device, handle, 0, &at) != ZE_OK)
        at = NULL;
    close(fd);
    return at;
}

static void level_zero_ipc_close(void *at)
{
    ipc.close(context, at);
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
    .ipc_export = level_zero_export,
    .ipc_import = level_zero_import,
    .ipc_close = level_zero_ipc_close,
    .alloc = level_zero_alloc,
    .free = level_zero_free,
};
