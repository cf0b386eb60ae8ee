#include "insight/info_value.h"

#include "insight/intercept.h"

#include <string.h>

void info_value_read(MPI_Info info, const char *key, char *value, size_t size)
{
    int length = (int)size, found = 0;

    value[0] = '\0';
    real.Info_get_string(info, key, &length, value, &found);
    if (!found)
        value[0] = '\0';
}

const char *info_value_word(const char **list, size_t *length)
{
    const char *word = *list + strspn(*list, ", ");

    *length = strcspn(word, ", ");
    *list = word + *length;
    return *length ? word : NULL;
}
