#include "tool/tool.h"

#include "hint/parse.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_EVENT = HINT_COUNT,
    CROWD = FIRST_EVENT + EVENT_COUNT,
    ENUMERATIONS,
    NAME_SIZE = 80
};

static const char crowd_states[] = "a core for each process,more processes than cores";

static MPI_T_enum enumeration_handle(int number)
{
    return (MPI_T_enum)(uintptr_t)(number + 1);
}

MPI_T_enum enumeration_of_hint(enum hint_id id)
{
    enum hint_type type = hint_table[id].type;

    return type == HINT_BOOL || type == HINT_CHOICE ? enumeration_handle((int)id) : MPI_T_ENUM_NULL;
}

MPI_T_enum enumeration_of_event(enum event_id id)
{
    return enumeration_handle(FIRST_EVENT + (int)id);
}

MPI_T_enum enumeration_of_crowd(void)
{
    return enumeration_handle(CROWD);
}

/* Whether it is one of those above; then its number. */
static bool enumeration_find(MPI_T_enum handle, int *number)
{
    uintptr_t word = (uintptr_t)handle;

    *number = (int)word - 1;
    if (word == 0 || word > ENUMERATIONS)
        return false;
    return *number >= FIRST_EVENT ||
           (hint_table[*number].on & ON_PROCESS && enumeration_of_hint((enum hint_id) * number));
}

/* The words of a list, or NULL: the enumeration's are elsewhere. */
static const char *list_of(int number)
{
    if (number == CROWD)
        return crowd_states;
    if (number >= FIRST_EVENT)
        return NULL;
    return hint_table[number].type == HINT_BOOL ? "false,true" : hint_table[number].choices;
}

/* Writes the name of an item; false: there is none. */
static bool item_name(int number, int item, char *name)
{
    const char *list = list_of(number);
    struct hint_span word = {NULL, 0};

    if (!list) {
        const char *const *element = event_table[number - FIRST_EVENT].element;

        for (int i = 0; element[i]; i++)
            if (i == item)
                return snprintf(name, NAME_SIZE, "%s", element[i]) > 0;
        return false;
    }
    for (int i = 0; i <= item; i++)
        if (!hint_list_next(&list, &word))
            return false;
    snprintf(name, NAME_SIZE, "%.*s", (int)word.length, word.start);
    return true;
}

static int item_count(int number)
{
    char name[NAME_SIZE];
    int count = 0;

    while (item_name(number, count, name))
        count++;
    return count;
}

static void enumeration_name(int number, char *name)
{
    if (number == CROWD)
        snprintf(name, NAME_SIZE, "inkling_crowd");
    else if (number >= FIRST_EVENT)
        snprintf(name, NAME_SIZE, "%s_elements", event_table[number - FIRST_EVENT].name);
    else
        snprintf(name, NAME_SIZE, "%s", hint_table[number].key);
}

int enumeration_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    char text[NAME_SIZE];
    int number, error = tool_check();

    if (error)
        return error;
    if (!enumeration_find(enumtype, &number))
        return tool_fail_handle("enumeration");
    tool_give(num, item_count(number));
    enumeration_name(number, text);
    tool_copy_text(text, name, name_len);
    return MPI_SUCCESS;
}

int enumeration_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len)
{
    char text[NAME_SIZE];
    int number, error = tool_check();

    if (error)
        return error;
    if (!enumeration_find(enumtype, &number))
        return tool_fail_handle("enumeration");
    if (indx < 0 || !item_name(number, indx, text))
        return tool_fail_index("item", indx, item_count(number));
    tool_give(value, indx);
    tool_copy_text(text, name, name_len);
    return MPI_SUCCESS;
}
