/* What the instrumented code calls of the system and the C library. */
#include "engine.h"

#include "base/thread.h"
#include "plain/fail.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

enum {
    HEAP = 1 << 13
};

static _Alignas(64) char heap[HEAP]; /* of a run, which takes and never gives back */
static size_t heap_used;

static struct thread *me(void)
{
    return &engine->thread[engine->current];
}

static void full_fence(void)
{
    if (!engine->is_tso)
        weak_fence(me(), memory_order_seq_cst);
}

static uint32_t load_again(const volatile void *at)
{
    struct place *p = place_of(at, sizeof(uint32_t));
    const struct store *s;

    if (engine->is_tso)
        return (uint32_t)raw_load(at, sizeof(uint32_t));
    full_fence();
    s = weak_pick(me(), p, false, PICK_ANY, 0);
    weak_read(me(), p, s, memory_order_relaxed);
    return (uint32_t)s->value;
}

/* The system compares and falls asleep in one step. A wake is after the store that the sleeper would have compared, or before. */
static long sleep_on(const volatile void *at, uint32_t expected)
{
    uint32_t value;

    explore_step((struct step){.kind = STEP_SLEEP, .at = at, .is_strict = true});
    value = load_again(at);
    explore_note(value);
    if (value != expected) {
        errno = EAGAIN;
        return -1;
    }
    me()->state = THREAD_ASLEEP;
    explore_step((struct step){.kind = STEP_AWAKE, .at = at});
    return 0;
}

static long wake_all(const volatile void *at)
{
    long woken = 0;

    explore_step((struct step){.kind = STEP_WAKE, .at = at, .is_strict = true});
    full_fence();
    for (int i = 0; i < engine->threads; i++)
        if (engine->thread[i].state == THREAD_ASLEEP && engine->thread[i].pending.at == at) {
            engine->thread[i].state = THREAD_READY;
            woken++;
        }
    explore_note((uint64_t)woken);
    return woken;
}

void model_has_membarrier(bool has)
{
    engine->has_no_membarrier = !has;
}

static long fence_everywhere(int command)
{
    int self = engine->current;

    if (engine->has_no_membarrier)
        return -1;
    if (!engine->is_running || command == MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED ||
        command == MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
        return 0;
    for (int i = 0; i < engine->threads; i++)
        if (i != self) {
            explore_step((struct step){.kind = STEP_REMOTE_FENCE, .other = i, .is_strict = true});
            full_fence();
            if (!engine->is_tso)
                weak_remote_fence(&engine->thread[i]);
            full_fence();
        }
    return 0;
}

long model_syscall(long number, ...)
{
    va_list arguments;
    long result = -1;

    va_start(arguments, number);
    if (number == SYS_futex) {
        const volatile void *at = va_arg(arguments, void *);
        int operation = va_arg(arguments, int) & ~FUTEX_PRIVATE_FLAG;

        result = operation == FUTEX_WAIT ? sleep_on(at, va_arg(arguments, uint32_t)) : wake_all(at);
    } else if (number == SYS_membarrier) {
        result = fence_everywhere(va_arg(arguments, int));
    } else {
        model_fail("the checker does not know this system call");
    }
    va_end(arguments);
    return result;
}

int model_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    model_pause();
    return 0;
}

int model_yield(void)
{
    model_pause();
    return 0;
}

static int mutex_of(const volatile void *at)
{
    int i = 0;

    while (i < engine->mutexes && engine->mutex[i].at != at)
        i++;
    if (i == MUTEXES)
        model_fail("the model has more locks than MUTEXES");
    if (i == engine->mutexes) {
        memset(&engine->mutex[i], 0, sizeof engine->mutex[i]);
        engine->mutex[i].at = at;
        engine->mutex[i].holder = -1;
        engine->mutexes++;
    }
    return i;
}

bool lock_is_free(const volatile void *mutex)
{
    return engine->mutex[mutex_of(mutex)].holder < 0;
}

int model_mutex_lock(pthread_mutex_t *mutex)
{
    if (!engine->is_running || threads_is_private(mutex))
        return 0;
    explore_step((struct step){.kind = STEP_LOCK, .at = mutex});
    engine->mutex[mutex_of(mutex)].holder = engine->current;
    if (engine->is_tso)
        return 0;
    weak_compiler_fence(me());
    view_join(&me()->now, &engine->mutex[mutex_of(mutex)].view);
    return 0;
}

/* Those who try wait as well if they fail (base/lock.h). */
int model_mutex_try(pthread_mutex_t *mutex)
{
    return model_mutex_lock(mutex);
}

int model_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!engine->is_running || threads_is_private(mutex))
        return 0;
    explore_step((struct step){.kind = STEP_UNLOCK, .at = mutex});
    CHECK(engine->mutex[mutex_of(mutex)].holder == engine->current);
    engine->mutex[mutex_of(mutex)].holder = -1;
    if (engine->is_tso)
        return 0;
    engine->mutex[mutex_of(mutex)].view = me()->now;
    me()->now.clock[engine->current]++;
    weak_compiler_fence(me());
    return 0;
}

void *model_malloc(size_t bytes)
{
    char *memory = heap + heap_used;

    heap_used += (bytes + 63) / 64 * 64;
    if (heap_used > HEAP)
        model_fail("the model takes more memory than HEAP");
    return memory;
}

void *model_calloc(size_t count, size_t bytes)
{
    return memset(model_malloc(count * bytes), 0, count * bytes);
}

/* Who frees has the memory alone. */
void model_free(void *memory)
{
    if (memory)
        races_note(memory, 1, true, false);
}

void *model_copy(void *to, const void *from, size_t bytes)
{
    races_note(from, bytes, false, false);
    races_note(to, bytes, true, false);
    return memcpy(to, from, bytes);
}

void *model_move(void *to, const void *from, size_t bytes)
{
    races_note(from, bytes, false, false);
    races_note(to, bytes, true, false);
    return memmove(to, from, bytes);
}

void *model_set(void *to, int byte, size_t bytes)
{
    races_note(to, bytes, true, false);
    return memset(to, byte, bytes);
}

int model_compare(const void *a, const void *b, size_t bytes)
{
    races_note(a, bytes, false, false);
    races_note(b, bytes, false, false);
    return memcmp(a, b, bytes);
}

/* In place of base/thread.c: */
_Thread_local unsigned thread_number;

unsigned thread_begin(void)
{
    thread_number = (unsigned)engine->current % THREAD_STRIPES + 1;
    return thread_number;
}

void *thread_pointer(void)
{
    return &thread_number;
}

/* Who only spins yields as well, or sleeps. */
void thread_relax(void)
{
}

/* In place of plain/fail.c: */
int fail(int error, const char *format, ...)
{
    (void)format;
    return error;
}
