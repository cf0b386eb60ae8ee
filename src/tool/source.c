#include "tool/tool.h"

#include "info/info.h"
#include "metric/event.h"
#include "plain/clock.h"
#include "plain/fail.h"

#include <stdint.h>

int source_make_info(MPI_Info *info)
{
    struct info *made;

    if (info_new(&made))
        return fail(MPI_T_ERR_MEMORY, "no memory for an info object");
    *info = object_to_handle(made, MPI_INFO_NULL);
    return MPI_SUCCESS;
}

static int source_check(int index)
{
    int error = tool_check();

    if (error)
        return error;
    return index < 0 || index >= SOURCE_COUNT ? tool_fail_index("event source", index, SOURCE_COUNT)
                                              : MPI_SUCCESS;
}

int source_get_num(int *num_sources)
{
    int error = tool_check();

    if (error)
        return error;
    if (!num_sources)
        return tool_fail_null("num_sources");
    *num_sources = SOURCE_COUNT;
    return MPI_SUCCESS;
}

int source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                    MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                    MPI_Info *info)
{
    int error = source_check(source_index);

    if (!error && info)
        error = source_make_info(info);
    if (error)
        return error;
    tool_copy_text(event_source_table[source_index].name, name, name_len);
    tool_copy_text(event_source_table[source_index].text, desc, desc_len);
    if (ordering)
        *ordering = MPI_T_SOURCE_ORDERED;
    if (ticks_per_second)
        *ticks_per_second = 1000000000;
    if (max_ticks)
        *max_ticks = INT64_MAX;
    return MPI_SUCCESS;
}

int source_get_timestamp(int source_index, MPI_Count *timestamp)
{
    int error = source_check(source_index);

    if (error)
        return error;
    if (!timestamp)
        return tool_fail_null("timestamp");
    *timestamp = (MPI_Count)clock_ns();
    return MPI_SUCCESS;
}
