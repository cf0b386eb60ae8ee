/* kind: the kinds of memory that programs have (MPI-5.0 section 12.4.3), as one table.
 *
 * A kind whose memory the host loads and stores like any other is a name with restrictors. A kind that also
 * has memory which only a device reaches comes with a `struct device`: what it takes to recognise such memory
 * and to copy it. Everything else (staging, gaps, reductions) is written once, over these functions.
 *
 * A device kind is there only if its driver's library can be opened and a device answers. That is tried when
 * somebody asks for the kind by name and not before, since drivers take long to start.
 *
 * A set of kinds is one word: bit id for a kind that is listed, and bit id + KIND_DEVICE_SHIFT if memory of
 * it may be out of the host's reach. Where no such bit is set no pointer is ever looked at.
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
    KIND_TEST, /* see testing.c; only where kind_enable_test was called */
    KIND_COUNT
};

enum {
    KIND_DEVICE_SHIFT = 16
};

/* Any thread may call these once open() has answered true. */
struct device {
    const char *library;           /* of the driver, as people know it */
    bool (*open)(void);            /* called once: the driver is loaded and a device answers */
    bool (*holds)(const void *at); /* whether the host cannot load and store there */
    /* Either side may be the device's memory, or both; complete when it returns. MPI_ERR_OTHER with a note.
     */
    int (*copy)(void *to, const void *from, size_t bytes);
    /* For tests: memory that only the device reaches; NULL: none left. */
    void *(*alloc)(size_t bytes);
    void (*free)(void *at);
};

struct kind {
    const char *name;
    const char *restrictors;     /* comma separated */
    const char *loadable;        /* those of them whose memory the host loads and stores */
    const struct device *device; /* NULL: it does so with all */
};

extern const struct kind kind_table[KIND_COUNT];

/* Whether memory of this kind can be handled here. Tries at the first call. */
bool kind_is_there(enum kind_id id);
/* The test kind is there; before anybody asks for it. */
void kind_enable_test(void);

/* How often the test kind was asked whether it holds some memory. */
unsigned long kind_test_looks(void);

/* The device among those of the set that holds this memory; NULL: the host can load and store it. */
const struct device *kind_look(const void *at, int64_t set);

/* The same; one branch where the set has no device. */
static inline const struct device *kind_device(const void *at, int64_t set)
{
    return __builtin_expect(set >> KIND_DEVICE_SHIFT == 0, 1) ? 0 : kind_look(at, set);
}

extern const struct device cuda_device, rocm_device, level_zero_device, test_device;

#endif
