#include "cmd/mpiexec/pmi/kvs.h"

#include "cmd/mpiexec/command_line/words.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    const char *key, *value;
};

static void *tree; /* of struct pair, by key; see tsearch(3) */

static int kvs_compare(const void *left, const void *right)
{
    return strcmp(((const struct pair *)left)->key, ((const struct pair *)right)->key);
}

bool kvs_put(const char *key, const char *value)
{
    struct pair *pair;

    if (kvs_get(key))
        return false;
    pair = words_allocate(sizeof *pair);
    *pair = (struct pair){words_format("%s", key), words_format("%s", value)};
    return tsearch(pair, &tree, kvs_compare) != NULL;
}

const char *kvs_get(const char *key)
{
    struct pair wanted = {key, NULL};
    void *found = tfind(&wanted, &tree, kvs_compare);

    return found ? (*(struct pair **)found)->value : NULL;
}
