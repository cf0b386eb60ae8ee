/* operations: what instrument.h makes of atomic operations, fences, locks and system calls. */
#ifndef MODELS_OPERATIONS_H
#define MODELS_OPERATIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A place in the source that names a memory order. */
struct site {
    const char *file, *function, *text;
    int line;
    int order, failure; /* of C11; failure: of a compare-exchange that fails, else -1 */
    int kind;           /* enum site_kind */
};

enum site_kind {
    SITE_LOAD,
    SITE_STORE,
    SITE_CHANGE, /* a read-modify-write */
    SITE_FENCE,
    SITE_SIGNAL_FENCE
};

enum change {
    CHANGE_EXCHANGE,
    CHANGE_ADD,
    CHANGE_SUB,
    CHANGE_OR,
    CHANGE_AND
};

uint64_t model_load(const struct site *site, const volatile void *at, size_t size);
void model_store(const struct site *site, volatile void *at, size_t size, uint64_t value);
uint64_t model_change(const struct site *site, volatile void *at, size_t size, enum change how,
                      uint64_t operand);
bool model_compare_exchange(const struct site *site, volatile void *at, size_t size, uint64_t *expected,
                            uint64_t desired);
void model_fence(const struct site *site);
void model_signal_fence(const struct site *site);

long model_syscall(long number, ...);
int model_nanosleep(const struct timespec *time, struct timespec *left);
int model_yield(void);
int model_mutex_lock(pthread_mutex_t *mutex);
int model_mutex_try(pthread_mutex_t *mutex);
int model_mutex_unlock(pthread_mutex_t *mutex);
void *model_malloc(size_t bytes);
void *model_calloc(size_t count, size_t bytes);
void model_free(void *memory);
void *model_copy(void *to, const void *from, size_t bytes);
void *model_move(void *to, const void *from, size_t bytes);
void *model_set(void *to, int byte, size_t bytes);
int model_compare(const void *a, const void *b, size_t bytes);

#endif
