/* rocm: memory of AMD's ROCm, through HIP's runtime library. */
#include "memory/kind.h"
#include "plain/fail.h"
#include "plain/library.h"

#include <mpi.h>
#include <string.h>

enum {
    HIP_OK = 0,
    COPY_BY_ADDRESS = 4,
    ATTRIBUTE_BUFFER_ID = 7,
    LAZY_PEER_ACCESS = 1
};

struct rocm_ipc_handle {
    char bytes[64];
};

_Static_assert(sizeof(struct rocm_ipc_handle) == sizeof((struct ipc_export){0}.handle),
               "a handle fits into an export");

/* What HIP says of a pointer. The numbers of the types differ between its versions. In all of them memory of
 * the device has no address on the host. */
struct attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    int is_managed;
    unsigned flags;
    uint64_t later[8]; /* for what newer versions add */
};

static struct {
    int (*init)(unsigned flags);
    int (*device_count)(int *count);
    int (*pointer_attributes)(struct attributes *attributes, const void *pointer);
    int (*copy)(void *to, const void *from, size_t bytes, int direction);
    int (*synchronize)(void *stream);
    int (*last_error)(void);
    int (*alloc)(void **at, size_t bytes);
    int (*free)(void *at);
} hip;

/* Functions that old versions lack. */
static struct {
    bool is_there;
    int (*device)(int *current);
    int (*attribute)(void *value, int attribute, void *pointer);
    int (*range)(void **base, size_t *bytes, void *pointer);
    int (*get)(struct rocm_ipc_handle *handle, void *pointer);
    int (*open)(void **at, struct rocm_ipc_handle handle, unsigned flags);
    int (*close)(void *at);
} ipc;

static const char *const libraries[] = {"libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.5", NULL};

static bool rocm_load_ipc(void)
{
    static const struct library_function functions[] = {
        {&ipc.device, "hipGetDevice"},
        {&ipc.attribute, "hipPointerGetAttribute"},
        {&ipc.range, "hipMemGetAddressRange"},
        {&ipc.get, "hipIpcGetMemHandle"},
        {&ipc.open, "hipIpcOpenMemHandle"},
        {&ipc.close, "hipIpcCloseMemHandle"},
        {NULL, NULL},
    };

    return library_load(libraries, functions) == MPI_SUCCESS;
}

static int rocm_open(void)
{
    static const struct library_function functions[] = {
        {&hip.init, "hipInit"},
        {&hip.device_count, "hipGetDeviceCount"},
        {&hip.pointer_attributes, "hipPointerGetAttributes"},
        {&hip.copy, "hipMemcpy"},
        {&hip.synchronize, "hipStreamSynchronize"},
        {&hip.last_error, "hipGetLastError"},
        {&hip.alloc, "hipMalloc"},
        {&hip.free, "hipFree"},
        {NULL, NULL},
    };
    int count = 0, error = library_load(libraries, functions);

    if (error)
        return error;
    error = hip.init(0);
    if (error == HIP_OK)
        error = hip.device_count(&count);
    if (error != HIP_OK)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "libamdhip64.so does not start: error %d", error);
    if (count == 0)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "libamdhip64.so knows no device");
    ipc.is_there = rocm_load_ipc();
    return MPI_SUCCESS;
}

/* HIP keeps an error until it is read; these errors are not the program's. */
static bool went_well(int error)
{
    if (error != HIP_OK)
        hip.last_error();
    return error == HIP_OK;
}

static bool rocm_holds(const void *at)
{
    struct attributes found = {0};

    return went_well(hip.pointer_attributes(&found, at)) && found.device_pointer && !found.host_pointer &&
           !found.is_managed;
}

static int rocm_copy(void *to, const void *from, size_t bytes)
{
    int error = hip.copy(to, from, bytes, COPY_BY_ADDRESS);

    if (error == HIP_OK)
        error = hip.synchronize(NULL);
    return error == HIP_OK ? MPI_SUCCESS
                           : fail(MPI_ERR_OTHER, "HIP cannot copy %zu bytes from %p to %p: error %d", bytes,
                                  from, to, error);
}

/* Copies of the program may still be under way in the stream of the thread's device. */
static bool is_of_current_device(const void *at)
{
    struct attributes found = {0};
    int current = -1;

    return went_well(hip.pointer_attributes(&found, at)) && went_well(ipc.device(&current)) &&
           found.device == current;
}

static bool rocm_export(const void *at, struct ipc_export *exported)
{
    struct rocm_ipc_handle handle = {{0}};
    void *pointer = (void *)(uintptr_t)at, *base = NULL;
    size_t bytes = 0;

    if (!ipc.is_there || !is_of_current_device(at) ||
        !went_well(ipc.attribute(&exported->id, ATTRIBUTE_BUFFER_ID, pointer)) ||
        !went_well(ipc.range(&base, &bytes, pointer)) || !went_well(ipc.get(&handle, base)) ||
        !went_well(hip.synchronize(NULL)))
        return false;
    exported->base = (uint64_t)(uintptr_t)base;
    exported->bytes = bytes;
    memcpy(exported->handle, &handle, sizeof handle);
    return true;
}

static void *rocm_import(const struct ipc_export *exported, const void *beside)
{
    struct rocm_ipc_handle handle;
    void *at = NULL;

    (void)beside;
    memcpy(&handle, exported->handle, sizeof handle);
    return ipc.is_there && went_well(ipc.open(&at, handle, LAZY_PEER_ACCESS)) ? at : NULL;
}

static void rocm_ipc_close(void *at)
{
    went_well(ipc.close(at));
}

static void *rocm_alloc(size_t bytes)
{
    void *at = NULL;

    return hip.alloc(&at, bytes) == HIP_OK ? at : NULL;
}

static void rocm_free(void *at)
{
    hip.free(at);
}

const struct device rocm_device = {
    .library = "libamdhip64.so",
    .open = rocm_open,
    .holds = rocm_holds,
    .copy = rocm_copy,
    .ipc_export = rocm_export,
    .ipc_import = rocm_import,
    .ipc_close = rocm_ipc_close,
    .alloc = rocm_alloc,
    .free = rocm_free,
};
