/* A build without the headers of elfutils. */
#include "cmd/where/stack.h"

const char *stack_absence(void)
{
    return "this build has no elfutils' headers (apt install libdw-dev; make)";
}

bool stack_open(const struct traced *t)
{
    (void)t;
    return false;
}

bool stack_describe(uint64_t address, struct call_frame *frame)
{
    (void)address;
    (void)frame;
    return false;
}

int stack_unwind(const struct traced *t, pid_t tid, const struct stack_copy *copy, struct call_frame *frame)
{
    (void)t;
    (void)tid;
    (void)copy;
    (void)frame;
    return 0;
}

void stack_close(void)
{
}
