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

/* "no_any_tag" for "mpi_assert_no_any_tag": the names that MPI-3 proposals and other libraries used. */
static bool is_tail_of(const char *key, const char *full)
{
    size_t all = strlen(full), tail = strlen(key);

    return tail >= 6 && tail < all && full[all - tail - 1] == '_' && strcmp(full + all - tail, key) == 0;
}

const struct hint_row *hint_nearest(const char *key)
{
    const struct hint_row *nearest = NULL;
    int least = INT_MAX;

    for (int i = 0; i < HINT_COUNT; i++) {
        const struct hint_row *row = &hint_table[i];
        int distance = is_tail_of(key, row->key) ? 0 : spelling_distance(key, row->key);

        if (distance < least && (distance == 0 || spelling_is_near(key, row->key))) {
            nearest = row;
            least = distance;
        }
    }
    return nearest;
}
