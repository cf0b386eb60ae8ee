#include "plain/posted.h"

#include "plain/where_table.h"

#include <link.h>
#include <stddef.h>

static int mark_nothing(uint64_t request, const void *caller)
{
    (void)request;
    (void)caller;
    return 0;
}

int (*posted_mark)(uint64_t, const void *) = mark_nothing; /* written once, before there are other threads */

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

void posted_find(void)
{
    const struct where_table *table = NULL;

    dl_iterate_phdr(visit_object, &table);
    if (table && table->version == WHERE_VERSION && table->size == sizeof *table)
        posted_mark = table->mark;
}
