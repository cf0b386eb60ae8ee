#include "insight/memory/memory_use.h"

#include <pthread.h>
#include <stddef.h>
#include <unwind.h>

enum {
    STACK = 8 << 20, /* bytes above the caller that are looked at */
    FRAMES = 64
};

#ifdef __x86_64__
enum {
    RETURN = sizeof(void *) /* a frame ends with the address that its function returns to */
};
#else
enum {
    RETURN = 0
};
#endif

static __thread char thread_name __attribute__((tls_model("initial-exec")));

struct frame_search {
    uintptr_t wanted; /* an address, or the end of a frame */
    bool is_for_end;
    int frames;
    uintptr_t begin; /* of the last frame */
    void *function;
    uintptr_t end;
};

/* The stack pointer of a frame is where the variables of the one before it, which it has called, end. */
static _Unwind_Reason_Code look_at_variables(struct _Unwind_Context *context, void *of)
{
    struct frame_search *search = of;
    uintptr_t begin = _Unwind_GetCFA(context);

    if (search->is_for_end ? begin >= search->wanted : begin > search->wanted) {
        search->end = begin;
        return _URC_END_OF_STACK;
    }
    search->begin = begin;
    search->function = _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context));
    return ++search->frames < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool stack_frame_is_above(uintptr_t address)
{
    return address - (uintptr_t)__builtin_frame_address(0) < STACK;
}

/* Coroutines have stacks elsewhere, of which nothing can be said. */
static bool is_of_thread(uintptr_t address)
{
    static __thread uintptr_t low, size;
    pthread_attr_t attributes;
    void *memory = NULL;
    size_t bytes = 0;

    if (!size && !pthread_getattr_np(pthread_self(), &attributes)) {
        pthread_attr_getstack(&attributes, &memory, &bytes);
        pthread_attr_destroy(&attributes);
        low = (uintptr_t)memory;
        size = bytes;
    }
    return address - low < size && (uintptr_t)__builtin_frame_address(0) - low < size;
}

const void *stack_frame_thread(void)
{
    return &thread_name;
}

bool stack_frame_is_left(uintptr_t address, const void *thread, const void *top)
{
    uintptr_t now = (uintptr_t)top;

    return thread == &thread_name && address < now && now - address < STACK && is_of_thread(address);
}

bool stack_frame_find(uintptr_t address, struct stack_frame *frame)
{
    struct frame_search search = {.wanted = address};

    if (!stack_frame_is_above(address))
        return false;
    _Unwind_Backtrace(look_at_variables, &search);
    if (!search.end || !search.begin || search.begin > address)
        return false;
    *frame = (struct stack_frame){search.end - RETURN, search.function, &thread_name};
    return true;
}

bool stack_frame_is_gone(const struct stack_frame *frame, const void *top)
{
    struct frame_search search = {.wanted = frame->end + RETURN, .is_for_end = true};

    if (!frame->end || frame->thread != &thread_name || !is_of_thread(frame->end))
        return false;
    if (stack_frame_is_left(frame->end, frame->thread, top))
        return true;
    _Unwind_Backtrace(look_at_variables, &search);
    return search.end && (search.end != frame->end + RETURN || search.function != frame->function);
}
