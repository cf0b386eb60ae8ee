#include "tool/cvar.h"

#include "base/fail.h"
#include "base/list.h"
#include "hint/hint.h"
#include "hint/parse.h"
#include "object/object.h"
#include "tool/enumeration.h"
#include "tool/tool.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct cvar_handle {
    struct object object;
    struct link link; /* in handles */
    enum hint_id id;
};

static struct pool cvar_pool = POOL_INIT(OBJECT_CVAR_HANDLE, struct cvar_handle);
static struct link handles = LIST_INIT(handles); /* guarded by tool_lock */

/* The row of the index, counted from 0; HINT_COUNT: there are not so many. */
static int cvar_row(int index)
{
    int id = 0;

    for (; id < HINT_COUNT; id++)
        if (hint_table[id].on & ON_PROCESS && index-- == 0)
            break;
    return id;
}

int cvar_count(void)
{
    int count = 0;

    for (int id = 0; id < HINT_COUNT; id++)
        count += (hint_table[id].on & ON_PROCESS) != 0;
    return count;
}

static int cvar_check(int index)
{
    int error = tool_check();

    if (error)
        return error;
    return index < 0 || index >= cvar_count() ? tool_fail_index("control variable", index, cvar_count())
                                              : MPI_SUCCESS;
}

int cvar_get_num(int *num_cvar)
{
    int error = tool_check();

    if (error)
        return error;
    if (!num_cvar)
        return tool_fail_null("num_cvar");
    *num_cvar = cvar_count();
    return MPI_SUCCESS;
}

static MPI_Datatype cvar_type(const struct hint_row *row)
{
    switch (row->type) {
    case HINT_BOOL:
    case HINT_CHOICE:
        return MPI_INT;
    case HINT_INT:
    case HINT_SIZE:
    case HINT_DURATION:
        return MPI_INT64_T;
    default:
        return MPI_CHAR;
    }
}

static void cvar_describe(const struct hint_row *row, char *text, size_t size)
{
    snprintf(text, size, "%s %s: %s. %s %s", row->text,
             row->type == HINT_DURATION ? "In nanoseconds" : "Effect", row->effect,
             row->agree == AGREE_SAME ? "All connected processes must set the same value."
                                      : "Each process may set a value of its own.",
             row->when & AT_SET ? "It can be written at any time."
                                : "It can be written before MPI is initialized.");
}

int cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
                  MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope)
{
    int error = cvar_check(cvar_index), id = cvar_row(cvar_index);
    const struct hint_row *row = &hint_table[id];
    char text[1024];

    if (error)
        return error;
    tool_copy_text(row->key, name, name_len);
    tool_give(verbosity, row->verbosity ? row->verbosity : MPI_T_VERBOSITY_TUNER_BASIC);
    if (datatype)
        *datatype = cvar_type(row);
    if (enumtype)
        *enumtype = enumeration_of_hint((enum hint_id)id);
    cvar_describe(row, text, sizeof text);
    tool_copy_text(text, desc, desc_len);
    tool_give(bind, MPI_T_BIND_NO_OBJECT);
    tool_give(scope, row->agree == AGREE_SAME ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL);
    return MPI_SUCCESS;
}

int cvar_get_index(const char *name, int *cvar_index)
{
    int error = tool_check();

    if (error)
        return error;
    if (!name || !cvar_index)
        return tool_fail_null(name ? "cvar_index" : "name");
    for (int i = 0; i < cvar_count(); i++)
        if (strcmp(hint_table[cvar_row(i)].key, name) == 0) {
            *cvar_index = i;
            return MPI_SUCCESS;
        }
    return tool_fail_name("control variable", name);
}

int cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
    int error = cvar_check(cvar_index);
    struct cvar_handle *h;

    (void)obj_handle;
    if (error)
        return error;
    if (!handle)
        return tool_fail_null("handle");
    error = tool_enter();
    if (error)
        return error;
    h = pool_new(&cvar_pool);
    if (h) {
        h->id = (enum hint_id)cvar_row(cvar_index);
        list_add(&handles, &h->link);
        *handle = object_to_handle(h, MPI_T_CVAR_HANDLE_NULL);
        tool_give(count, cvar_type(&hint_table[h->id]) == MPI_CHAR ? MPI_MAX_INFO_VAL : 1);
    }
    tool_leave();
    return h ? MPI_SUCCESS : fail(MPI_T_ERR_OUT_OF_HANDLES, "no memory for another handle");
}

