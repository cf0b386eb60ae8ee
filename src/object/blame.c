#include "object/error.h"

static _Thread_local struct object *blamed;
static _Thread_local bool is_blamed;
static _Thread_local const void *changed_at; /* NULL: nothing changed */
static _Thread_local uint64_t changed;

bool blame_is_counted(const struct object *owner)
{
    return owner->kind == OBJECT_COMM || owner->kind == OBJECT_SESSION;
}

/* A window or a file that was freed although requests of its were left has none. */
static bool has_handler(const struct object *owner)
{
    if (owner->kind == OBJECT_WIN || owner->kind == OBJECT_FILE)
        return object_handle(owner) != 0;
    return blame_is_counted(owner);
}

void blame_object(struct object *owner)
{
    if (is_blamed)
        return;
    blamed = owner && has_handler(owner) ? owner : NULL;
    if (blamed && blame_is_counted(blamed))
        object_ref(blamed);
    is_blamed = true;
}

bool blame_take(struct object **owner)
{
    bool is = is_blamed;

    *owner = is ? blamed : NULL;
    is_blamed = false;
    return is;
}

void blame_handle(const void *at, uint64_t handle)
{
    changed_at = at;
    changed = handle;
}

const void *blame_take_handle(uint64_t *handle)
{
    const void *at = changed_at;

    *handle = changed;
    changed_at = NULL;
    return at;
}
