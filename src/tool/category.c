/* Groups of variables (MPI-5.0 section 16.3.9), the rows of metric_category_table. They never change. */
#include "metric/event.h"
#include "plain/fail.h"
#include "tool/tool.h"

#include <stdbool.h>
#include <string.h>

/* Whether a category has the variable, event type or category of this index. */
typedef bool category_has(int category, int index);

static bool has_cvar(int category, int index)
{
    (void)index;
    return category == CATEGORY_SETTINGS;
}

static bool has_pvar(int category, int index)
{
    return (int)metric_table[index].category == category;
}

static bool has_event(int category, int index)
{
    return (int)event_source_table[event_table[index].source].category == category;
}

static bool has_category(int category, int index)
{
    return category == CATEGORY_ALL && index != CATEGORY_ALL;
}

/* Counts the members, and writes the indices of the first `len`. */
static int category_list(int category, category_has *has, int all, int len, int *indices)
{
    int count = 0;

    for (int i = 0; i < all; i++) {
        if (!has(category, i))
            continue;
        if (count < len)
            indices[count] = i;
        count++;
    }
    return count;
}

static int category_check(int index)
{
    int error = tool_check();

    if (error)
        return error;
    return index < 0 || index >= CATEGORY_COUNT ? tool_fail_index("category", index, CATEGORY_COUNT)
                                                : MPI_SUCCESS;
}

int category_get_num(int *num_cat)
{
    int error = tool_check();

    if (error)
        return error;
    if (!num_cat)
        return tool_fail_null("num_cat");
    *num_cat = CATEGORY_COUNT;
    return MPI_SUCCESS;
}

int category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
                      int *num_pvars, int *num_categories)
{
    int error = category_check(cat_index);

    if (error)
        return error;
    tool_copy_text(metric_category_table[cat_index].name, name, name_len);
    tool_copy_text(metric_category_table[cat_index].text, desc, desc_len);
    tool_give(num_cvars, category_list(cat_index, has_cvar, cvar_count(), 0, NULL));
    tool_give(num_pvars, category_list(cat_index, has_pvar, metric_rows(), 0, NULL));
    tool_give(num_categories, category_list(cat_index, has_category, CATEGORY_COUNT, 0, NULL));
    return MPI_SUCCESS;
}

int category_get_num_events(int cat_index, int *num_events)
{
    int error = category_check(cat_index);

    if (error)
        return error;
    tool_give(num_events, category_list(cat_index, has_event, EVENT_COUNT, 0, NULL));
    return MPI_SUCCESS;
}

int category_get_index(const char *name, int *cat_index)
{
    int error = tool_check();

    if (error)
        return error;
    if (!name || !cat_index)
        return tool_fail_null(name ? "cat_index" : "name");
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (strcmp(metric_category_table[i].name, name) == 0) {
            *cat_index = i;
            return MPI_SUCCESS;
        }
    return tool_fail_name("category", name);
}

static int get_members(int category, category_has *has, int all, int len, int *indices)
{
    int error = category_check(category);

    if (error)
        return error;
    if (len < 0 || (len > 0 && !indices))
        return len < 0 ? fail(MPI_T_ERR_INVALID, "len %d is negative", len) : tool_fail_null("indices");
    category_list(category, has, all, len, indices);
    return MPI_SUCCESS;
}

int category_get_cvars(int cat_index, int len, int indices[])
{
    return get_members(cat_index, has_cvar, cvar_count(), len, indices);
}

int category_get_pvars(int cat_index, int len, int indices[])
{
    return get_members(cat_index, has_pvar, metric_rows(), len, indices);
}

int category_get_events(int cat_index, int len, int indices[])
{
    return get_members(cat_index, has_event, EVENT_COUNT, len, indices);
}

int category_get_categories(int cat_index, int len, int indices[])
{
    return get_members(cat_index, has_category, CATEGORY_COUNT, len, indices);
}

int category_changed(int *update_number)
{
    int error = tool_check();

    if (error)
        return error;
    if (!update_number)
        return tool_fail_null("update_number");
    *update_number = 0;
    return MPI_SUCCESS;
}
