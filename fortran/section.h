/* Choice buffers of mpi_f08: descriptors, and array sections with gaps.
 *
 * A descriptor is that of ISO_Fortran_binding.h. Compilers number types in their own way, but place and meaning of what
 * is needed here are the same with all that lay it out as gfortran and flang do.
 *
 * A section with gaps stands for the row of its elements without them. How it reaches MPI:
 *   section_message   one message: its count of items becomes one item of a datatype with the gaps; if its own has gaps, a
 *                     blocking call gets a copy
 *   section_blocks    one item or more for each process: the datatype gets the stride of the elements, where they have one
 *   section_copy      blocking calls that neither suits (reductions: a predefined operation takes no derived datatype;
 *                     collectives with several blocks): a copy without gaps, and back
 *   section_whole     none may have gaps: an error */
#ifndef FORTRAN_SECTION_H
#define FORTRAN_SECTION_H

#include "convert.h"

struct section {
    char *base;
    size_t length; /* of an element */
    int version;
    signed char rank;
    char other[3]; /* type and attribute, in the compiler's order */
    struct {
        ptrdiff_t lower, extent,
            stride; /* stride in bytes; an extent of -1 is that of an assumed-size array */
    } dim[];
};

/* What a call gets in place of a section. */
struct message {
    void *address;
    MPI_Count count;
    MPI_Datatype type;
    int error;                       /* why there is none; it has been raised */
    bool typed;                      /* type is to be freed */
    char *copy;                      /* is to be freed */
    const struct section *copied_to; /* and copied back before */
};

bool section_find_gaps(const struct section *section);
static inline bool section_has_gaps(const struct section *section)
{
    return section->rank && section_find_gaps(section);
}
static inline void *section_address(const struct section *section)
{
    return address_in(section->base);
}

/* What section_message does with a datatype that has gaps itself. */
enum gapped {
    GAPPED_REFUSED,
    GAPPED_COPIED,
    GAPPED_COPIED_BACK
};

struct message message_of_gaps(const struct section *section, MPI_Count count, MPI_Datatype type,
                               enum gapped);
struct message blocks_of_gaps(const struct section *section, MPI_Datatype type);
struct message copy_of_gaps(const struct section *section, bool back);
struct message refuse_gaps(const char *what);
void message_free(struct message *message);

static inline struct message message_plain(const struct section *section, MPI_Count count, MPI_Datatype type)
{
    return (struct message){.address = section_address(section), .count = count, .type = type};
}

static inline struct message section_message(const struct section *section, MPI_Count count,
                                             MPI_Datatype type, enum gapped gapped)
{
    return section_has_gaps(section) ? message_of_gaps(section, count, type, gapped)
                                     : message_plain(section, count, type);
}

static inline struct message section_blocks(const struct section *section, MPI_Count count, MPI_Datatype type)
{
    return section_has_gaps(section) ? blocks_of_gaps(section, type) : message_plain(section, count, type);
}

static inline struct message section_copy(const struct section *section, bool back)
{
    return section_has_gaps(section) ? copy_of_gaps(section, back)
                                     : message_plain(section, 0, MPI_DATATYPE_NULL);
}

static inline struct message section_whole(const struct section *section, const char *what)
{
    return section_has_gaps(section) ? refuse_gaps(what) : message_plain(section, 0, MPI_DATATYPE_NULL);
}

#endif
