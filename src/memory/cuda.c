/* cuda: memory of NVIDIA's CUDA, through its driver's library.
 *
 * The driver's functions work in the context that is current in the calling thread. A program's thread may
 * have none, or another one, so copies are made in the context that the memory belongs to.
 *
 * Memory of pools and of the driver's functions for virtual memory cannot be exported by handle: the driver
 * refuses it. */
#include "memory/kind.h"
#include "plain/fail.h"
#include "plain/library.h"

#include <mpi.h>
#include <string.h>

/* Values of the driver's binary interface. */
enum {
    CUDA_OK = 0,
    ATTRIBUTE_CONTEXT = 1,
    ATTRIBUTE_MEMORY_TYPE = 2,
    ATTRIBUTE_BUFFER_ID = 7,
    ATTRIBUTE_IS_MANAGED = 8,
    ATTRIBUTE_DEVICE_ORDINAL = 9,
    TYPE_DEVICE = 2,
    LAZY_PEER_ACCESS = 1
};

struct cuda_ipc_handle {
    char bytes[64];
};

_Static_assert(sizeof(struct cuda_ipc_handle) == sizeof((struct ipc_export){0}.handle),
               "a handle fits into an export");

static struct {
    int (*init)(unsigned flags);
    int (*device_count)(int *count);
    int (*pointer_attribute)(void *value, int attribute, uint64_t pointer);
    int (*retain_primary)(void **context, int device);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*copy)(uint64_t to, uint64_t from, size_t bytes);
    int (*synchronize)(void *stream);
    int (*alloc)(uint64_t *at, size_t bytes);
    int (*free)(uint64_t at);
} cuda;

/* Functions that old drivers lack. */
static struct {
    bool is_there;
    int (*current)(void **context);
    int (*range)(uint64_t *base, size_t *bytes, uint64_t pointer);
    int (*get)(struct cuda_ipc_handle *handle, uint64_t pointer);
    int (*open)(uint64_t *at, struct cuda_ipc_handle handle, unsigned flags);
    int (*close)(uint64_t at);
} ipc;

static const char *const libraries[] = {"libcuda.so.1", "libcuda.so", NULL};

static bool cuda_load_ipc(void)
{
    static const struct library_function functions[] = {
        {&ipc.current, "cuCtxGetCurrent"},   {&ipc.range, "cuMemGetAddressRange_v2"},
        {&ipc.get, "cuIpcGetMemHandle"},     {&ipc.open, "cuIpcOpenMemHandle_v2"},
        {&ipc.close, "cuIpcCloseMemHandle"}, {NULL, NULL},
    };

    return library_load(libraries, functions) == MPI_SUCCESS;
}

static int cuda_open(void)
{
    static const struct library_function functions[] = {
        {&cuda.init, "cuInit"},
        {&cuda.device_count, "cuDeviceGetCount"},
        {&cuda.pointer_attribute, "cuPointerGetAttribute"},
        {&cuda.retain_primary, "cuDevicePrimaryCtxRetain"},
        {&cuda.push, "cuCtxPushCurrent_v2"},
        {&cuda.pop, "cuCtxPopCurrent_v2"},
        {&cuda.copy, "cuMemcpy"},
        {&cuda.synchronize, "cuStreamSynchronize"},
        {&cuda.alloc, "cuMemAlloc_v2"},
        {&cuda.free, "cuMemFree_v2"},
        {NULL, NULL},
    };
    int count = 0, error = library_load(libraries, functions);

    if (error)
        return error;
    error = cuda.init(0);
    if (error == CUDA_OK)
        error = cuda.device_count(&count);
    if (error != CUDA_OK)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "libcuda.so.1 does not start: error %d", error);
    if (count == 0)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "libcuda.so.1 knows no device");
    ipc.is_there = cuda_load_ipc();
    return MPI_SUCCESS;
}

/* For memory that is not its own the driver returns an error. */
static bool cuda_holds(const void *at)
{
    unsigned type = 0, managed = 0;
    uint64_t pointer = (uint64_t)(uintptr_t)at;

    if (cuda.pointer_attribute(&type, ATTRIBUTE_MEMORY_TYPE, pointer) != CUDA_OK || type != TYPE_DEVICE)
        return false;
    return cuda.pointer_attribute(&managed, ATTRIBUTE_IS_MANAGED, pointer) != CUDA_OK || !managed;
}

