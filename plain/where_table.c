#include "plain/where_table.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

int64_t where_table_in_notes(const unsigned char *notes, size_t bytes)
{
    size_t at = 0;

    while (at + sizeof(ElfW(Nhdr)) <= bytes) {
        ElfW(Nhdr) note;
        size_t name = at + sizeof note, description;

        memcpy(&note, notes + at, sizeof note);
        description = name + (((size_t)note.n_namesz + 3) & ~(size_t)3);
        if (description + note.n_descsz > bytes)
            return 0;
        if (note.n_type == WHERE_NOTE_TYPE && note.n_namesz == sizeof WHERE_NOTE_NAME && note.n_descsz == 4 &&
            memcmp(notes + name, WHERE_NOTE_NAME, sizeof WHERE_NOTE_NAME) == 0) {
            int32_t distance;

            memcpy(&distance, notes + description, sizeof distance);
            return (int64_t)description + distance;
        }
        at = description + (((size_t)note.n_descsz + 3) & ~(size_t)3);
    }
    return 0;
}

static int mark_nothing(uint64_t request, const void *caller)
{
    (void)request;
    (void)caller;
    return 0;
}

int (*where_mark)(uint64_t, const void *) = mark_nothing; /* written once, before there are other threads */

/* The table that the notes of a segment lead to; NULL: none does. */
static const struct where_table *table_in(const unsigned char *notes, size_t bytes)
{
    int64_t distance = where_table_in_notes(notes, bytes);

    return distance ? (const void *)(notes + distance) : NULL;
}

/* Of dl_iterate_phdr: 1 ends the search. */
static int visit_object(struct dl_phdr_info *object, size_t size, void *found)
{
    const struct where_table *table = NULL;

    (void)size;
    for (int i = 0; i < object->dlpi_phnum && !table; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

        if (segment->p_type == PT_NOTE)
            table = table_in((const unsigned char *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz);
    }
    *(const struct where_table **)found = table;
    return table != NULL;
}

void where_find_mark(void)
{
    const struct where_table *table = NULL;

    dl_iterate_phdr(visit_object, &table);
    if (table && table->version == WHERE_VERSION && table->size == sizeof *table)
        where_mark = table->mark;
}
