/* Windows as data: handles, names, groups, attributes, error handlers. */
#include "win/win.h"

#include "hint/outside.h"
#include "p2p/mitigate.h"
#include "plain/fail.h"

#include <string.h>

struct pool win_pool = POOL_INIT(OBJECT_WIN, struct win);

static struct lock name_lock = LOCK_INIT; /* guards every window's name */

int win_revoke(struct win *win)
{
    return mitigate_revoke(win->comm);
}

int win_get_group(struct win *win, struct group **group)
{
    return comm_get_group(win->comm, group);
}

/* Hints from outside for that name. */
static int offer_to_named(struct win *win)
{
    struct hints next;

    win->hints.name = win->name;
    if (!outside_knows_name(win->name))
        return MPI_SUCCESS;
    if (!hints_copy(&win->hints, &next))
        return fail(MPI_ERR_NO_MEM, "no memory for the hints of \"%s\"", win->name);
    outside_offer_named(&next);
    hints_move(&win->hints, &next);
    hints_fini(&next);
    return MPI_SUCCESS;
}

int win_set_name(struct win *win, const char *name)
{
    size_t length = strnlen(name, sizeof win->name - 1);

    lock_take(&name_lock);
    memcpy(win->name, name, length);
    win->name[length] = '\0';
    lock_release(&name_lock);
    return offer_to_named(win);
}

int win_get_name_of_handle(MPI_Win handle, char *name, int *length)
{
    static const char null_name[] = "MPI_WIN_NULL";
    struct win *win = win_find(handle);

    if (!win && handle != MPI_WIN_NULL)
        return fail(MPI_ERR_WIN, "win is no window, or one that has been freed");
    lock_take(&name_lock);
    strcpy(name, win ? win->name : null_name);
    lock_release(&name_lock);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

int win_set_errhandler(struct win *win, struct errhandler *e)
{
    return errhandler_attach(&win->errhandler, OBJECT_WIN, e);
}

int win_get_errhandler(struct win *win, struct errhandler **e)
{
    errhandler_hand_out(&win->errhandler, e);
    return MPI_SUCCESS;
}

/* The value of a predefined attribute: the base itself, else the address of a number that stays as it is. */
static void *win_predefined_value(struct win *win, int keyval)
{
    static int model = MPI_WIN_UNIFIED;

    switch (keyval) {
    case MPI_WIN_BASE:
        return win->flavor == MPI_WIN_FLAVOR_DYNAMIC ? MPI_BOTTOM : (void *)(uintptr_t)win->mine.address;
    case MPI_WIN_SIZE:
        return &win->mine.bytes;
    case MPI_WIN_DISP_UNIT:
        return &win->unit_attribute;
    case MPI_WIN_CREATE_FLAVOR:
        return &win->flavor;
    default:
        return &model;
    }
}

int win_get_attribute(struct win *win, int keyval, void *value, int *flag)
{
    if (keyval < MPI_WIN_BASE || keyval > MPI_WIN_MODEL)
        return attribute_get_value(&win->attributes, OBJECT_WIN, keyval, value, flag);
    *(void **)value = win_predefined_value(win, keyval);
    *flag = 1;
    return MPI_SUCCESS;
}

int win_set_attribute(struct win *win, int keyval, void *value)
{
    return attribute_set_value(&win->attributes, OBJECT_WIN, win_handle(win), keyval, value);
}

int win_delete_attribute(struct win *win, int keyval)
{
    return attribute_delete(&win->attributes, OBJECT_WIN, win_handle(win), keyval);
}

int win_get_info(struct win *win, struct info **info)
{
    return info_of_hints(&win->hints, info);
}

int win_finish(struct request **request)
{
    if (request)
        *request = request_of_done_send();
    return MPI_SUCCESS;
}
