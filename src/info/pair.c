#include "info/pair.h"

#include "plain/fail.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CAPACITY = 8
};

struct info_pair *pair_find(const struct info *info, const char *key)
{
    for (int i = 0; i < info->count; i++)
        if (strcmp(info->pair[i].key, key) == 0)
            return &info->pair[i];
    return NULL;
}

static int pair_check_lengths(const char *key, const char *value)
{
    if (!key || !*key)
        return fail(MPI_ERR_INFO_KEY, "the info key is empty");
    if (strlen(key) >= MPI_MAX_INFO_KEY)
        return fail(MPI_ERR_INFO_KEY, "info key \"%.40s...\" has %zu characters; at most %d are allowed", key,
                    strlen(key), MPI_MAX_INFO_KEY - 1);
    if (!value)
        return fail(MPI_ERR_INFO_VALUE, "the value of info key \"%s\" is a null pointer", key);
    if (strlen(value) > MPI_MAX_INFO_VAL)
        return fail(MPI_ERR_INFO_VALUE,
                    "the value of info key \"%.80s\" has %zu characters; at most %d are allowed", key,
                    strlen(value), MPI_MAX_INFO_VAL);
    return MPI_SUCCESS;
}

static int pair_no_memory(const char *key)
{
    return fail(MPI_ERR_NO_MEM, "no memory for info key \"%.80s\"", key);
}

static bool pair_make_room(struct info *info)
{
    int capacity = info->capacity ? 2 * info->capacity : FIRST_CAPACITY;
    struct info_pair *pair;

    if (info->count < info->capacity)
        return true;
    pair = realloc(info->pair, (size_t)capacity * sizeof *pair);
    if (!pair)
        return false;
    info->pair = pair;
    info->capacity = capacity;
    return true;
}

static int replace(struct info_pair *pair, const char *value)
{
    char *text = strdup(value);

    if (!text)
        return pair_no_memory(pair->key);
    free(pair->value);
    pair->value = text;
    return MPI_SUCCESS;
}

static int pair_add(struct info *info, const char *key, const char *value)
{
    struct info_pair pair;

    if (!pair_make_room(info))
        return pair_no_memory(key);
    pair = (struct info_pair){strdup(key), strdup(value)};
    if (!pair.key || !pair.value) {
        free(pair.key);
        free(pair.value);
        return pair_no_memory(key);
    }
    info->pair[info->count++] = pair;
    return MPI_SUCCESS;
}

int pair_set(struct info *info, const char *key, const char *value)
{
    struct info_pair *pair;
    int error = pair_check_lengths(key, value);

    if (error)
        return error;
    pair = pair_find(info, key);
    return pair ? replace(pair, value) : pair_add(info, key, value);
}
