#include "info/info.h"

#include "hint/outside.h"
#include "metric/event.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CAPACITY = 8
};

struct pool info_pool = POOL_INIT(OBJECT_INFO, struct info);

struct info_pair *info_pair_find(const struct info *info, const char *key)
{
    for (int i = 0; i < info->count; i++)
        if (strcmp(info->pair[i].key, key) == 0)
            return &info->pair[i];
    return NULL;
}

static int info_pair_check(const char *key, const char *value)
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

static int info_pair_no_memory(const char *key)
{
    return fail(MPI_ERR_NO_MEM, "no memory for info key \"%.80s\"", key);
}

static bool info_pair_make_room(struct info *info)
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

static int info_pair_replace(struct info_pair *pair, const char *value)
{
    char *text = strdup(value);

    if (!text)
        return info_pair_no_memory(pair->key);
    free(pair->value);
    pair->value = text;
    return MPI_SUCCESS;
}

static int info_pair_add(struct info *info, const char *key, const char *value)
{
    struct info_pair pair;

    if (!info_pair_make_room(info))
        return info_pair_no_memory(key);
    pair = (struct info_pair){strdup(key), strdup(value)};
    if (!pair.key || !pair.value) {
        free(pair.key);
        free(pair.value);
        return info_pair_no_memory(key);
    }
    info->pair[info->count++] = pair;
    return MPI_SUCCESS;
}

int info_pair_set(struct info *info, const char *key, const char *value)
{
    struct info_pair *pair;
    int error = info_pair_check(key, value);

    if (error)
        return error;
    pair = info_pair_find(info, key);
    return pair ? info_pair_replace(pair, value) : info_pair_add(info, key, value);
}

int info_new(struct info **info)
{
    struct info *fresh = pool_new(&info_pool);

    if (!fresh)
        return fail(MPI_ERR_NO_MEM, "no memory for an info object");
    fresh->lock = (struct lock)LOCK_INIT;
    *info = fresh;
    return MPI_SUCCESS;
}

void info_unref(struct info *info)
{
    if (!object_unref(&info->object))
        return;
    for (int i = 0; i < info->count; i++) {
        free(info->pair[i].key);
        free(info->pair[i].value);
    }
    free(info->pair);
    pool_free(&info_pool, info);
}

static int check_writable(const struct info *info)
{
    if (info->read_only)
        return fail(MPI_ERR_INFO, "MPI_INFO_ENV is read-only; change a copy made with MPI_Info_dup");
    return MPI_SUCCESS;
}

static int check_key(const char *key)
{
    if (!key)
        return fail(MPI_ERR_INFO_KEY, "the info key is a null pointer");
    if (strlen(key) >= MPI_MAX_INFO_KEY)
        return fail(MPI_ERR_INFO_KEY, "info key \"%.40s...\" has %zu characters; at most %d are allowed", key,
                    strlen(key), MPI_MAX_INFO_KEY - 1);
    return MPI_SUCCESS;
}

int info_free(struct info *info)
{
    int error = check_writable(info);

    if (error)
        return error;
    object_retire(&info_pool, &info->object);
    info_unref(info);
    return MPI_SUCCESS;
}

int info_set(struct info *info, const char *key, const char *value)
{
    int error = check_writable(info);

    if (error)
        return error;
    info_take(info);
    error = info_pair_set(info, key, value);
    info_release(info);
    return error;
}

/* Caller holds the lock. */
static int remove_pair(struct info *info, const char *key)
{
    struct info_pair *pair = info_pair_find(info, key);
    int behind;

    if (!pair)
        return fail(MPI_ERR_INFO_NOKEY, "the info has no key \"%s\"", key);
    free(pair->key);
    free(pair->value);
    behind = info->count - 1 - (int)(pair - info->pair);
    memmove(pair, pair + 1, (size_t)behind * sizeof *pair);
    info->count--;
    return MPI_SUCCESS;
}

int info_delete(struct info *info, const char *key)
{
    int error = check_writable(info);

    if (!error)
        error = check_key(key);
    if (error)
        return error;
    info_take(info);
    error = remove_pair(info, key);
    info_release(info);
    return error;
}

int info_dup(struct info *info, struct info **copy)
{
    struct info *fresh = NULL;
    int error = info_new(&fresh);

    if (error)
        return error;
    info_take(info);
    for (int i = 0; i < info->count && !error; i++)
        error = info_pair_set(fresh, info->pair[i].key, info->pair[i].value);
    info_release(info);
    if (error)
        info_unref(fresh);
    else
        *copy = fresh;
    return error;
}

