#include "cmd/mpiexec/launch/dealing.h"

#include "cmd/mpiexec/command_line/words.h"

#include <stdlib.h>
#include <string.h>

static int dealing_compare(const void *left, const void *right)
{
    static const enum level order[] = {LEVEL_SOCKET, LEVEL_NUMA, LEVEL_L3,
                                       LEVEL_L2,     LEVEL_CORE, LEVEL_HWTHREAD};
    const struct core *a = left, *b = right;

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a->at[order[i]] != b->at[order[i]])
            return a->at[order[i]] < b->at[order[i]] ? -1 : 1;
    return 0;
}

void dealing_sort(struct core *core, int count)
{
    qsort(core, (size_t)count, sizeof *core, dealing_compare);
}

static bool begins_object(const struct core *core, int i, enum level level)
{
    return i == 0 || core[i].at[level] != core[i - 1].at[level];
}

int dealing_objects(const struct core *core, int count, enum level level)
{
    int objects = 0;

    for (int i = 0; i < count; i++)
        objects += begins_object(core, i, level);
    return objects;
}

/* Where each object of the level begins in the list; the last entry is its end. */
static int *list_begins(const struct core *core, int count, enum level level, int *objects)
{
    int *begin = words_allocate((size_t)(count + 1) * sizeof *begin);

    *objects = 0;
    for (int i = 0; i < count; i++)
        if (begins_object(core, i, level))
            begin[(*objects)++] = i;
    begin[*objects] = count;
    return begin;
}

static int object_of(const struct dealing *m, int process, int processes, int objects)
{
    switch (m->deal) {
    case DEAL_TURNS:
        return process % objects;
    case DEAL_EACH:
        return process / m->each % objects;
    default:
        return (int)((long)process * objects / processes);
    }
}

/* As many cores for each process as the fullest object has for its own. */
static int common_width(const int *begin, const int *load, int objects)
{
    int width = 0;

    for (int o = 0; o < objects; o++) {
        int own = load[o] ? (begin[o + 1] - begin[o]) / load[o] : 0;

        if (load[o] && (width == 0 || own < width))
            width = own;
    }
    return width > 1 ? width : 1;
}

/* Numbers the processes again: one of each object of the level in turn. */
static void renumber(const struct core *core, int count, enum level level, int ranks, int *first)
{
    int objects, at = 0, *begin = list_begins(core, count, level, &objects);
    int *dealt = words_allocate((size_t)ranks * sizeof *dealt);
    bool *is_taken = words_allocate((size_t)ranks * sizeof *is_taken);

    memcpy(dealt, first, (size_t)ranks * sizeof *dealt);
    for (int o = 0; at < ranks; o = (o + 1) % objects)
        for (int i = 0; i < ranks; i++)
            if (!is_taken[i] && dealt[i] >= begin[o] && dealt[i] < begin[o + 1]) {
                is_taken[i] = true;
                first[at++] = dealt[i];
                break;
            }
    free(begin);
    free(dealt);
    free(is_taken);
}

static int compare_numbers(const void *left, const void *right)
{
    const int *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

bool dealing_assign(const struct core *core, int count, int ranks, const struct dealing *m, int *first,
                    int *width)
{
    int objects, *begin = list_begins(core, count, m->map, &objects);
    int *load = words_allocate((size_t)objects * sizeof *load);
    bool is_clear = true;

    for (int i = 0; i < ranks; i++)
        load[object_of(m, i, ranks, objects)]++;
    *width = m->width ? m->width : common_width(begin, load, objects);
    memset(load, 0, (size_t)objects * sizeof *load);
    for (int i = 0; i < ranks; i++) {
        int o = object_of(m, i, ranks, objects), size = begin[o + 1] - begin[o];
        int places = size / *width > 0 ? size / *width : 1;

        is_clear = is_clear && load[o] < places && *width <= size;
        first[i] = begin[o] + load[o]++ % places * *width;
    }
    if (m->is_by_slot)
        qsort(first, (size_t)ranks, sizeof *first, compare_numbers);
    else if (m->rank_level >= 0 && m->rank_level < LEVEL_MACHINE)
        renumber(core, count, (enum level)m->rank_level, ranks, first);
    free(begin);
    free(load);
    return is_clear;
}
