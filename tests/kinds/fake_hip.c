/* fake_hip: the functions of ROCm's HIP that the library calls. As with the real one, an error stays until it
 * is asked for. */
#include "fake.h"

enum {
    OK = 0,
    INVALID_VALUE = 1
};

struct ipc_handle {
    char bytes[64];
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
int hipMallocManaged(void **at, size_t bytes, unsigned flags);
int hipHostMalloc(void **at, size_t bytes, unsigned flags);
int hipGetDevice(int *device);
int hipPointerGetAttribute(void *value, int attribute, void *pointer);
int hipMemGetAddressRange(void **base, size_t *bytes, void *pointer);
int hipIpcGetMemHandle(struct ipc_handle *handle, void *pointer);
int hipIpcOpenMemHandle(void **at, struct ipc_handle handle, unsigned flags);
int hipIpcCloseMemHandle(void *at);

int hipInit(unsigned flags)
{
    const char *error = getenv("FAKE_INIT");

    if (fake_file < 0)
        fake_start();
    return error ? atoi(error) : flags ? INVALID_VALUE : OK;
}

int hipGetDeviceCount(int *count)
{
    const char *devices = getenv("FAKE_DEVICES");

    *count = devices ? atoi(devices) : 1;
    return OK;
}

int hipPointerGetAttributes(struct attributes *found, const void *pointer)
{
    struct fake_block block = fake_look(pointer);
    void *at = (void *)(uintptr_t)pointer;

    if (!block.closed) {
        last_error = INVALID_VALUE;
        return INVALID_VALUE;
    }
    *found = (struct attributes){.type = 2,
                                 .device_pointer = at,
                                 .host_pointer = block.type == FAKE_DEVICE ? NULL : at,
                                 .is_managed = block.type == FAKE_MANAGED};
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
    return fake_free(at) ? OK : INVALID_VALUE;
}

static int result(int is_good)
{
    if (!is_good)
        last_error = INVALID_VALUE;
    return is_good ? OK : INVALID_VALUE;
}

int hipMallocManaged(void **at, size_t bytes, unsigned flags)
{
    *at = fake_give(bytes, FAKE_MANAGED);
    return result(flags == 1);
}

int hipHostMalloc(void **at, size_t bytes, unsigned flags)
{
    *at = fake_give(bytes, FAKE_LOCKED);
    return result(flags == 0);
}

int hipGetDevice(int *device)
{
    *device = 0;
    return OK;
}

int hipPointerGetAttribute(void *value, int attribute, void *pointer)
{
    struct fake_block block = fake_look(pointer);

    memcpy(value, &block.id, sizeof block.id);
    return result(attribute == 7 && block.closed);
}

int hipMemGetAddressRange(void **base, size_t *bytes, void *pointer)
{
    struct fake_block block = fake_look(pointer);

    *base = block.closed;
    *bytes = block.bytes;
    return result(block.closed != NULL);
}

int hipIpcGetMemHandle(struct ipc_handle *handle, void *pointer)
{
    struct fake_handle lent = {0};
    int is_lent = fake_lend(pointer, &lent);

    memcpy(handle, &lent, sizeof *handle);
    return result(is_lent);
}

int hipIpcOpenMemHandle(void **at, struct ipc_handle handle, unsigned flags)
{
    struct fake_handle lent;

    memcpy(&lent, &handle, sizeof lent);
    *at = flags == 1 ? fake_borrow(&lent) : NULL;
    return result(*at != NULL);
}

int hipIpcCloseMemHandle(void *at)
{
    return result(fake_give_back(at));
}
