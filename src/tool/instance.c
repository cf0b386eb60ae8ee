#include "tool/tool.h"

#include "plain/fail.h"

#include <stdint.h>
#include <string.h>

/* What callbacks look at. Release by the thread that delivers, acquire by a callback's: they are one. */
static _Atomic(const struct event *) shown;

MPI_T_event_instance instance_show(const struct event *e)
{
    atomic_store_explicit(&shown, e, memory_order_release);
    return (MPI_T_event_instance)(uintptr_t)e;
}

int instance_elements(const struct event_row *row)
{
    int count = 0;

    while (row->element[count])
        count++;
    return count;
}

MPI_Aint instance_place(const struct event_row *row, int element)
{
    if (!row->has_key || element == 0)
        return (MPI_Aint)sizeof(int64_t) * element;
    return EVENT_KEY + (MPI_Aint)sizeof(int64_t) * (element - 1);
}

MPI_Datatype instance_type(const struct event_row *row, int element)
{
    return row->has_key && element == 0 ? MPI_CHAR : MPI_INT64_T;
}

static int instance_find(MPI_T_event_instance instance, const struct event **e)
{
    *e = atomic_load_explicit(&shown, memory_order_acquire);
    return *e && (const void *)instance == *e ? MPI_SUCCESS : tool_fail_handle("event that is being told");
}

static void read_element(const struct event *e, int element, void *to)
{
    const struct event_row *row = &event_table[e->id];

    if (row->has_key && element == 0)
        memcpy(to, e->key, sizeof e->key);
    else
        memcpy(to, &e->value[element - row->has_key], sizeof e->value[0]);
}

int instance_read(MPI_T_event_instance instance, int element_index, void *buffer)
{
    const struct event *e = NULL;
    int count, error = buffer ? instance_find(instance, &e) : tool_fail_null("buffer");

    if (error)
        return error;
    count = instance_elements(&event_table[e->id]);
    if (element_index < 0 || element_index >= count)
        return tool_fail_index("element", element_index, count);
    read_element(e, element_index, buffer);
    return MPI_SUCCESS;
}

int instance_copy(MPI_T_event_instance instance, void *buffer)
{
    const struct event *e = NULL;
    int error = buffer ? instance_find(instance, &e) : tool_fail_null("buffer");

    if (error)
        return error;
    for (int i = 0; i < instance_elements(&event_table[e->id]); i++)
        read_element(e, i, (char *)buffer + instance_place(&event_table[e->id], i));
    return MPI_SUCCESS;
}

int instance_get_timestamp(MPI_T_event_instance instance, MPI_Count *timestamp)
{
    const struct event *e = NULL;
    int error = timestamp ? instance_find(instance, &e) : tool_fail_null("event_timestamp");

    if (!error)
        *timestamp = (MPI_Count)e->ns;
    return error;
}

int instance_get_source(MPI_T_event_instance instance, int *source_index)
{
    const struct event *e = NULL;
    int error = source_index ? instance_find(instance, &e) : tool_fail_null("source_index");

    if (!error)
        *source_index = (int)event_table[e->id].source;
    return error;
}
