#include "insight/objects/info_value.h"

#include "insight/board/process_record.h"

#include <string.h>

void info_value_read(MPI_Info info, const char *key, char *value, size_t size)
{
    int length = (int)size, found = 0;

    value[0] = '\0';
    real.Info_get_string(info, key, &length, value, &found);
    if (!found)
        value[0] = '\0';
}

/* Inkling speaks of each hint, and refuses what is malformed. */
void info_value_add_given(const struct intercept *call, MPI_Info kept)
{
    MPI_Info given =
        intercept_has(call, AT_INFO) ? (MPI_Info)(intptr_t)intercept_argument(call, AT_INFO) : MPI_INFO_NULL;
    int keys = 0;

    if (given == MPI_INFO_NULL || process_is_inkling() || real.Info_get_nkeys(given, &keys))
        return;
    for (int i = 0; i < keys; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];

        real.Info_get_nthkey(given, i, key);
        info_value_read(kept, key, value, sizeof value);
        if (*value)
            continue;
        info_value_read(given, key, value, sizeof value);
        real.Info_set(kept, key, value);
    }
}

const char *info_value_word(const char **list, size_t *length)
{
    const char *word = *list + strspn(*list, ", ");

    *length = strcspn(word, ", ");
    *list = word + *length;
    return *length ? word : NULL;
}
