/* instrument: included before everything else in what is compiled for a model. Atomic operations, fences, locks and system calls
 * become calls of the checker, each with its place in the source. */
#ifndef MODELS_INSTRUMENT_H
#define MODELS_INSTRUMENT_H

#include "operations.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MODEL_SITE(kind_, text_, order_, failure_)                                                           \
    static const struct site site_ __attribute__((section("model_sites"), used, aligned(8))) = {             \
        __FILE__, __func__, text_, __LINE__, order_, failure_, kind_}
#define MODEL_VALUE(at) __typeof__((void)0, *(at)) /* without _Atomic */
#define MODEL_RAW(value)                                                                                     \
    ({                                                                                                       \
        uint64_t raw_ = 0;                                                                                   \
        __builtin_memcpy(&raw_, &(value), sizeof(value));                                                    \
        raw_;                                                                                                \
    })
#define MODEL_CHANGE(at, how, operand, order, text)                                                          \
    ({                                                                                                       \
        MODEL_SITE(SITE_CHANGE, text, order, -1);                                                            \
        __auto_type at_ = (at);                                                                              \
        MODEL_VALUE(at_) operand_ = (operand), before_;                                                      \
        uint64_t found_ = model_change(&site_, at_, sizeof before_, how, MODEL_RAW(operand_));               \
        __builtin_memcpy(&before_, &found_, sizeof before_);                                                 \
        before_;                                                                                             \
    })

#undef atomic_load_explicit
#define atomic_load_explicit(at, order)                                                                      \
    ({                                                                                                       \
        MODEL_SITE(SITE_LOAD, "load " #at, order, -1);                                                       \
        __auto_type at_ = (at);                                                                              \
        MODEL_VALUE(at_) value_;                                                                             \
        uint64_t found_ = model_load(&site_, at_, sizeof value_);                                            \
        __builtin_memcpy(&value_, &found_, sizeof value_);                                                   \
        value_;                                                                                              \
    })
#undef atomic_store_explicit
#define atomic_store_explicit(at, value, order)                                                              \
    ({                                                                                                       \
        MODEL_SITE(SITE_STORE, "store " #at, order, -1);                                                     \
        __auto_type at_ = (at);                                                                              \
        MODEL_VALUE(at_) value_ = (value);                                                                   \
        model_store(&site_, at_, sizeof value_, MODEL_RAW(value_));                                          \
    })
#undef atomic_exchange_explicit
#define atomic_exchange_explicit(at, value, order)                                                           \
    MODEL_CHANGE(at, CHANGE_EXCHANGE, value, order, "exchange " #at)
#undef atomic_fetch_add_explicit
#define atomic_fetch_add_explicit(at, value, order) MODEL_CHANGE(at, CHANGE_ADD, value, order, "add to " #at)
#undef atomic_fetch_sub_explicit
#define atomic_fetch_sub_explicit(at, value, order)                                                          \
    MODEL_CHANGE(at, CHANGE_SUB, value, order, "subtract from " #at)
#undef atomic_fetch_or_explicit
#define atomic_fetch_or_explicit(at, value, order)                                                           \
    MODEL_CHANGE(at, CHANGE_OR, value, order, "set bits of " #at)
#undef atomic_fetch_and_explicit
#define atomic_fetch_and_explicit(at, value, order)                                                          \
    MODEL_CHANGE(at, CHANGE_AND, value, order, "clear bits of " #at)
#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong_explicit(at, expected, desired, order, failure)                       \
    ({                                                                                                       \
        MODEL_SITE(SITE_CHANGE, "compare-exchange " #at, order, failure);                                    \
        __auto_type at_ = (at);                                                                              \
        __auto_type expected_ = (expected);                                                                  \
        MODEL_VALUE(at_) desired_ = (desired), found_ = *expected_;                                          \
        uint64_t raw_found_ = MODEL_RAW(found_);                                                             \
        bool is_done_ =                                                                                      \
            model_compare_exchange(&site_, at_, sizeof found_, &raw_found_, MODEL_RAW(desired_));            \
        if (!is_done_)                                                                                       \
            __builtin_memcpy(expected_, &raw_found_, sizeof found_);                                         \
        is_done_;                                                                                            \
    })
#undef atomic_compare_exchange_weak_explicit
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit
#undef atomic_thread_fence
#define atomic_thread_fence(order)                                                                           \
    ({                                                                                                       \
        MODEL_SITE(SITE_FENCE, "fence", order, -1);                                                          \
        model_fence(&site_);                                                                                 \
    })
#undef atomic_signal_fence
#define atomic_signal_fence(order)                                                                           \
    ({                                                                                                       \
        MODEL_SITE(SITE_SIGNAL_FENCE, "signal fence", order, -1);                                            \
        model_signal_fence(&site_);                                                                          \
    })

#define syscall               model_syscall
#define nanosleep             model_nanosleep
#define sched_yield           model_yield
#define pthread_mutex_lock    model_mutex_lock
#define pthread_mutex_trylock model_mutex_try
#define pthread_mutex_unlock  model_mutex_unlock
#define malloc                model_malloc
#define calloc                model_calloc
#define free                  model_free
#undef memcpy
#define memcpy model_copy
#undef memmove
#define memmove model_move
#undef memset
#define memset model_set
#undef memcmp
#define memcmp model_compare

#endif
