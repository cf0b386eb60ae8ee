/* stack_frame: the function whose variables an address of this thread's stack is among, as the unwinder sees it. */
#ifndef INSIGHT_STACK_FRAME_H
#define INSIGHT_STACK_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct stack_frame {
    uintptr_t end; /* of its variables; 0: none */
    void *function;
    const void *thread; /* a name */
};

/* Whether an address may be of this thread's stack. */
bool stack_frame_is_above(uintptr_t address);
/* False: not on this thread's stack, or not known. */
bool stack_frame_find(uintptr_t address, struct stack_frame *frame);
/* The function has returned: false also if that is not known. */
bool stack_frame_is_gone(const struct stack_frame *frame);

#endif
