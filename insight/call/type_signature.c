#include "insight/call/type_signature.h"

#include <mpi.h>
#include <stdio.h>

bool type_check_fits(const struct type_signature *sent, const struct type_signature *received,
                     bool is_message)
{
    if (!sent->is_known || !received->is_known || sent->basic == SIGNATURE_PACKED ||
        received->basic == SIGNATURE_PACKED)
        return true;
    if (sent->items == 0)
        return is_message || received->items == 0;
    if (sent->basic || received->basic)
        return sent->basic == received->basic &&
               (sent->items == received->items || (is_message && sent->items < received->items));
    if (sent->items == received->items)
        return sent->hash == received->hash;
    return is_message && sent->items < received->items; /* a part of a mixed sequence is not looked at */
}

bool type_check_is_tolerated(const struct type_signature *sent, const struct type_signature *received)
{
    const uint32_t byte = (uint32_t)(uintptr_t)MPI_BYTE;

    return (sent->basic == byte || received->basic == byte) && sent->bytes <= received->bytes;
}

static const char *basic_name(uint32_t basic)
{
    for (const struct constant_name *row = constant_names; row->name; row++)
        if (row->value == basic)
            return row->name;
    return "an unnamed type";
}

void type_check_describe(const struct type_signature *s, char *text, size_t size)
{
    if (s->items == 0)
        snprintf(text, size, "nothing");
    else if (s->basic >> SIGNATURE_INDEX_SHIFT)
        snprintf(text, size, "%llu pairs of %s and %s", (unsigned long long)s->items,
                 basic_name(s->basic & ((1u << SIGNATURE_INDEX_SHIFT) - 1)),
                 basic_name(s->basic >> SIGNATURE_INDEX_SHIFT));
    else if (s->basic)
        snprintf(text, size, "%llu of %s", (unsigned long long)s->items, basic_name(s->basic));
    else
        snprintf(text, size, "%llu items of several types, %llu bytes", (unsigned long long)s->items,
                 (unsigned long long)s->bytes);
}
