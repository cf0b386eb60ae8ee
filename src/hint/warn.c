#include "hint/warn.h"

#include "base/lock.h"
#include "plain/log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum {
    KEYS_MAX = 256,
    WARNED_MAX = 64 /* keys whose warnings are counted; of others there is no limit */
};

static struct lock lock = LOCK_INIT;
static uint64_t seen[KEYS_MAX];   /* hashes; guarded by lock */
static int seen_count, next_seen; /* the oldest is forgotten */
static struct warned_key {
    uint64_t key;
    int warnings;
} warned[WARNED_MAX]; /* guarded by lock */
static int warned_keys;

static uint64_t warn_hash(const char *key)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */

    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 1099511628211u;
    return h;
}

/* Caller holds the lock. */
static bool is_seen(uint64_t h)
{
    for (int i = 0; i < seen_count; i++)
        if (seen[i] == h)
            return true;
    return false;
}

/* Caller holds the lock. */
static bool add_new(uint64_t h)
{
    if (is_seen(h))
        return false;
    seen[next_seen] = h;
    next_seen = (next_seen + 1) % KEYS_MAX;
    seen_count += seen_count < KEYS_MAX;
    return true;
}

bool warn_is_due(const char *text)
{
    bool due;

    lock_always_take(&lock);
    due = add_new(warn_hash(text));
    lock_always_release(&lock);
    return due;
}

bool warn_is_known(const char *text)
{
    bool is_known;

    lock_always_take(&lock);
    is_known = is_seen(warn_hash(text));
    lock_always_release(&lock);
    return is_known;
}

/* Counts one more of this key; the caller holds the lock. */
static int count_warning(uint64_t key)
{
    int i = 0;

    while (i < warned_keys && warned[i].key != key)
        i++;
    if (i == WARNED_MAX)
        return 0;
    if (i == warned_keys)
        warned[warned_keys++] = (struct warned_key){.key = key};
    return ++warned[i].warnings;
}

static const char *name_kind(unsigned on)
{
    return on & (ON_COMM | ON_OPERATION) ? "communicator"
           : on & ON_WIN                 ? "window"
           : on & ON_FILE                ? "file"
           : on & ON_SESSION             ? "session"
           : on & ON_MEMORY              ? "memory"
                                         : "process";
}

static void describe_object(const struct hints *h, char *text, size_t size)
{
    const char *kind = name_kind(h->on);

    if (h->name && *h->name)
        snprintf(text, size, "%s%s%s \"%s\"", h->giver ? h->giver : "", h->giver ? " on " : "", kind,
                 h->name);
    else
        snprintf(text, size, "%s", h->giver ? h->giver : kind);
}

void warn_of_key(const struct hints *h, const char *key, const char *format, ...)
{
    char text[700], object[256], all[1024];
    int number = 0;
    bool due;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    describe_object(h, object, sizeof object);
    snprintf(all, sizeof all, "%s: %s", object, text);
    lock_always_take(&lock);
    due = add_new(warn_hash(all));
    if (due)
        number = count_warning(warn_hash(key));
    lock_always_release(&lock);
    if (due && number <= WARN_LIMIT)
        log_warn("%s%s", all, number == WARN_LIMIT ? "; no more is told of this key" : "");
}
