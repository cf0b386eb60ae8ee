/* fake_cuda: the functions of CUDA's driver that the library calls. As with the real one, nothing works
 * before cuInit, nor without a current context; FAKE_DEVICES says how many devices there are (1). */
#include "fake.h"

#include <stdlib.h>

enum {
    OK = 0,
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    NO_CONTEXT = 201
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

int cuInit(unsigned flags)
{
    if (flags)
        return INVALID_VALUE;
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

/* 1: its context; 2: its type, of which 2 is memory of the device; 8: whether it is managed; 9: its device.
 */
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer)
{
    void *owner = &context;
    int number = attribute == 2 ? 2 : 0;

    if (!fake_holds((void *)(uintptr_t)pointer))
        return INVALID_VALUE;
    if (attribute == 1)
        memcpy(value, &owner, sizeof owner);
    else
        memcpy(value, &number, sizeof number);
    return OK;
}

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
    return current && fake_holds((void *)(uintptr_t)at) ? OK : INVALID_VALUE;
}
