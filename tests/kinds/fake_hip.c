/* fake_hip: the functions of ROCm's HIP that the library calls. As with the real one, an error stays until it
 * is asked for. */
#include "fake.h"

enum {
    OK = 0,
    INVALID_VALUE = 1
};

struct attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    int is_managed;
    unsigned flags;
};

static __thread int last_error;

int hipInit(unsigned flags);
int hipGetDeviceCount(int *count);
int hipPointerGetAttributes(struct attributes *found, const void *pointer);
int hipMemcpy(void *to, const void *from, size_t bytes, int direction);
int hipStreamSynchronize(void *stream);
int hipGetLastError(void);
int hipMalloc(void **at, size_t bytes);
int hipFree(void *at);

int hipInit(unsigned flags)
{
    if (!fake_closed)
        fake_start();
    return flags ? INVALID_VALUE : OK;
}

int hipGetDeviceCount(int *count)
{
    *count = 1;
    return OK;
}

int hipPointerGetAttributes(struct attributes *found, const void *pointer)
{
    if (!fake_holds(pointer)) {
        last_error = INVALID_VALUE;
        return INVALID_VALUE;
    }
    *found = (struct attributes){.type = 2, .device_pointer = (void *)(uintptr_t)pointer};
    return OK;
}

int hipMemcpy(void *to, const void *from, size_t bytes, int direction)
{
    if (direction != 4)
        return INVALID_VALUE;
    fake_copy(to, from, bytes);
    return OK;
}

int hipStreamSynchronize(void *stream)
{
    (void)stream;
    return last_error;
}

int hipGetLastError(void)
{
    int error = last_error;

    last_error = OK;
    return error;
}

int hipMalloc(void **at, size_t bytes)
{
    *at = fake_alloc(bytes);
    return *at ? OK : INVALID_VALUE;
}

int hipFree(void *at)
{
    return fake_holds(at) ? OK : INVALID_VALUE;
}
