#include "insight/findings/finding.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/call/intercept.h"
#include "insight/call/program_site.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 1 << FINDING_PLACE_BITS, /* known addresses */
    WAYS = 4                          /* where one may stand: to work a place out takes system calls */
};

struct known_place finding_known[PLACES], finding_last;

static struct call_place work_out(void *address)
{
    struct call_place place = {0, 0};
    uint64_t offset;
    char path[LIST_PATH];

    if (!address || !board || !program_site_locate(address, path, sizeof path, &offset))
        return place;
    board_lock();
    place.module = finding_list_module(&board->list, path);
    board_unlock();
    place.offset = offset;
    return place;
}

struct call_place finding_place_late(void *address)
{
    size_t index = finding_place_index(address), way = 0;
    struct known_place *k;
    struct call_place place;

    for (; way < WAYS; way++) {
        k = &finding_known[(index + way) % PLACES];
        if (!k->address)
            break;
        if (k->address == address)
            return k->place;
    }
    k = &finding_known[(index + way % WAYS) % PLACES];
    place = work_out(address);
    if (place.module)
        *k = (struct known_place){address, place};
    return place;
}

void finding_place_text(struct call_place place, char *text, size_t size)
{
    if ((size_t)snprintf(text, size, "\1%u:%llx\2", place.module, (unsigned long long)place.offset) >= size)
        text[0] = '\0';
}

void finding_forget_places(void)
{
    memset(finding_known, 0, sizeof finding_known);
    finding_last = (struct known_place){NULL, {0, 0}};
}

void finding_add(const struct finding_about *about, const char *format, ...)
{
    struct finding new = {.class = about->class, .count = 1};
    int rank = about->rank ? *about->rank : process.rank;
    va_list arguments;

    if (!board || (!about->is_certain && !finding_list_is_trusted(&board->list)) ||
        (about->is_quiet && about->call && about->call->is_reported))
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
    new.ranks[rank / 64 % 8] = UINT64_C(1) << rank % 64;
    board_lock();
    finding_list_add(&board->list, &new);
    board_unlock();
}

void finding_withdraw(const char *text)
{
    uint32_t count;

    board_lock();
    count = atomic_load_explicit(&board->list.count, memory_order_relaxed);
    for (uint32_t i = count; i-- > 0;) {
        struct finding *f = &board->list.finding[i];

        if (strncmp(f->text, text, strlen(text)) != 0)
            continue;
        memmove(f, f + 1, (--count - i) * sizeof *f);
        atomic_store_explicit(&board->list.count, count, memory_order_release);
    }
    board_unlock();
}

bool finding_is_known(uint64_t classes)
{
    uint32_t count = board ? atomic_load_explicit(&board->list.count, memory_order_acquire) : 0;

    for (uint32_t i = 0; i < count; i++)
        if (classes >> board->list.finding[i].class & 1)
            return true;
    return false;
}
