/* Finds rows of the hint table by their keys, also by a misspelled one, and names their variables of the environment. */
#include "hint/hint.h"

#include "plain/spelling.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const struct hint_row *hint_find(const char *key)
{
    for (int i = 0; i < HINT_COUNT; i++)
        if (strcmp(hint_table[i].key, key) == 0)
            return &hint_table[i];
    return NULL;
}

/* Whether `key` is a misspelling of the full key, or of its last part without the common prefix:
 * "no_any_tags" for "mpi_assert_no_any_tag". */
static bool find_is_near(const char *key, const char *full, int *distance)
{
    static const char *const prefixes[] = {"", "mpi_assert_", "mpi_"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);

        if (strncmp(full, prefixes[i], length) == 0 && spelling_is_near(key, full + length, distance))
            return true;
    }
    return false;
}

const struct hint_row *hint_nearest(const char *key)
{
    const struct hint_row *nearest = NULL;
    int least = INT_MAX, distance;

    for (int i = 0; i < HINT_COUNT; i++) {
        const struct hint_row *row = &hint_table[i];

        if (find_is_near(key, row->key, &distance) && distance < least) {
            nearest = row;
            least = distance;
        }
    }
    return nearest;
}

bool hint_has_variable(const struct hint_row *row, bool of_comm)
{
    return row->on & ON_PROCESS && (!of_comm || row->on & ON_COMM);
}

void hint_variable_name(const struct hint_row *row, bool of_comm, char *name, size_t size)
{
    snprintf(name, size, "%s%s", of_comm ? "inkling_comm_" : "",
             of_comm ? strchr(row->key, '_') + 1 : row->key);
}
