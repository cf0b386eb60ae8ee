/* stack_frame: the function whose variables an address of this thread's stack is among, as the unwinder sees it. */
#ifndef INSIGHT_MEMORY_STACK_FRAME_H
#define INSIGHT_MEMORY_STACK_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct stack_frame {
    uintptr_t end; /* of its variables; 0: none */
    void *function;
    const void *thread; /* a name */
};

/* Whether an address may be of this thread's stack. */
bool stack_frame_is_above(uintptr_t address);
/* A name of this thread. */
const void *stack_frame_thread(void);
/* An address that was on that thread's stack is below the program's, which begins above `top`: what was there is gone. */
bool stack_frame_is_left(uintptr_t address, const void *thread, const void *top);
/* False: not on this thread's stack, or not known. */
bool stack_frame_find(uintptr_t address, struct stack_frame *frame);
/* The function has returned: false also if that is not known. */
bool stack_frame_is_gone(const struct stack_frame *frame, const void *top);

#endif