/* The context of this memory; NULL: the driver names none. Memory of a pool has no context of its own, and is
 * reached from its device's. */
static void *context_of(const void *at)
{
    uint64_t pointer = (uint64_t)(uintptr_t)at;
    void *context = NULL;
    int device = 0;

    if (cuda.pointer_attribute(&context, ATTRIBUTE_CONTEXT, pointer) == CUDA_OK && context)
        return context;
    context = NULL;
    if (cuda.pointer_attribute(&device, ATTRIBUTE_DEVICE_ORDINAL, pointer) == CUDA_OK && device >= 0)
        cuda.retain_primary(&context, device);
    return context;
}

static int cuda_copy(void *to, const void *from, size_t bytes)
{
    void *context = context_of(cuda_holds(to) ? to : from), *popped;
    int error;

    if (context)
        cuda.push(context);
    error = cuda.copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes);
    if (error == CUDA_OK) /* a copy within or between devices may still be under way */
        error = cuda.synchronize(NULL);
    if (context)
        cuda.pop(&popped);
    return error == CUDA_OK ? MPI_SUCCESS
                            : fail(MPI_ERR_OTHER, "CUDA cannot copy %zu bytes from %p to %p: error %d", bytes,
                                   from, to, error);
}

/* Copies that the driver has only begun for the program (from pageable memory, or within the device) would be
 * seen by later ones in this process, but not by another process. */
static bool cuda_export(const void *at, struct ipc_export *exported)
{
    uint64_t pointer = (uint64_t)(uintptr_t)at;
    size_t bytes = 0;
    struct cuda_ipc_handle handle = {{0}};
    void *context = ipc.is_there ? context_of(at) : NULL, *popped;
    bool is_exported;

    if (!context)
        return false;
    cuda.push(context);
    is_exported = cuda.pointer_attribute(&exported->id, ATTRIBUTE_BUFFER_ID, pointer) == CUDA_OK &&
                  ipc.range(&exported->base, &bytes, pointer) == CUDA_OK &&
                  ipc.get(&handle, exported->base) == CUDA_OK && cuda.synchronize(NULL) == CUDA_OK;
    cuda.pop(&popped);
    exported->bytes = bytes;
    memcpy(exported->handle, &handle, sizeof handle);
    return is_exported;
}

/* Imports in the context of the memory that is copied into. Host memory has no context; then in the
 * thread's. */
static void *cuda_import(const struct ipc_export *exported, const void *beside)
{
    struct cuda_ipc_handle handle;
    void *context = NULL, *popped;
    uint64_t at = 0;

    if (!ipc.is_there)
        return NULL;
    if (cuda_holds(beside))
        context = context_of(beside);
    else if (ipc.current(&context) != CUDA_OK)
        context = NULL;
    if (!context)
        return NULL;
    memcpy(&handle, exported->handle, sizeof handle);
    cuda.push(context);
    if (ipc.open(&at, handle, LAZY_PEER_ACCESS) != CUDA_OK)
        at = 0;
    cuda.pop(&popped);
    return (void *)(uintptr_t)at;
}

static void cuda_ipc_close(void *at)
{
    void *context = context_of(at), *popped;

    if (!context || cuda.push(context) != CUDA_OK) /* the context is gone, and the memory with it */
        return;
    ipc.close((uint64_t)(uintptr_t)at);
    cuda.pop(&popped);
}

static void *cuda_alloc(size_t bytes)
{
    void *context = NULL, *popped;
    uint64_t at = 0;

    if (cuda.retain_primary(&context, 0) != CUDA_OK)
        return NULL;
    cuda.push(context);
    if (cuda.alloc(&at, bytes) != CUDA_OK)
        at = 0;
    cuda.pop(&popped);
    return (void *)(uintptr_t)at;
}

static void cuda_free(void *at)
{
    void *context = context_of(at), *popped;

    cuda.push(context);
    cuda.free((uint64_t)(uintptr_t)at);
    cuda.pop(&popped);
}

const struct device cuda_device = {
    .library = "libcuda.so.1",
    .open = cuda_open,
    .holds = cuda_holds,
    .copy = cuda_copy,
    .ipc_export = cuda_export,
    .ipc_import = cuda_import,
    .ipc_close = cuda_ipc_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
};
