/* fake_level_zero: the functions of Level Zero's loader that the library calls. Handles are addresses of
 * variables; a list of commands refuses a second thread. */
#include "fake.h"

enum {
    OK = 0,
    INVALID = 0x78000004
};

struct ipc_handle {
    char bytes[64];
};

struct properties {
    int stype;
    void *next;
    int type;
    uint64_t id, page_size;
};

enum {
    FILES = 1000
};

static int file_of[FILES]; /* by number of the block; 0: none yet */
static int driver_, device_, context_, list_;
static int busy;

int zeInit(uint32_t flags);
int zeDriverGet(uint32_t *count, void **driver);
int zeDeviceGet(void *driver, uint32_t *count, void **device);
int zeContextCreate(void *driver, const int *desc, void **context);
int zeMemGetAllocProperties(void *context, const void *at, struct properties *found, void **device);
int zeCommandListCreateImmediate(void *context, void *device, const int *desc, void **list);
int zeCommandListAppendMemoryCopy(void *list, void *to, const void *from, size_t bytes, void *signal,
                                  uint32_t waits, void **wait);
int zeMemAllocDevice(void *context, const int *desc, size_t bytes, size_t alignment, void *device, void **at);
int zeMemFree(void *context, void *at);
int zeMemAllocShared(void *context, const int *device_desc, const int *host_desc, size_t bytes,
                     size_t alignment, void *device, void **at);
int zeMemAllocHost(void *context, const int *desc, size_t bytes, size_t alignment, void **at);
int zeMemGetAddressRange(void *context, const void *at, void **base, size_t *bytes);
int zeMemGetIpcHandle(void *context, const void *at, struct ipc_handle *handle);
int zeMemGetFileDescriptorFromIpcHandleExp(void *context, struct ipc_handle handle, uint64_t *fd);
int zeMemGetIpcHandleFromFileDescriptorExp(void *context, uint64_t fd, struct ipc_handle *handle);
int zeMemOpenIpcHandle(void *context, void *device, struct ipc_handle handle, uint32_t flags, void **at);
int zeMemCloseIpcHandle(void *context, const void *at);

int zeInit(uint32_t flags)
{
    const char *error = getenv("FAKE_INIT");

    if (fake_file < 0)
        fake_start();
    return error ? atoi(error) : flags <= 1 ? OK : INVALID;
}

int zeDriverGet(uint32_t *count, void **driver)
{
    if (*count)
        driver[0] = &driver_;
    *count = 1;
    return OK;
}

int zeDeviceGet(void *driver, uint32_t *count, void **device)
{
    const char *devices = getenv("FAKE_DEVICES");

    if (*count)
        device[0] = &device_;
    *count = devices ? (uint32_t)atoi(devices) : 1;
    return driver == &driver_ ? OK : INVALID;
}

int zeContextCreate(void *driver, const int *desc, void **context)
{
    *context = &context_;
    return driver == &driver_ && *desc == 0xd ? OK : INVALID;
}

int zeMemGetAllocProperties(void *context, const void *at, struct properties *found, void **device)
{
    static const int type_of[] = {[FAKE_LOCKED] = 1, [FAKE_DEVICE] = 2, [FAKE_MANAGED] = 3};
    struct fake_block block = fake_look(at);

    if (context != &context_ || found->stype != 0x17)
        return INVALID;
    found->type = block.closed ? type_of[block.type] : 0;
    found->id = block.id;
    *device = &device_;
    return OK;
}

int zeCommandListCreateImmediate(void *context, void *device, const int *desc, void **list)
{
    *list = &list_;
    return context == &context_ && device == &device_ && *desc == 0xe ? OK : INVALID;
}

int zeCommandListAppendMemoryCopy(void *list, void *to, const void *from, size_t bytes, void *signal,
                                  uint32_t waits, void **wait)
{
    if (list != &list_ || signal || waits || wait || __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        return INVALID;
    fake_copy(to, from, bytes);
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    return OK;
}

int zeMemAllocDevice(void *context, const int *desc, size_t bytes, size_t alignment, void *device, void **at)
{
    if (context != &context_ || *desc != 0x15 || device != &device_ || alignment > 4096)
        return INVALID;
    *at = fake_alloc(bytes);
    return *at ? OK : INVALID;
}

int zeMemFree(void *context, void *at)
{
    return context == &context_ && fake_free(at) ? OK : INVALID;
}

int zeMemAllocShared(void *context, const int *device_desc, const int *host_desc, size_t bytes,
                     size_t alignment, void *device, void **at)
{
    *at = fake_give(bytes, FAKE_MANAGED);
    return context == &context_ && device == &device_ && *device_desc == 0x15 && *host_desc == 0x16 &&
                   alignment <= 4096
               ? OK
               : INVALID;
}

int zeMemAllocHost(void *context, const int *desc, size_t bytes, size_t alignment, void **at)
{
    *at = fake_give(bytes, FAKE_LOCKED);
    return context == &context_ && *desc == 0x16 && alignment <= 4096 ? OK : INVALID;
}

int zeMemGetAddressRange(void *context, const void *at, void **base, size_t *bytes)
{
    struct fake_block block = fake_look(at);

    *base = block.closed;
    *bytes = block.bytes;
    return context == &context_ && block.closed ? OK : INVALID;
}

/* Each block is a file of its own, which lives as long as it does: one that only says what belongs to the
 * block. */
int zeMemGetIpcHandle(void *context, const void *at, struct ipc_handle *handle)
{
    struct fake_handle lent;
    int *file = &file_of[fake_look(at).id % FILES];

    if (context != &context_ || !fake_lend(at, &lent))
        return INVALID;
    if (*file == 0)
        *file = memfd_create("fake-block", MFD_CLOEXEC);
    if (*file < 0 || pwrite(*file, &lent, sizeof lent, 0) != sizeof lent)
        return INVALID;
    memcpy(handle, file, sizeof *file);
    return OK;
}

int zeMemGetFileDescriptorFromIpcHandleExp(void *context, struct ipc_handle handle, uint64_t *fd)
{
    int file;

    memcpy(&file, &handle, sizeof file);
    *fd = (uint64_t)file;
    return context == &context_ ? OK : INVALID;
}

int zeMemGetIpcHandleFromFileDescriptorExp(void *context, uint64_t fd, struct ipc_handle *handle)
{
    int file = (int)fd;

    memcpy(handle, &file, sizeof file);
    return context == &context_ ? OK : INVALID;
}

int zeMemOpenIpcHandle(void *context, void *device, struct ipc_handle handle, uint32_t flags, void **at)
{
    struct fake_handle lent;
    int file;

    memcpy(&file, &handle, sizeof file);
    if (context != &context_ || device != &device_ || flags ||
        pread(file, &lent, sizeof lent, 0) != sizeof lent)
        return INVALID;
    *at = fake_borrow(&lent);
    return *at ? OK : INVALID;
}

int zeMemCloseIpcHandle(void *context, const void *at)
{
    return context == &context_ && fake_give_back(at) ? OK : INVALID;
}
