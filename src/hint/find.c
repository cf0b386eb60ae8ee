#include "hint/hint.h"

#include "base/spelling.h"

#include <limits.h>
#include <string.h>

const struct hint_row *hint_find(const char *key)
{
    for (int i = 0; i < HINT_COUNT; i++)
        if (strcmp(hint_table[i].key, key) == 0)
            return &hint_table[i];
    return NULL;
}

/* "no_any_tag" for "mpi_assert_no_any_tag": a key without what all such keys begin with. */
static bool lacks_prefix(const char *key, const char *full)
{
    static const char *const prefixes[] = {"mpi_assert_", "mpi_"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);

        if (strncmp(full, prefixes[i], length) == 0 && strcmp(full + length, key) == 0)
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

        if (lacks_prefix(key, row->key))
            return row;
        if (spelling_is_near(key, row->key, &distance) && distance < least) {
            nearest = row;
            least = distance;
        }
    }
    return nearest;
}
