/* kind: the kinds of memory that programs have (MPI-5.0 section 11.4.3), as one table.
 *
 * A kind whose memory the host loads and stores like any other is a name with restrictors. A kind that also
 * has memory which only a device reaches comes with a `struct device`: what it takes to recognise such memory
 * and to copy it. Everything else (staging, gaps, reductions) is written once, over these functions.
 *
 * A device kind is there only if its driver's library can be opened and a device answers. That is tried when
 * somebody asks for the kind by name and not before, since drivers take long to start.
 *
 * A device may also *lend* its memory to other processes of the host, which then copy from it without a way
 * through the host's: the owner describes the allocation by a loan, whoever gets the loan borrows (borrow.h).
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

/* What another process needs to reach an allocation of a device. */
struct loan {
    uint64_t kind;        /* enum kind_id */
    uint64_t id;          /* of the allocation; its process never gives it to another */
    uint64_t base, bytes; /* of the allocation, as its process sees it */
    uint64_t handle[8];   /* the driver's */
};

/* Any thread may call these once open() has succeeded. */
struct device {
    const char *library; /* of the driver, as people know it */
    int (*open)(void); /* called once: the driver is loaded and a device answers; else a note tells why not */
    bool (*holds)(const void *at); /* whether the host cannot load and store there */
    /* Either side may be the device's memory, or both; complete when it returns. MPI_ERR_OTHER with a note.
     */
    int (*copy)(void *to, const void *from, size_t bytes);
    /* Fills in a loan of what `at` lies in, but its kind, once all that the program began there has reached
     * the memory; false: the driver does not share this memory, or none at all. */
    bool (*lend)(const void *at, struct loan *loan);
    /* Where an allocation of another process is now reached from here, by copy() alone, whose other side will
     * be `beside`; NULL: the driver refuses. Each is given back once. */
    void *(*borrow)(const struct loan *loan, const void *beside);
    void (*give_back)(void *at);
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
/* Why not, in one line; once that has been asked. */
const char *kind_why_absent(enum kind_id id);
/* The test kind is there; before anybody asks for it. */
void kind_enable_test(void);

/* The part of a set that makes kind_look look for this device. */
static inline int64_t kind_device_bit(enum kind_id id)
{
    return (int64_t)1 << (id + KIND_DEVICE_SHIFT);
}

/* A loan of what `at` lies in, memory that this device holds; false: there is none. */
bool kind_lend(const struct device *device, const void *at, struct loan *loan);

/* How often the test kind was asked whether it holds some memory. */
unsigned long test_kind_looks(void);
/* What the test kind refuses to do from now on, like a driver that cannot. */
enum kind_refusal {
    REFUSE_LEND = 1,
    REFUSE_BORROW = 2,
    REFUSE_COPY = 4
};
void test_kind_refuse(unsigned refusals);

/* The device among those of the set that holds this memory; NULL: the host can load and store it. */
const struct device *kind_look(const void *at, int64_t set);

/* The same; one branch where the set has no device. */
static inline const struct device *kind_device(const void *at, int64_t set)
{
    return __builtin_expect(set >> KIND_DEVICE_SHIFT == 0, 1) ? 0 : kind_look(at, set);
}

extern const struct device cuda_device, rocm_device, level_zero_device, test_device;

#endif
