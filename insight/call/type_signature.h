/* type_signature: the sequence of basic types that a message or a block has (MPI-5.0 section 5.1): how many, and a hash.
 *
 * Nothing here asks the library below, so mpiexec compares what ranks have left on the board when they are dead.
 */
#ifndef INSIGHT_CALL_TYPE_SIGNATURE_H
#define INSIGHT_CALL_TYPE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct type_signature {
    uint64_t items, bytes, hash;
    uint32_t
        basic; /* the one basic type of all items; 0: several; SIGNATURE_PACKED: MPI_PACKED, which fits all */
    uint32_t is_known;
};

enum {
    SIGNATURE_PACKED = 1,
    SIGNATURE_INDEX_SHIFT = 16 /* bits above are the index of a pair without a name */
};

/* A predefined handle, and its name. */
struct constant_name {
    uint64_t value;
    const char *name;
};

extern const struct constant_name constant_names[];

/* Whether items of one may be received as the other; the receiver may have room for more if `is_message`. */
bool type_check_fits(const struct type_signature *sent, const struct type_signature *received,
                     bool is_message);
/* What most messages are: items of one type, and room for them. */
static inline bool type_check_is_one_type(const struct type_signature *sent,
                                          const struct type_signature *received)
{
    return sent->is_known && received->is_known && sent->basic && sent->basic == received->basic &&
           sent->items <= received->items;
}

/* Whether all libraries let the two pass although they do not fit: the same bytes, on one side as MPI_BYTE. */
bool type_check_is_tolerated(const struct type_signature *sent, const struct type_signature *received);
/* "12 of MPI_INT" */
void type_check_describe(const struct type_signature *signature, char *text, size_t size);

#endif
