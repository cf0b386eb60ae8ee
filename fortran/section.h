/* Choice buffers of mpi_f08: descriptors, and array sections with gaps.
 *
 * A descriptor is that of ISO_Fortran_binding.h. Compilers number types in their own way, but place and meaning of what
 * is needed here are the same with all that lay it out as gfortran and flang do.
 *
 * A section with gaps stands for the row of its elements without them. How it reaches MPI:
 *   section_message   one message: its count of items becomes one item of a datatype with the gaps, which is kept for the next
 *                     section of that shape (shapes.h)
 *   section_blocks    one item or more for each process: the datatype gets the stride of the elements, where they have one;
 *                     else a copy
 *   section_partitions  the same for partitioned communication: a partition goes into the copy when it is ready, and out of it when
 *                     the program asks whether it has arrived, or with the whole
 *   section_copy      what no datatype suits (reductions: a predefined operation takes no derived one; collectives with a
 *                     datatype for each process): a copy without gaps, and back. If the call has a request, message_keep
 *                     hands it to that (kept.h) */
#ifndef FORTRAN_SECTION_H
#define FORTRAN_SECTION_H

#include "convert.h"
#include "kept.h"
#include "shapes.h"

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

/* The row of a section's elements. Only elements that have changed go back into the section: the others need not be part of the
 * operation, and then the program may write them while it runs. */
struct section_copy {
    struct kept kept;
    const struct section *section; /* this, the rows and the copy are one block */
    char *row;
    char *before;     /* the row as it was taken; NULL: it does not go back */
    size_t bytes;     /* of the row */
    size_t partition; /* bytes of each; 0: it has none */
    bool taken;       /* and not put back */
};

void section_take(struct section_copy *copy);
void section_put_back(struct section_copy *copy);
/* The same for some of the partitions. Each is its own thread's, so several threads may be here for one copy. */
void section_take_partitions(struct section_copy *copy, MPI_Count low, MPI_Count high);
void section_put_partition(struct section_copy *copy, MPI_Count partition);

/* What a call gets in place of a section. */
struct message {
    void *address;
    MPI_Count count;
    MPI_Datatype type;
    int error;  /* why there is none; it has been raised */
    bool typed; /* type is to be freed, unless it is of a shape */
    struct shape *shape;
    struct section_copy *copy;
};

/* Whether it is a scalar, or elements one behind the other in one dimension. */
static inline bool section_is_row(const struct section *section)
{
    return !section->rank || (section->rank == 1 && section->dim[0].stride == (ptrdiff_t)section->length);
}

bool section_find_gaps(const struct section *section);
static inline bool section_has_gaps(const struct section *section)
{
    return section->rank && section_find_gaps(section);
}
static inline void *section_address(const struct section *section)
{
    return address_in(section->base);
}

struct message message_of_gaps(const struct section *section, MPI_Count count, MPI_Datatype type);
struct message blocks_of_gaps(const struct section *section, MPI_Datatype type, bool back);
struct message partitions_of_gaps(const struct section *section, MPI_Count partitions, MPI_Count count,
                                  MPI_Datatype type, bool back);
struct message copy_of_gaps(const struct section *section, bool back);
void message_keep(struct message *message, int request);
void message_drop(struct message *message);
static inline void message_free(struct message *message)
{
    if (message->shape || message->typed || message->copy)
        message_drop(message);
}

static inline struct message message_plain(const struct section *section, MPI_Count count, MPI_Datatype type)
{
    return (struct message){.address = section_address(section), .count = count, .type = type};
}

static inline struct message section_message(const struct section *section, MPI_Count count,
                                             MPI_Datatype type)
{
    return section_has_gaps(section) ? message_of_gaps(section, count, type)
                                     : message_plain(section, count, type);
}

static inline struct message section_blocks(const struct section *section, MPI_Datatype type, bool back)
{
    return section_has_gaps(section) ? blocks_of_gaps(section, type, back) : message_plain(section, 0, type);
}

static inline struct message section_partitions(const struct section *section, MPI_Count partitions,
                                                MPI_Count count, MPI_Datatype type, bool back)
{
    return section_has_gaps(section) ? partitions_of_gaps(section, partitions, count, type, back)
                                     : message_plain(section, 0, type);
}

static inline struct message section_copy(const struct section *section, bool back)
{
    return section_has_gaps(section) ? copy_of_gaps(section, back)
                                     : message_plain(section, 0, MPI_DATATYPE_NULL);
}

#endif
