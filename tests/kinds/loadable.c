/* loadable: messages from and into memory that a device's driver gave and that the host reaches as well,
 * page-locked or managed, of the first kind that was asked for (INKLING_MEMORY_ALLOC_KINDS); where it is not
 * there the test is skipped, or fails where it was pretended. Such memory is not the device's: it is never copied by it,
 * nor exported. Linked with
 * the library's objects, which load the driver. */
#include "check.h"
#include "memory/ipc.h"
#include "memory/kind.h"
#include "plain/library.h"
#include "pretended.h"

enum {
    LARGE = 300000,
    GUARD = 64
};

/* What one driver gives. Each answers NULL where this device has no such memory. */
struct giver {
    const char *kind;
    void (*load)(void);
    void *(*locked)(size_t bytes);
    void *(*managed)(size_t bytes);
};

static int rank, size, right, left;
static enum kind_id kind;

static struct {
    int (*retain_primary)(void **context, int device);
    int (*push)(void *context);
    int (*managed)(uint64_t *at, size_t bytes, unsigned flags);
    int (*locked)(void **at, size_t bytes);
} cuda;

static void load_cuda(void)
{
    static const char *const libraries[] = {"libcuda.so.1", "libcuda.so", NULL};
    const struct library_function functions[] = {{&cuda.retain_primary, "cuDevicePrimaryCtxRetain"},
                                                 {&cuda.push, "cuCtxPushCurrent_v2"},
                                                 {&cuda.managed, "cuMemAllocManaged"},
                                                 {&cuda.locked, "cuMemAllocHost_v2"},
                                                 {NULL, NULL}};
    void *context;

    CHECK_EQ(library_load(libraries, functions), MPI_SUCCESS);
    CHECK_EQ(cuda.retain_primary(&context, 0), 0);
    CHECK_EQ(cuda.push(context), 0);
}

static void *locked_by_cuda(size_t bytes)
{
    void *at = NULL;

    return cuda.locked(&at, bytes) == 0 ? at : NULL;
}

static void *managed_by_cuda(size_t bytes)
{
    uint64_t at = 0;

    return cuda.managed(&at, bytes, 1 /* any stream may use it */) == 0 ? (void *)(uintptr_t)at : NULL;
}

static struct {
    int (*managed)(void **at, size_t bytes, unsigned flags);
    int (*locked)(void **at, size_t bytes, unsigned flags);
} hip;

static void load_hip(void)
{
    static const char *const libraries[] = {"libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.5", NULL};
    const struct library_function functions[] = {
        {&hip.managed, "hipMallocManaged"}, {&hip.locked, "hipHostMalloc"}, {NULL, NULL}};

    CHECK_EQ(library_load(libraries, functions), MPI_SUCCESS);
}

static void *locked_by_hip(size_t bytes)
{
    void *at = NULL;

    return hip.locked(&at, bytes, 0) == 0 ? at : NULL;
}

static void *managed_by_hip(size_t bytes)
{
    void *at = NULL;

    return hip.managed(&at, bytes, 1) == 0 ? at : NULL;
}

/* As the binary interface has them. */
struct device_desc {
    int stype; /* 0x15 */
    const void *next;
    uint32_t flags, ordinal;
};

struct host_desc {
    int stype; /* 0x16 */
    const void *next;
    uint32_t flags;
};

struct context_desc {
    int stype; /* 0xd */
    const void *next;
    uint32_t flags;
};

static struct {
    int (*drivers)(uint32_t *count, void **driver);
    int (*devices)(void *driver, uint32_t *count, void **device);
    int (*new_context)(void *driver, const struct context_desc *desc, void **context);
    int (*shared)(void *context, const struct device_desc *device_desc, const struct host_desc *host_desc,
                  size_t bytes, size_t alignment, void *device, void **at);
    int (*host)(void *context, const struct host_desc *desc, size_t bytes, size_t alignment, void **at);
    void *context, *device;
} ze;

static void load_level_zero(void)
{
    static const char *const libraries[] = {"libze_loader.so.1", "libze_loader.so", NULL};
    const struct library_function functions[] = {
        {&ze.drivers, "zeDriverGet"},     {&ze.devices, "zeDeviceGet"}, {&ze.new_context, "zeContextCreate"},
        {&ze.shared, "zeMemAllocShared"}, {&ze.host, "zeMemAllocHost"}, {NULL, NULL}};
    struct context_desc desc = {.stype = 0xd};
    uint32_t one = 1;
    void *driver;

    CHECK_EQ(library_load(libraries, functions), MPI_SUCCESS);
    CHECK_EQ(ze.drivers(&one, &driver), 0);
    one = 1;
    CHECK_EQ(ze.devices(driver, &one, &ze.device), 0);
    CHECK_EQ(ze.new_context(driver, &desc, &ze.context), 0);
}

