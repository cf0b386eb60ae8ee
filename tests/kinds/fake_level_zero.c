/* fake_level_zero: the functions of Level Zero's loader that the library calls. Handles are addresses of
 * variables; a list of commands refuses a second thread. */
#include "fake.h"

enum {
    OK = 0,
    INVALID = 0x78000004
};

struct properties {
    int stype;
    void *next;
    int type;
    uint64_t id, page_size;
};

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

int zeInit(uint32_t flags)
{
    if (!fake_closed)
        fake_start();
    return flags <= 1 ? OK : INVALID;
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
    if (*count)
        device[0] = &device_;
    *count = 1;
    return driver == &driver_ ? OK : INVALID;
}

int zeContextCreate(void *driver, const int *desc, void **context)
{
    *context = &context_;
    return driver == &driver_ && *desc == 0xd ? OK : INVALID;
}

int zeMemGetAllocProperties(void *context, const void *at, struct properties *found, void **device)
{
    if (context != &context_ || found->stype != 0x17)
        return INVALID;
    found->type = fake_holds(at) ? 2 : 0;
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
    return context == &context_ && fake_holds(at) ? OK : INVALID;
}
