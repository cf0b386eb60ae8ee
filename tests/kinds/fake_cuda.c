/* fake_cuda: the functions of CUDA's driver that the library calls. As with the real one, nothing works
 * before cuInit, nor without a current context; FAKE_DEVICES says how many devices there are (1), FAKE_INIT
 * with which error cuInit fails. Built with FAKE_OLD it is of a version that lacks functions. */
#include "fake.h"

enum {
    OK = 0,
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    NO_CONTEXT = 201,
    ALREADY_MAPPED = 208
};

struct ipc_handle {
    char bytes[64];
};

static int started, context;
static __thread int current; /* depth of the stack of contexts */

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer);
int cuDevicePrimaryCtxRetain(void **made, int device);
int cuCtxPushCurrent_v2(void *pushed);
int cuCtxPopCurrent_v2(void **popped);
int cuMemcpy(uint64_t to, uint64_t from, size_t bytes);
int cuStreamSynchronize(void *stream);
int cuMemAlloc_v2(uint64_t *at, size_t bytes);
int cuMemFree_v2(uint64_t at);
int cuMemAllocManaged(uint64_t *at, size_t bytes, unsigned flags);
int cuMemAllocHost_v2(void **at, size_t bytes);
int cuCtxGetCurrent(void **found);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t pointer);
int cuIpcGetMemHandle(struct ipc_handle *handle, uint64_t pointer);
int cuIpcOpenMemHandle_v2(uint64_t *at, struct ipc_handle handle, unsigned flags);
int cuIpcCloseMemHandle(uint64_t at);

int cuInit(unsigned flags)
{
    const char *error = getenv("FAKE_INIT");

    if (flags || error)
        return error ? atoi(error) : INVALID_VALUE;
    if (!started)
        fake_start();
    started = 1;
    return OK;
}

int cuDeviceGetCount(int *count)
{
    const char *devices = getenv("FAKE_DEVICES");

    *count = devices ? atoi(devices) : 1;
    return started ? OK : NOT_INITIALIZED;
}

#ifndef FAKE_OLD
/* 1: its context; 2: its type, of which 1 is memory of the host and 2 of the device; 7: the number of its
 * block; 8: whether it is managed; 9: its device. */
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer)
{
    struct fake_block block = fake_look((void *)(uintptr_t)pointer);
    void *owner = &context;
    int number = 0;

    if (attribute == 2) /* managed memory counts as the device's */
        number = block.type == FAKE_LOCKED ? 1 : 2;
    if (attribute == 8)
        number = block.type == FAKE_MANAGED;
    if (!block.closed)
        return INVALID_VALUE;
    if (attribute == 1)
        memcpy(value, &owner, sizeof owner);
    else if (attribute == 7)
        memcpy(value, &block.id, sizeof block.id);
    else
        memcpy(value, &number, sizeof number);
    return OK;
}

#endif

int cuDevicePrimaryCtxRetain(void **made, int device)
{
    *made = &context;
    return device == 0 ? OK : INVALID_VALUE;
}

int cuCtxPushCurrent_v2(void *pushed)
{
    if (pushed != &context)
        return INVALID_VALUE;
    current++;
    return OK;
}

int cuCtxPopCurrent_v2(void **popped)
{
    *popped = &context;
    return current-- > 0 ? OK : NO_CONTEXT;
}

int cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    if (!current)
        return NO_CONTEXT;
    fake_copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return OK;
}

int cuStreamSynchronize(void *stream)
{
    (void)stream;
    return current ? OK : NO_CONTEXT;
}

int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
    if (!current)
        return NO_CONTEXT;
    *at = (uint64_t)(uintptr_t)fake_alloc(bytes);
    return *at ? OK : INVALID_VALUE;
}

int cuMemFree_v2(uint64_t at)
{
    return current && fake_free((void *)(uintptr_t)at) ? OK : INVALID_VALUE;
}

int cuMemAllocManaged(uint64_t *at, size_t bytes, unsigned flags)
{
    *at = (uint64_t)(uintptr_t)fake_give(bytes, FAKE_MANAGED);
    return current && flags == 1 ? OK : INVALID_VALUE;
}

int cuMemAllocHost_v2(void **at, size_t bytes)
{
    *at = fake_give(bytes, FAKE_LOCKED);
    return current ? OK : NO_CONTEXT;
}

int cuCtxGetCurrent(void **found)
{
    *found = current ? &context : NULL;
    return OK;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t pointer)
{
    struct fake_block block = fake_look((void *)(uintptr_t)pointer);

    *base = (uint64_t)(uintptr_t)block.closed;
    *bytes = block.bytes;
    return block.closed ? OK : INVALID_VALUE;
}

int cuIpcGetMemHandle(struct ipc_handle *handle, uint64_t pointer)
{
    struct fake_handle lent;

    if (!current || !fake_lend((void *)(uintptr_t)pointer, &lent))
        return INVALID_VALUE;
    memcpy(handle, &lent, sizeof *handle);
    return OK;
}

int cuIpcOpenMemHandle_v2(uint64_t *at, struct ipc_handle handle, unsigned flags)
{
    struct fake_handle lent;

    if (!current || flags != 1)
        return INVALID_VALUE;
    memcpy(&lent, &handle, sizeof lent);
    *at = (uint64_t)(uintptr_t)fake_borrow(&lent);
    return *at ? OK : ALREADY_MAPPED;
}

int cuIpcCloseMemHandle(uint64_t at)
{
    return current && fake_give_back((void *)(uintptr_t)at) ? OK : INVALID_VALUE;
}
