#include "plain/posted.h"

#include "plain/where_table.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

static int mark_nothing(uint64_t request, const void *caller)
{
    (void)request;
    (void)caller;
    return 0;
}

int (*posted_mark)(uint64_t, const void *) = mark_nothing; /* written once, before there are other threads */

static size_t padded(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

/* The table that a note in this segment leads to; NULL: none does. */
static const struct where_table *table_in(const char *at, size_t left)
{
    ElfW(Nhdr) note;

    while (left >= sizeof note) {
        const char *name = at + sizeof note, *description;
        size_t size;
        int32_t distance;

        memcpy(&note, at, sizeof note);
        description = name + padded(note.n_namesz);
        size = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
        if (size > left)
            break;
        if (note.n_type == WHERE_NOTE_TYPE && note.n_namesz == sizeof WHERE_NOTE_NAME &&
            note.n_descsz == sizeof distance && memcmp(name, WHERE_NOTE_NAME, sizeof WHERE_NOTE_NAME) == 0) {
            memcpy(&distance, description, sizeof distance);
            return (const void *)(description + distance);
        }
        at += size;
        left -= size;
    }
    return NULL;
}

/* Of dl_iterate_phdr: 1 ends the search. */
static int visit_object(struct dl_phdr_info *object, size_t size, void *found)
{
    const struct where_table *table = NULL;

    (void)size;
    for (int i = 0; i < object->dlpi_phnum && !table; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

        if (segment->p_type == PT_NOTE)
            table = table_in((const char *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz);
    }
    *(const struct where_table **)found = table;
    return table != NULL;
}

void posted_find(void)
{
    const struct where_table *table = NULL;

    dl_iterate_phdr(visit_object, &table);
    if (table && table->version == WHERE_VERSION && table->size == sizeof *table)
        posted_mark = table->mark;
}
