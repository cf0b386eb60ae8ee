#include "hint/outside.h"

#include "base/lock.h"
#include "hint/warn.h"
#include "plain/log.h"
#include "plain/python_frame.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME_LIMIT = 32
};

struct call_site {
    struct call_site *next;
    const void *address; /* NULL: it is in a script */
    struct source_place place;
};

static struct lock lock = LOCK_INIT;
static struct call_site *known; /* guarded by lock; what is listed stays as it is */

/* The digits at the end of FILE:LINE; 0: the text is nothing like it. */
static size_t count_digits(struct hint_span text)
{
    size_t digits = 0;

    while (digits < text.length && strchr("0123456789", text.start[text.length - digits - 1]))
        digits++;
    return digits && digits + 1 < text.length && text.start[text.length - digits - 1] == ':' ? digits : 0;
}

static bool is_function(struct hint_span text)
{
    return text.length > 2 && memcmp(text.start + text.length - 2, "()", 2) == 0;
}

bool call_site_is_place(struct hint_span text)
{
    return count_digits(text) || is_function(text);
}

/* Whether `whole` ends with these characters, and `separator` is before them. */
static bool has_last(const char *whole, size_t length, const char *last, size_t last_length, char separator)
{
    return length >= last_length && memcmp(whole + length - last_length, last, last_length) == 0 &&
           (length == last_length || whole[length - last_length - 1] == separator);
}

bool call_site_matches(const struct source_place *site, struct hint_span text)
{
    size_t digits = count_digits(text);

    if (digits)
        return atoi(text.start + text.length - digits) == site->number &&
               has_last(site->file, strlen(site->file), text.start, text.length - digits - 1, '/');
    return is_function(text) &&
           has_last(site->function, strcspn(site->function, "("), text.start, text.length - 2, ':');
}

/* Libraries that stand between the program and this one. */
static bool is_ours(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    return strncmp(name, "libinkling_insight.", strlen("libinkling_insight.")) == 0 ||
           strncmp(name, "libmpifort_abi.", strlen("libmpifort_abi.")) == 0;
}

/* Where the program goes on; NULL: unknown. *module says what is loaded there. */
static const void *call_site_address(Dl_info *module)
{
    void *frame[FRAME_LIMIT];
    int count = backtrace(frame, FRAME_LIMIT);
    Dl_info here;

    if (!dladdr(&lock, &here))
        return NULL;
    for (int i = 0; i < count; i++)
        if (dladdr(frame[i], module) && module->dli_fbase != here.dli_fbase && !is_ours(module->dli_fname))
            return frame[i];
    return NULL;
}

static void call_site_locate(struct call_site *site, const Dl_info *module)
{
    struct source_place *place = &site->place;
    char path[PATH_MAX];
    uint64_t offset;

    if (source_place_module(site->address, path, &offset))
        source_place_find(path, &offset, &place, 1, SOURCE_PLACE_RANK_MS);
    if (!place->number && warn_is_due(module->dli_fname))
        log_warn("hints for places in the source do not reach objects made in %s: that has no lines "
                 "(compile it with -g), or addr2line is missing",
                 module->dli_fname);
}

/* Caller holds the lock. NULL: no memory. */
static struct call_site *call_site_add(const void *address, const Dl_info *module)
{
    struct call_site *site = calloc(1, sizeof *site);

    if (!site)
        return NULL;
    site->address = address;
    call_site_locate(site, module);
    site->next = known;
    known = site;
    return site;
}

static bool is_in_script(const struct call_site *site, const struct python_frame *frame)
{
    return !site->address && site->place.number == frame->line &&
           strcmp(site->place.function, frame->function) == 0 && strcmp(site->place.file, frame->file) == 0;
}

/* Caller holds the lock. NULL: no memory. */
static struct call_site *call_site_add_script(const struct python_frame *frame)
{
    struct call_site *site = calloc(1, sizeof *site);

    if (!site)
        return NULL;
    snprintf(site->place.file, sizeof site->place.file, "%s", frame->file);
    snprintf(site->place.function, sizeof site->place.function, "%s", frame->function);
    site->place.number = frame->line;
    site->next = known;
    known = site;
    return site;
}

static const struct source_place *call_site_find_script(const struct python_frame *frame)
{
    struct call_site *site;

    lock_always_take(&lock);
    for (site = known; site && !is_in_script(site, frame); site = site->next)
        ;
    if (!site)
        site = call_site_add_script(frame);
    lock_always_release(&lock);
    return site ? &site->place : NULL;
}

static const struct source_place *call_site_find_compiled(void)
{
    Dl_info module;
    const void *address = call_site_address(&module);
    struct call_site *site;

    if (!address)
        return NULL;
    lock_always_take(&lock);
    for (site = known; site && site->address != address; site = site->next)
        ;
    if (!site)
        site = call_site_add(address, &module);
    lock_always_release(&lock);
    return site ? &site->place : NULL;
}

const struct source_place *call_site_find(void)
{
    struct python_frame frame;

    return python_frame_find(&frame) ? call_site_find_script(&frame) : call_site_find_compiled();
}
