#include "base/thread.h"

#include <stdatomic.h>

_Thread_local unsigned thread_number;

unsigned thread_begin(void)
{
    static _Atomic unsigned begun;

    thread_number = atomic_fetch_add_explicit(&begun, 1, memory_order_relaxed) % THREAD_STRIPES + 1;
    return thread_number;
}
