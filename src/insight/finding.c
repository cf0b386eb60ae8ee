#include "insight/finding.h"

#include "insight/board.h"
#include "insight/intercept.h"
#include "insight/process_state.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 1024 /* known addresses */
};

/* What finding_place has worked out before. */
static struct {
    void *address;
    struct call_place place;
} known[PLACES];

static uint32_t find_module(const char *path)
{
    uint32_t i;

    for (i = 0; i < board->modules; i++)
        if (strcmp(board->module[i], path) == 0)
            return i + 1;
    if (i == BOARD_MODULES || strlen(path) >= BOARD_PATH)
        return 0;
    strcpy(board->module[i], path);
    board->modules = i + 1;
    return i + 1;
}

struct call_place finding_place(void *address)
{
    size_t index = ((uintptr_t)address * 0x9e3779b97f4a7c15u) >> 54;
    struct call_place place = {0, 0};
    Dl_info info;
    char path[BOARD_PATH];

    if (known[index].address == address)
        return known[index].place;
    if (!address || !board || !dladdr(address, &info) || !info.dli_fname || !realpath(info.dli_fname, path))
        return place;
    board_lock();
    place.module = find_module(path);
    board_unlock();
    /* the call, not the instruction after it */
    place.offset = (uint64_t)((uintptr_t)address - 1 - (uintptr_t)info.dli_fbase);
    known[index].place = place;
    known[index].address = address;
    return place;
}

static struct finding *find_alike(const struct finding *wanted)
{
    uint32_t count = atomic_load_explicit(&board->findings, memory_order_acquire);

    for (uint32_t i = 0; i < count; i++) {
        struct finding *f = &board->finding[i];

        if (f->class != wanted->class || f->where.module != wanted->where.module ||
            f->where.offset != wanted->where.offset || f->made.offset != wanted->made.offset)
            continue;
        if (f->where.module || strcmp(f->text, wanted->text) == 0)
            return f;
    }
    return NULL;
}

/* Two ranks that see one mismatch from both sides have found one thing. */
static struct finding *find_mirrored(const struct finding *wanted)
{
    uint32_t count = atomic_load_explicit(&board->findings, memory_order_acquire);

    for (uint32_t i = 0; i < count && wanted->other.module; i++) {
        struct finding *f = &board->finding[i];

        if (f->class == wanted->class && f->where.offset == wanted->other.offset &&
            f->other.offset == wanted->where.offset && f->where.module == wanted->other.module)
            return f;
    }
    return NULL;
}

static void board_finding(const struct finding *new)
{
    struct finding *f;
    uint32_t count;

    board_lock();
    f = find_alike(new);
    if (!f)
        f = find_mirrored(new);
    count = atomic_load_explicit(&board->findings, memory_order_relaxed);
    if (!f && count < BOARD_FINDINGS) {
        f = &board->finding[count];
        *f = *new;
        atomic_store_explicit(&board->findings, count + 1, memory_order_release);
    }
    if (f) {
        f->count++;
        f->ranks[process.rank / 64 % 8] |= UINT64_C(1) << process.rank % 64;
    }
    board_unlock();
}

void finding_add(const struct finding_about *about, const char *format, ...)
{
    struct finding new = {.class = about->class};
    va_list arguments;

    if (!board || (about->is_quiet && about->call && about->call->is_reported))
        return;
    new.where = about->at.module ? about->at
                                 : finding_place(about->where  ? about->where
                                                 : about->call ? about->call->site
                                                               : NULL);
    new.other = about->other;
    new.made = finding_place(about->made);
    va_start(arguments, format);
    vsnprintf(new.text, sizeof new.text, format, arguments);
    va_end(arguments);
    if (about->call) {
        about->call->is_reported = true;
        if (!about->where)
            intercept_describe(about->call, new.call, sizeof new.call);
    }
    snprintf(new.role, sizeof new.role, "%s", about->role ? about->role : "the other call");
    snprintf(new.made_by, sizeof new.made_by, "%s", about->made_by ? about->made_by : "made");
    snprintf(new.fix, sizeof new.fix, "%s", about->fix ? about->fix : "");
    board_finding(&new);
}

void finding_withdraw(const char *text)
{
    uint32_t count;

    board_lock();
    count = atomic_load_explicit(&board->findings, memory_order_relaxed);
    for (uint32_t i = count; i-- > 0;) {
        if (strncmp(board->finding[i].text, text, strlen(text)) != 0)
            continue;
        memmove(&board->finding[i], &board->finding[i + 1], (--count - i) * sizeof board->finding[0]);
        atomic_store_explicit(&board->findings, count, memory_order_release);
    }
    board_unlock();
}

bool finding_is_known(uint64_t classes)
{
    uint32_t count = board ? atomic_load_explicit(&board->findings, memory_order_acquire) : 0;

    for (uint32_t i = 0; i < count; i++)
        if (classes >> board->finding[i].class & 1)
            return true;
    return false;
}
