/* kind: the kinds of memory that programs use (MPI-5.0 section 11.4.3), as one table.
 *
 * A kind whose memory the host loads and stores like any other is only a name with restrictors. A kind that
 * also has memory which only a device reaches has a `struct device`: the functions that recognise and copy
 * such memory. Everything else (staging, gaps, reductions) is written once, over these functions.
 *
 * A device kind is available only if its driver's library can be opened and a device answers. That is tried
 * when somebody asks for the kind by name, and not before, since drivers take long to start.
 *
 * A device may also *export* its memory to other processes of the host. The owner describes the allocation by
 * an export. A process that gets the export imports the memory (ipc.h), and copies from it without a copy in
 * the host's memory.
 *
 * A set of kinds is one word: bit id for a kind that is listed, and bit id + KIND_DEVICE_SHIFT if memory of
 * it may be out of the host's reach. Where no such bit is set, no pointer is ever examined.
 */
#ifndef MEMORY_KIND_H
#define MEMORY_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind_id {
    KIND_SYSTEM,
    KIND_MPI,
    KIND_CUDA,
    KIND_ROCM,
    KIND_LEVEL_ZERO,
    KIND_TEST, /* see test_kind.c; only where kind_enable_test was called */
    KIND_COUNT
};

enum {
    KIND_DEVICE_SHIFT = 16
};

/* What another process needs to reach an allocation of a device. */
struct ipc_export {
    uint64_t kind;        /* enum kind_id */
    uint64_t id;          /* of the allocation; its process never reuses it */
    uint64_t base, bytes; /* of the allocation, as its process sees it */
    uint64_t handle[8];   /* the driver's */
};

/* Any thread may call these once open() has succeeded. */
struct device {
    const char *library; /* the driver's, as messages name it */
    int (*open)(void); /* called once: loads the driver and finds a device; else a note says why that fails */
    bool (*holds)(const void *at); /* whether the host cannot load and store there */
    /* Either side may be the device's memory, or both. Complete when it returns. MPI_ERR_OTHER with a
     * note. */
    int (*copy)(void *to, const void *from, size_t bytes);
    /* Fills in an export, except its kind, of the allocation that contains `at`, once all that the program
     * began there has reached the memory. False: the driver cannot share this memory, or none. */
    bool (*ipc_export)(const void *at, struct ipc_export *exported);
    /* The address at which this process reaches an allocation of another process, for copy() only, whose
     * other side will be `beside`. NULL: the driver refuses. Each import is closed once. */
    void *(*ipc_import)(const struct ipc_export *exported, const void *beside);
    void (*ipc_close)(void *at);
    /* For tests: memory that only the device reaches; NULL: none left. */
    void *(*alloc)(size_t bytes);
    void (*free)(void *at);
};

struct kind {
    const char *name;
    const char *restrictors;     /* comma separated */
    const char *loadable;        /* those of them whose memory the host loads and stores */
    const struct device *device; /* NULL: the host loads and stores all of it */
};

extern const struct kind kind_table[KIND_COUNT];

/* Whether memory of this kind can be used here. The first call tries. */
bool kind_is_there(enum kind_id id);
/* Why it cannot, in one line; "" if it can. */
const char *kind_why_absent(enum kind_id id);
/* Makes the test kind available. Call it before anybody asks for that kind. */
void kind_enable_test(void);

/* The bit of a set that makes kind_look ask this device. */
static inline int64_t kind_device_bit(enum kind_id id)
{
    return (int64_t)1 << (id + KIND_DEVICE_SHIFT);
}

/* An export of the allocation that contains `at`, memory that this device holds; false: there is none. */
bool kind_export(const struct device *device, const void *at, struct ipc_export *exported);

/* How often the test kind was asked whether it holds memory. */
unsigned long test_kind_looks(void);
/* What the test kind refuses from now on, like a driver that cannot do it. */
enum kind_refusal {
    REFUSE_EXPORT = 1,
    REFUSE_IMPORT = 2,
    REFUSE_COPY = 4
};
void test_kind_refuse(unsigned refusals);

/* Whether memory of this set may be a device's. */
static inline bool kind_set_has_device(int64_t set)
{
    return set >> KIND_DEVICE_SHIFT != 0;
}

/* The device of the set that holds this memory; NULL: the host can load and store it. */
const struct device *kind_look(const void *at, int64_t set);

/* The same, with one branch where the set has no device. */
static inline const struct device *kind_device(const void *at, int64_t set)
{
    return __builtin_expect(kind_set_has_device(set), 0) ? kind_look(at, set) : 0;
}

extern const struct device cuda_device, rocm_device, level_zero_device, test_device;

/* An open file of another process of this host, identified by numbers that both processes know. Fits into an export's handle. */
struct descriptor {
    uint64_t pid, fd;
    uint64_t device, inode; /* of the file that the owner has open there */
};

bool kind_descriptor_export(int fd, struct descriptor *d);
/* A descriptor of this process for the same file, which the caller closes. -1: the system does not allow it,
 * or the process with this number, in another pid namespace perhaps, has another file open there. */
int kind_descriptor_import(const struct descriptor *d);

#endif
