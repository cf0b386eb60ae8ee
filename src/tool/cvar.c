#include "tool/tool.h"

#include "base/list.h"
#include "comm/comm.h"
#include "hint/hint.h"
#include "hint/parse.h"
#include "object/object.h"
#include "plain/fail.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A row on this process, or on a communicator. */
struct variable {
    enum hint_id id; /* HINT_COUNT: none */
    bool is_of_comm;
};

struct cvar_handle {
    struct object object;
    struct link link; /* in handles */
    struct variable variable;
    MPI_Comm comm; /* where it is bound to one */
};

static struct pool cvar_pool = POOL_INIT(OBJECT_CVAR_HANDLE, struct cvar_handle);
static struct link handles = LIST_INIT(handles); /* guarded by tool_lock */

/* Those of the process come first. */
static struct variable variable_at(int index)
{
    for (int of_comm = 0; of_comm < 2; of_comm++)
        for (int id = 0; id < HINT_COUNT; id++)
            if (hint_has_variable(&hint_table[id], of_comm) && index-- == 0)
                return (struct variable){(enum hint_id)id, of_comm};
    return (struct variable){HINT_COUNT, false};
}

int cvar_count(void)
{
    int count = 0;

    for (int of_comm = 0; of_comm < 2; of_comm++)
        for (int id = 0; id < HINT_COUNT; id++)
            count += hint_has_variable(&hint_table[id], of_comm);
    return count;
}

/* What one process may write: what the others need not know. */
static bool is_writable(struct variable v)
{
    return !v.is_of_comm || hint_table[v.id].agree == AGREE_LOCAL;
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

static void cvar_describe(struct variable v, char *text, size_t size)
{
    const struct hint_row *row = &hint_table[v.id];
    const char *who = row->agree == AGREE_SAME ? "All connected processes must set the same value."
                                               : "Each process may set a value of its own.",
               *when = row->when & AT_SET ? "It can be written at any time."
                                          : "It can be written before MPI is initialized.";

    if (!is_writable(v)) {
        who = "All ranks of the communicator have the same value.";
        when = "MPI_Comm_set_info changes it.";
    }
    snprintf(text, size, "%s%s %s: %s. %s %s", v.is_of_comm ? "On this communicator: " : "", row->text,
             row->type == HINT_DURATION ? "In nanoseconds" : "Effect", row->effect, who, when);
}

static int cvar_scope(struct variable v)
{
    if (!is_writable(v))
        return MPI_T_SCOPE_READONLY;
    return hint_table[v.id].agree == AGREE_SAME ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL;
}

int cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
                  MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope)
{
    struct variable v = variable_at(cvar_index);
    const struct hint_row *row = &hint_table[v.id];
    int error = cvar_check(cvar_index);
    char text[1024];

    if (error)
        return error;
    hint_variable_name(row, v.is_of_comm, text, sizeof text);
    tool_copy_text(text, name, name_len);
    tool_give(verbosity, row->verbosity ? row->verbosity : MPI_T_VERBOSITY_TUNER_BASIC);
    if (datatype)
        *datatype = cvar_type(row);
    if (enumtype)
        *enumtype = enumeration_of_hint(v.id);
    cvar_describe(v, text, sizeof text);
    tool_copy_text(text, desc, desc_len);
    tool_give(bind, v.is_of_comm ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT);
    tool_give(scope, cvar_scope(v));
    return MPI_SUCCESS;
}

int cvar_get_index(const char *name, int *cvar_index)
{
    int error = tool_check();

    if (error)
        return error;
    if (!name || !cvar_index)
        return tool_fail_null(name ? "cvar_index" : "name");
    for (int i = 0; i < cvar_count(); i++) {
        struct variable v = variable_at(i);
        char text[64];

        hint_variable_name(&hint_table[v.id], v.is_of_comm, text, sizeof text);
        if (strcmp(text, name) == 0) {
            *cvar_index = i;
            return MPI_SUCCESS;
        }
    }
    return tool_fail_name("control variable", name);
}

/* The caller holds the lock. */
static int make_cvar_handle(struct variable v, const MPI_Comm *comm, MPI_T_cvar_handle *handle, int *count)
{
    struct cvar_handle *h;
    const struct comm *found;
    int error = v.is_of_comm ? tool_find_comm(comm, &found) : MPI_SUCCESS;

    if (error)
        return error;
    h = pool_new(&cvar_pool);
    if (!h)
        return fail(MPI_T_ERR_OUT_OF_HANDLES, "no memory for another handle");
    h->variable = v;
    h->comm = v.is_of_comm ? *comm : MPI_COMM_NULL;
    list_add(&handles, &h->link);
    *handle = object_to_handle(h, MPI_T_CVAR_HANDLE_NULL);
    tool_give(count, cvar_type(&hint_table[v.id]) == MPI_CHAR ? MPI_MAX_INFO_VAL : 1);
    return MPI_SUCCESS;
}

int cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
    int error = cvar_check(cvar_index);

    if (!error && !handle)
        error = tool_fail_null("handle");
    if (!error)
        error = tool_enter();
    if (error)
        return error;
    error = make_cvar_handle(variable_at(cvar_index), obj_handle, handle, count);
    tool_leave();
    return error;
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

/* The communicator of a handle, NULL of one that is bound to none. */
static int comm_of(const struct cvar_handle *h, struct comm **comm)
{
    *comm = h->variable.is_of_comm ? comm_find(h->comm) : NULL;
    if (h->variable.is_of_comm && !*comm)
        return fail(MPI_T_ERR_INVALID_HANDLE, "the communicator of the handle is freed");
    return MPI_SUCCESS;
}

static int read_variable(const struct cvar_handle *h, void *buf)
{
    enum hint_id id = h->variable.id;
    MPI_Datatype type = cvar_type(&hint_table[id]);
    struct comm *comm;
    int error = comm_of(h, &comm);
    int64_t value;

    if (error)
        return error;
    value = hint_effective(comm ? &comm->hints : &hint_process, id);
    if (type == MPI_INT)
        *(int *)buf = (int)value;
    else if (type == MPI_INT64_T)
        *(int64_t *)buf = value;
    else
        hint_process_read_text(id, buf, MPI_MAX_INFO_VAL);
    return MPI_SUCCESS;
}

int cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    struct cvar_handle *h;
    int error = buf ? cvar_enter(handle, &h) : tool_fail_null("buf");

    if (error)
        return error;
    error = read_variable(h, buf);
    tool_leave();
    return error;
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

static int fail_write(enum hint_id id, enum hint_verdict verdict, const char *text)
{
    if (verdict == HINT_NOT_NOW)
        return fail_fixed(id);
    if (verdict == HINT_NO_MEMORY)
        return fail(MPI_T_ERR_MEMORY, "no memory for the value of %s", hint_table[id].key);
    return fail(MPI_T_ERR_INVALID, "%s cannot be %s", hint_table[id].key, text);
}

/* As MPI_Comm_set_info would, but for this rank alone. */
static enum hint_verdict write_on_comm(struct comm *comm, enum hint_id id, const char *text)
{
    enum hint_verdict verdict;
    struct hints next;
    int64_t value;

    if (!parse_value(&hint_table[id], text, &value))
        return HINT_BAD_VALUE; /* without a warning */
    if (!hints_copy(&comm->hints, &next))
        return HINT_NO_MEMORY;
    next.giver = "MPI_T_cvar_write";
    verdict = hint_offer(&next, AT_SET, hint_table[id].key, text);
    if (verdict == HINT_ACCEPTED)
        hints_move(&comm->hints, &next);
    hints_fini(&next);
    return verdict;
}

static int write_variable(const struct cvar_handle *h, const void *buf)
{
    enum hint_id id = h->variable.id;
    enum hint_verdict verdict;
    char text[MPI_MAX_INFO_VAL + 1];
    struct comm *comm;
    int error = comm_of(h, &comm);

    if (error)
        return error;
    if (!is_writable(h->variable))
        return fail(MPI_T_ERR_CVAR_SET_NEVER,
                    "%s is the same on all ranks of a communicator; change it by MPI_Comm_set_info",
                    hint_table[id].key);
    if (!comm && hint_process_is_fixed() && !(hint_table[id].when & AT_SET))
        return fail_fixed(id);
    if (cvar_type(&hint_table[id]) == MPI_INT && !is_item(id, *(const int *)buf))
        return fail(MPI_T_ERR_INVALID, "%d is no value of %s", *(const int *)buf, hint_table[id].key);
    format_value(id, buf, text, sizeof text);
    verdict = comm ? write_on_comm(comm, id, text) : hint_process_write(id, text);
    return verdict == HINT_ACCEPTED ? MPI_SUCCESS : fail_write(id, verdict, text);
}

int cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
    struct cvar_handle *h;
    int error = buf ? cvar_enter(handle, &h) : tool_fail_null("buf");

    if (error)
        return error;
    error = write_variable(h, buf);
    tool_leave();
    return error;
}