static void *locked_by_level_zero(size_t bytes)
{
    struct host_desc desc = {.stype = 0x16};
    void *at = NULL;

    return ze.host(ze.context, &desc, bytes, 64, &at) == 0 ? at : NULL;
}

static void *managed_by_level_zero(size_t bytes)
{
    struct device_desc device_desc = {.stype = 0x15};
    struct host_desc host_desc = {.stype = 0x16};
    void *at = NULL;

    return ze.shared(ze.context, &device_desc, &host_desc, bytes, 64, ze.device, &at) == 0 ? at : NULL;
}

static const struct giver givers[] = {
    {"cuda", load_cuda, locked_by_cuda, managed_by_cuda},
    {"rocm", load_hip, locked_by_hip, managed_by_hip},
    {"level_zero", load_level_zero, locked_by_level_zero, managed_by_level_zero},
};

static unsigned char byte_of(int of, size_t at)
{
    return (unsigned char)(at * 7 + (at >> 10) + (size_t)of * 101 + 1);
}

/* From this memory or from malloc's, into this memory or malloc's. */
static void exchange(unsigned char *out, unsigned char *in, int bytes)
{
    MPI_Status status;

    for (int i = 0; i < bytes; i++)
        out[i] = byte_of(rank, (size_t)i);
    memset(in, 0xee, LARGE + GUARD);
    CHECK_EQ(
        MPI_Sendrecv(out, bytes, MPI_BYTE, right, 0, in, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &status),
        MPI_SUCCESS);
    for (int i = 0; i < bytes; i++)
        CHECK_EQ(in[i], byte_of(left, (size_t)i));
    for (int i = bytes; i < LARGE + GUARD; i++)
        CHECK_EQ(in[i], 0xee);
}

static void reduce(int *out, int *in)
{
    enum {
        COUNT = LARGE / (int)sizeof(int)
    };

    for (int i = 0; i < COUNT; i++)
        out[i] = rank + i;
    CHECK_EQ(MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(in[i], size * i + size * (size - 1) / 2);
    CHECK_EQ(MPI_Bcast(in, COUNT, MPI_INT, size - 1, MPI_COMM_WORLD), MPI_SUCCESS);
}

static void use(const char *what, void *(*give)(size_t bytes))
{
    static const int sizes[] = {0, 1, 4096, 4097, 65536, LARGE};
    unsigned char *out = give(LARGE + GUARD), *in = give(LARGE + GUARD);
    unsigned char *plain = malloc(LARGE + GUARD);
    int have = out && in, all;

    CHECK_EQ(MPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    if (!all) {
        CHECK(!is_pretended());
        printf("no %s memory here\n", what);
        free(plain);
        return;
    }
    CHECK(!kind_table[kind].device->holds(out));
    CHECK(!kind_table[kind].device->holds(out + LARGE));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        exchange(out, in, sizes[i]);
        exchange(plain, in, sizes[i]);
        exchange(out, plain, sizes[i]);
    }
    reduce((int *)(void *)out, (int *)(void *)in);
    CHECK_EQ(ipc_import_calls(), 0);
    free(plain);
}

/* The place of the kind's row in the table; false: it is not there. */
static int find_kind(const char *name)
{
    int id = 0;

    while (id < KIND_COUNT && strcmp(kind_table[id].name, name) != 0)
        id++;
    CHECK(id < KIND_COUNT);
    kind = (enum kind_id)id;
    return kind_is_there(kind);
}

int main(int argc, char **argv)
{
    const struct giver *giver = givers;
    const char *name = getenv("INKLING_MEMORY_ALLOC_KINDS");
    int there;

    CHECK(name != NULL);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    there = find_kind(name);
    if (there) {
        while (strcmp(giver->kind, name) != 0)
            giver++;
        giver->load();
        use("page-locked", giver->locked);
        use("managed", giver->managed);
    } else if (rank == 0) {
        CHECK(!is_pretended());
        printf("skipped: %s\n", kind_why_absent(kind));
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return there ? 0 : 77;
}
