#include "insight/board/finding_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const finding_names[FINDING_CLASSES] = {
    "none",
    "argument",
    "call-order",
    "collective-mismatch",
    "root-mismatch",
    "operation-mismatch",
    "type-mismatch",
    "count-mismatch",
    "deadlock",
    "leak",
    "request",
    "buffer",
    "epoch",
    "rma-conflict",
    "thread-level",
    "hint",
    "lost-message",
    "message-race",
    "tolerance",
    "standstill",
    "buffering",
    "file-conflict",
    "accumulate-order",
    "crash",
};

uint32_t finding_list_module(struct finding_list *list, const char *path)
{
    uint32_t i;

    for (i = 0; i < list->modules; i++)
        if (strcmp(list->module[i], path) == 0)
            return i + 1;
    if (i == LIST_MODULES || strlen(path) >= LIST_PATH)
        return 0;
    strcpy(list->module[i], path);
    list->modules = i + 1;
    return i + 1;
}

static bool is_alike_finding(const struct finding *f, const struct finding *wanted)
{
    if (f->class != wanted->class || f->is_spawned != wanted->is_spawned ||
        f->where.module != wanted->where.module || f->where.offset != wanted->where.offset ||
        f->made.offset != wanted->made.offset)
        return false;
    return f->where.module || strcmp(f->text, wanted->text) == 0;
}

/* Two ranks that see one mismatch from both sides have found one thing. */
static bool is_mirrored(const struct finding *f, const struct finding *wanted)
{
    return wanted->other.module && f->class == wanted->class && f->is_spawned == wanted->is_spawned &&
           f->where.offset == wanted->other.offset && f->other.offset == wanted->where.offset &&
           f->where.module == wanted->other.module;
}

static struct finding *find_like(struct finding_list *list, const struct finding *wanted,
                                 bool (*is_like)(const struct finding *, const struct finding *))
{
    uint32_t count = atomic_load_explicit(&list->count, memory_order_relaxed); /* under the lock */

    for (uint32_t i = 0; i < count; i++)
        if (is_like(&list->finding[i], wanted))
            return &list->finding[i];
    return NULL;
}

void finding_list_add(struct finding_list *list, const struct finding *new)
{
    uint32_t count = atomic_load_explicit(&list->count, memory_order_relaxed);
    struct finding *f = find_like(list, new, is_alike_finding);

    if (!f)
        f = find_like(list, new, is_mirrored);
    if (f) {
        f->count += new->count;
        for (size_t i = 0; i < sizeof f->ranks / sizeof *f->ranks; i++)
            f->ranks[i] |= new->ranks[i];
    } else if (count < LIST_FINDINGS) {
        list->finding[count] = *new;
        /* release: who reads the count sees the finding */
        atomic_store_explicit(&list->count, count + 1, memory_order_release);
    } else {
        list->lost++;
    }
}

static void move_place(struct finding_list *list, const struct finding_list *other, struct call_place *place)
{
    if (place->module && place->module <= other->modules)
        place->module = finding_list_module(list, other->module[place->module - 1]);
}

/* The places in a text, as hang.c writes them. */
static void move_text(struct finding_list *list, const struct finding_list *other, const char *text,
                      char *moved, size_t size)
{
    size_t used = 0;

    while (*text && used + 40 < size) {
        struct call_place place;
        unsigned long long offset;

        if (sscanf(text, "\1%u:%llx\2", &place.module, &offset) != 2) {
            moved[used++] = *text++;
            continue;
        }
        move_place(list, other, &place);
        used += (size_t)snprintf(moved + used, size - used, "\1%u:%llx\2", place.module, offset);
        text += strcspn(text, "\2") + 1;
    }
    moved[used] = '\0';
}

void finding_list_merge(struct finding_list *list, const struct finding_list *other, bool spawned)
{
    uint32_t count = atomic_load_explicit(&other->count, memory_order_acquire);

    for (uint32_t i = 0; i < count; i++) {
        struct finding moved = other->finding[i];

        move_place(list, other, &moved.where);
        move_place(list, other, &moved.other);
        move_place(list, other, &moved.made);
        move_text(list, other, other->finding[i].text, moved.text, sizeof moved.text);
        moved.is_spawned |= spawned;
        finding_list_add(list, &moved);
    }
    list->lost += other->lost;
    finding_list_leave_out(list, atomic_load_explicit(&other->unchecked, memory_order_relaxed));
}

/* Relaxed: nothing else is read by it. */
void finding_list_leave_out(struct finding_list *list, enum unchecked what)
{
    if ((atomic_load_explicit(&list->unchecked, memory_order_relaxed) & (uint32_t)what) != (uint32_t)what)
        atomic_fetch_or_explicit(&list->unchecked, (uint32_t)what, memory_order_relaxed);
}

bool finding_list_is_trusted(const struct finding_list *list)
{
    return !(atomic_load_explicit(&list->unchecked, memory_order_relaxed) & UNCHECKED_MEMORY);
}

bool finding_list_is_note(const struct finding *f)
{
    return f->class == FINDING_TOLERANCE || f->class == FINDING_STANDSTILL || f->class == FINDING_BUFFERING ||
           f->class == FINDING_ACCUMULATE_ORDER;
}

/* What a rank may have died of goes before its death, and both before what nobody completed, received or freed then. */
static int stage_of(const struct finding *f)
{
    if (finding_list_is_note(f))
        return 3;
    if (f->class == FINDING_LEAK || f->class == FINDING_LOST)
        return 2;
    return f->class == FINDING_CRASH;
}

static const char *module_of(const struct finding_list *list, const struct finding *f)
{
    return f->where.module && f->where.module <= list->modules ? list->module[f->where.module - 1] : "";
}

static int compare_findings(const void *a, const void *b, void *list)
{
    const struct finding *f = a, *g = b;
    int stage = f->is_spawned != g->is_spawned ? f->is_spawned - g->is_spawned : stage_of(f) - stage_of(g);

    if (stage)
        return stage;
    if (f->where.module != g->where.module) /* whose numbers are in the order of who came first */
        return strcmp(module_of(list, f), module_of(list, g));
    if (f->where.offset != g->where.offset)
        return f->where.offset < g->where.offset ? -1 : 1;
    return f->class != g->class ? f->class - g->class : strcmp(f->text, g->text);
}

void finding_list_sort(struct finding_list *list)
{
    qsort_r(list->finding, atomic_load_explicit(&list->count, memory_order_acquire), sizeof *list->finding,
            compare_findings, list);
}
