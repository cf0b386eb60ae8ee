/* cuda: memory of NVIDIA's CUDA, through its driver's library.
 *
 * The driver's functions work in the context that is current in the calling thread. A program's thread may
 * have none, or another one, so copies are made in the context that the memory belongs to. */
#include "base/fail.h"
#include "base/library.h"
#include "memory/kind.h"

#include <mpi.h>

/* As the driver's binary interface has them. */
enum {
    CUDA_OK = 0,
    ATTRIBUTE_CONTEXT = 1,
    ATTRIBUTE_MEMORY_TYPE = 2,
    ATTRIBUTE_IS_MANAGED = 8,
    ATTRIBUTE_DEVICE_ORDINAL = 9,
    TYPE_DEVICE = 2
};

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

static bool cuda_open(void)
{
    static const char *const libraries[] = {"libcuda.so.1", "libcuda.so", NULL};
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
    int count = 0;

    return library_load(libraries, functions) && cuda.init(0) == CUDA_OK &&
           cuda.device_count(&count) == CUDA_OK && count > 0;
}

/* The driver knows nothing of memory that is not its own: then it gives an error. */
static bool cuda_holds(const void *at)
{
    unsigned type = 0, managed = 0;
    uint64_t pointer = (uint64_t)(uintptr_t)at;

    if (cuda.pointer_attribute(&type, ATTRIBUTE_MEMORY_TYPE, pointer) != CUDA_OK || type != TYPE_DEVICE)
        return false;
    return cuda.pointer_attribute(&managed, ATTRIBUTE_IS_MANAGED, pointer) != CUDA_OK || !managed;
}

/* The context of this memory; NULL: the driver names none. Memory of a pool has none of its own and is
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
    if (error == CUDA_OK) /* between places of devices it may still be under way */
        error = cuda.synchronize(NULL);
    if (context)
        cuda.pop(&popped);
    return error == CUDA_OK ? MPI_SUCCESS
                            : fail(MPI_ERR_OTHER, "CUDA cannot copy %zu bytes from %p to %p: error %d", bytes,
                                   from, to, error);
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
    .alloc = cuda_alloc,
    .free = cuda_free,
};
