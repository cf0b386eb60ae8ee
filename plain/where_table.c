#include "plain/where_table.h"

#include <link.h>
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
