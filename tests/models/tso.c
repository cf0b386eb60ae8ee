#include "engine.h"

#include <string.h>

uint64_t tso_load(const struct thread *t, const struct place *p)
{
    for (int i = t->buffered - 1; i >= 0; i--)
        if (t->buffer[i].at == p->at)
            return t->buffer[i].value;
    return raw_load(p->at, p->size);
}

void tso_write(struct place *p, uint64_t value)
{
    raw_store((volatile void *)(uintptr_t)p->at, p->size, value);
    p->version++;
    p->event = engine->events - 1;
}

void tso_buffer(struct thread *t, struct place *p, uint64_t value)
{
    if (t->buffered == PENDING)
        model_fail("the model has more stores in a buffer than PENDING");
    t->buffer[t->buffered].at = (volatile void *)(uintptr_t)p->at;
    t->buffer[t->buffered].size = p->size;
    t->buffer[t->buffered++].value = value;
}

void tso_drain(struct thread *t)
{
    tso_write(place_of(t->buffer[0].at, t->buffer[0].size), t->buffer[0].value);
    memmove(t->buffer, t->buffer + 1, (size_t)--t->buffered * sizeof t->buffer[0]);
}