/* The caller holds the lock. */
static void cvar_free(struct cvar_handle *h)
{
    list_remove(&h->link);
    pool_free(&cvar_pool, h);
}

void cvar_free_all(void)
{
    while (!list_is_empty(&handles))
        cvar_free(LIST_ENTRY(handles.next, struct cvar_handle, link));
}

/* Success takes the lock. */
static int cvar_enter(MPI_T_cvar_handle handle, struct cvar_handle **h)
{
    int error = tool_enter();

    if (error)
        return error;
    *h = pool_find(&cvar_pool, object_word(handle));
    if (*h)
        return MPI_SUCCESS;
    tool_leave();
    return tool_fail_handle("control variable");
}

int cvar_handle_free(MPI_T_cvar_handle *handle)
{
    struct cvar_handle *h;
    int error = handle ? cvar_enter(*handle, &h) : tool_fail_null("handle");

    if (error)
        return error;
    cvar_free(h);
    tool_leave();
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

static void read_row(enum hint_id id, void *buf)
{
    int64_t value = hint_value(&hint_process, id);
    MPI_Datatype type = cvar_type(&hint_table[id]);

    if (type == MPI_INT)
        *(int *)buf = (int)value;
    else if (type == MPI_INT64_T)
        *(int64_t *)buf = value;
    else
        hint_process_read_text(id, buf, MPI_MAX_INFO_VAL);
}

int cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    struct cvar_handle *h;
    int error = buf ? cvar_enter(handle, &h) : tool_fail_null("buf");

    if (error)
        return error;
    read_row(h->id, buf);
    tool_leave();
    return MPI_SUCCESS;
}

/* The value as the environment would have it. */
static void format_value(enum hint_id id, const void *buf, char *text, size_t size)
{
    MPI_Datatype type = cvar_type(&hint_table[id]);

    if (type == MPI_CHAR)
        snprintf(text, size, "%s", (const char *)buf);
    else
        hint_format_value(&hint_table[id], type == MPI_INT ? *(const int *)buf : *(const int64_t *)buf, text,
                          size);
}

static bool is_item(enum hint_id id, int value)
{
    int items = 0;
    MPI_T_enum items_of = enumeration_of_hint(id);

    return enumeration_get_info(items_of, &items, NULL, NULL) == MPI_SUCCESS && value >= 0 && value < items;
}

static int fail_fixed(enum hint_id id)
{
    return fail(MPI_T_ERR_CVAR_SET_NEVER, "%s cannot change once MPI is initialized", hint_table[id].key);
}

static int write_row(enum hint_id id, const void *buf)
{
    char text[MPI_MAX_INFO_VAL + 1];

    if (hint_process_is_fixed() && !(hint_table[id].when & AT_SET))
        return fail_fixed(id);
    if (cvar_type(&hint_table[id]) == MPI_INT && !is_item(id, *(const int *)buf))
        return fail(MPI_T_ERR_INVALID, "%d is no value of %s", *(const int *)buf, hint_table[id].key);
    format_value(id, buf, text, sizeof text);
    switch (hint_process_write(id, text)) {
    case HINT_ACCEPTED:
        return MPI_SUCCESS;
    case HINT_NOT_NOW: /* another thread has begun to initialize MPI */
        return fail_fixed(id);
    case HINT_NO_MEMORY:
        return fail(MPI_T_ERR_MEMORY, "no memory for the value of %s", hint_table[id].key);
    default:
        return fail(MPI_T_ERR_INVALID, "%s cannot be %s", hint_table[id].key, text);
    }
}

int cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
    struct cvar_handle *h;
    int error = buf ? cvar_enter(handle, &h) : tool_fail_null("buf");

    if (error)
        return error;
    error = write_row(h->id, buf);
    tool_leave();
    return error;
}
