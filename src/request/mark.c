#include "request/mark.h"

#include "request/request.h"

int request_mark(uint64_t handle, const void *caller)
{
    struct request *r = object_find_in_pool(&request_pool, handle);

    if (!r)
        return 0;
    if (!r->persistent) {
        if (!r->immortal) /* what all share is not written to */
            r->posted = caller;
    } else if (r->places) {
        *(r->active ? &r->places->started : &r->places->made) = caller;
    }
    return object_to_int(&r->object);
}