int info_count(struct info *info, int *count)
{
    info_take(info);
    *count = info->count;
    info_release(info);
    return MPI_SUCCESS;
}

int info_nth_key(struct info *info, int n, char *key)
{
    int error = MPI_SUCCESS;

    info_take(info);
    if (n < 0 || n >= info->count)
        error = fail(MPI_ERR_ARG, "the info has no key number %d: it has %d, counted from 0", n, info->count);
    else
        strcpy(key, info->pair[n].key);
    info_release(info);
    return error;
}

/* Like snprintf("%s"), but with a size of 0 any buffer is allowed. */
static void copy_cut(const char *text, char *buffer, size_t size)
{
    size_t length = strlen(text);

    if (size == 0)
        return;
    if (length > size - 1)
        length = size - 1;
    memcpy(buffer, text, length);
    buffer[length] = '\0';
}

int info_get(struct info *info, const char *key, char *buffer, size_t size, size_t *needed, int *found)
{
    const struct info_pair *pair;
    int error = check_key(key);

    if (error)
        return error;
    info_take(info);
    pair = info_pair_find(info, key);
    if (pair) {
        copy_cut(pair->value, buffer, size);
        *needed = strlen(pair->value) + 1;
    }
    *found = pair != NULL;
    info_release(info);
    return MPI_SUCCESS;
}

void info_offer(struct info *info, struct hints *h, unsigned when, const char *giver)
{
    if (when & (AT_CREATE | AT_SESSION))
        outside_offer(h, when, giver);
    if (!info)
        return;
    h->giver = giver;
    info_take(info);
    for (int i = 0; i < info->count; i++)
        if (!outside_switches_off(h, info->pair[i].key))
            hint_offer(h, when, info->pair[i].key, info->pair[i].value);
    info_release(info);
    event_deliver();
}

static int add_hints(const struct hints *h, struct info *info)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int error = MPI_SUCCESS;

    for (int id = 0; id < HINT_COUNT && !error; id++)
        if (hint_format(h, (enum hint_id)id, value, sizeof value))
            error = info_pair_set(info, hint_table[id].key, value);
    return error;
}

int info_of_hints(struct hints *h, struct info **info)
{
    struct hints copy;
    struct info *fresh = NULL;
    int error = info_new(&fresh);

    if (error)
        return error;
    if (hints_copy(h, &copy)) {
        error = add_hints(&copy, fresh);
        hints_fini(&copy);
    } else {
        error = fail(MPI_ERR_NO_MEM, "no memory to report the hints in force");
    }
    if (error)
        info_unref(fresh);
    else
        *info = fresh;
    return error;
}

struct info *info_find(MPI_Info handle)
{
    if (handle == MPI_INFO_ENV && !object_predefined[object_word(handle)])
        info_env_init();
    return (struct info *)object_find(&info_pool, handle, 0x130, 8);
}

int info_read_string(struct info *info, const char *key, int *buflen, char *value, int *flag)
{
    size_t needed = 0;
    int error, found;

    if (*buflen < 0)
        return fail(MPI_ERR_ARG, "buflen %d is negative; 0 asks for the size that is needed", *buflen);
    if (*buflen > 0 && !value)
        return fail(MPI_ERR_ARG, "value is a null pointer, but buflen is %d", *buflen);
    error = info_get(info, key, value, (size_t)*buflen, &needed, &found);
    if (error)
        return error;
    if (found)
        *buflen = (int)needed;
    *flag = found;
    return MPI_SUCCESS;
}

int info_read(struct info *info, const char *key, int valuelen, char *value, int *flag)
{
    size_t needed;

    if (valuelen < 0)
        return fail(MPI_ERR_ARG, "valuelen %d is negative", valuelen);
    return info_get(info, key, value, (size_t)valuelen + 1, &needed, flag);
}

int info_read_valuelen(struct info *info, const char *key, int *valuelen, int *flag)
{
    size_t needed = 0;
    int error, found;

    error = info_get(info, key, NULL, 0, &needed, &found);
    if (error)
        return error;
    if (found)
        *valuelen = (int)needed - 1;
    *flag = found;
    return MPI_SUCCESS;
}
