/* Plain loads and stores: two of one byte by two threads, one of them a store, must be ordered. Each is checked against those that
 * this run has made before. The compiler's calls for -fsanitize=thread end here. A thread's own stack is left out. */
#include "engine.h"

#include <stdio.h>
#include <string.h>

static struct byte *byte_of(uintptr_t at)
{
    size_t i = (at * 0x9e3779b97f4a7c15u >> 40) % BYTES;

    for (int probes = 0; engine->byte[i].run == engine->runs && engine->byte[i].at != at; i = (i + 1) % BYTES)
        if (++probes == BYTES)
            model_fail("the model has more shared bytes than BYTES");
    if (engine->byte[i].run != engine->runs)
        engine->byte[i] = (struct byte){.at = at, .run = engine->runs};
    return &engine->byte[i];
}

static bool is_behind(const uint32_t *clocks, const struct thread *t)
{
    for (int i = 0; i < THREADS; i++)
        if (clocks[i] > t->now.clock[i])
            return false;
    return true;
}

static bool is_ordered(const struct byte *b, const struct thread *t, bool writes, bool is_atomic)
{
    if (!is_behind(b->write, t) || (writes && !is_behind(b->read, t)))
        return false;
    return is_atomic || (is_behind(b->atomic_write, t) && (!writes || is_behind(b->atomic_read, t)));
}

static void note_byte(struct byte *b, int thread, uint32_t clock, bool writes, bool is_atomic)
{
    if (is_atomic)
        (writes ? b->atomic_write : b->atomic_read)[thread] = clock;
    else
        (writes ? b->write : b->read)[thread] = clock;
}

void races_note(const volatile void *at, size_t size, bool writes, bool is_atomic)
{
    struct thread *t = &engine->thread[engine->current];
    char text[128];

    if (!engine->is_running || engine->is_tso || threads_is_own_stack(at) || threads_is_private(at))
        return;
    for (size_t i = 0; i < size; i++) {
        struct byte *b = byte_of((uintptr_t)at + i);

        b->users |= (uint8_t)(1 << engine->current);
        if (b->users != 1 << engine->current && !is_ordered(b, t, writes, is_atomic)) {
            snprintf(text, sizeof text,
                     "thread %d races: its %s of %zu bytes at %p is not ordered with another thread's access",
                     engine->current, writes ? "store" : "load", size, (const void *)(uintptr_t)at);
            model_fail(text);
        }
        note_byte(b, engine->current, t->now.clock[engine->current], writes, is_atomic);
    }
}

#define NOTE_SIZE(size)                                                                                      \
    void __tsan_read##size(void *at);                                                                        \
    void __tsan_write##size(void *at);                                                                       \
    void __tsan_unaligned_read##size(void *at);                                                              \
    void __tsan_unaligned_write##size(void *at);                                                             \
    void __tsan_read##size(void *at)                                                                         \
    {                                                                                                        \
        races_note(at, size, false, false);                                                                  \
    }                                                                                                        \
    void __tsan_write##size(void *at)                                                                        \
    {                                                                                                        \
        races_note(at, size, true, false);                                                                   \
    }                                                                                                        \
    void __tsan_unaligned_read##size(void *at)                                                               \
    {                                                                                                        \
        races_note(at, size, false, false);                                                                  \
    }                                                                                                        \
    void __tsan_unaligned_write##size(void *at)                                                              \
    {                                                                                                        \
        races_note(at, size, true, false);                                                                   \
    }
NOTE_SIZE(1)
NOTE_SIZE(2)
NOTE_SIZE(4)
NOTE_SIZE(8)
NOTE_SIZE(16)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *at, size_t size);
void __tsan_read_range(void *at, size_t size)
{
    races_note(at, size, false, false);
}

void __tsan_write_range(void *at, size_t size);
void __tsan_write_range(void *at, size_t size)
{
    races_note(at, size, true, false);
}

/* Of an atomic built-in: hint_value, which no hand-over relies on. */
unsigned long __tsan_atomic64_load(const volatile unsigned long *at, int order);
unsigned long __tsan_atomic64_load(const volatile unsigned long *at, int order)
{
    (void)order;
    return *at;
}
