/* rocm: memory of AMD's ROCm, through HIP's runtime library. */
#include "base/fail.h"
#include "base/library.h"
#include "memory/kind.h"

#include <mpi.h>

enum {
    HIP_OK = 0,
    COPY_BY_ADDRESS = 4
};

/* What HIP tells of a pointer. The numbers of the types have changed between its versions; that memory of the
 * device has no address on the host has not. */
struct attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    int is_managed;
    unsigned flags;
    uint64_t later[8]; /* room for what newer versions add */
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

static bool rocm_open(void)
{
    static const char *const libraries[] = {"libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.5", NULL};
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
    int count = 0;

    return library_load(libraries, functions) && hip.init(0) == HIP_OK &&
           hip.device_count(&count) == HIP_OK && count > 0;
}

static bool rocm_holds(const void *at)
{
    struct attributes found = {0};

    if (hip.pointer_attributes(&found, at) != HIP_OK) {
        hip.last_error(); /* HIP keeps errors until they are asked for; this one is not the program's */
        return false;
    }
    return found.device_pointer && !found.host_pointer && !found.is_managed;
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
    .alloc = rocm_alloc,
    .free = rocm_free,
};
