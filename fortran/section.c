#include "section.h"

#include <stdlib.h>
#include <string.h>

bool section_find_gaps(const struct section *section)
{
    ptrdiff_t next = (ptrdiff_t)section->length;
    bool gaps = false;

    for (int i = 0; i < section->rank; i++) {
        if (section->dim[i].extent == 0)
            return false;
        gaps = gaps || (section->dim[i].extent != 1 && section->dim[i].stride != next);
        next *= section->dim[i].extent;
    }
    return gaps;
}

static MPI_Count section_elements(const struct section *section, int rank)
{
    MPI_Count elements = 1;

    for (int i = 0; i < rank; i++)
        elements *= section->dim[i].extent;
    return elements;
}

/* Takes `type`, which is n times another one without gaps, apart: the datatype of an element of `length` bytes, so that
 * the signature stays. Where there is none such, as for a struct: as many bytes. The result is to be freed, unless it is `type`. */
static int element_type(MPI_Datatype type, MPI_Count size, size_t length, MPI_Datatype *element)
{
    int integers, addresses, types, combiner, number, error;
    MPI_Aint none;
    MPI_Datatype inner;

    if ((size_t)size == length) {
        *element = type;
        return MPI_SUCCESS;
    }
    if (size && length % (size_t)size == 0)
        return PMPI_Type_contiguous_c((MPI_Count)(length / (size_t)size), type, element);
    error = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (error || integers != 1 || combiner != MPI_COMBINER_CONTIGUOUS)
        return error ? error : PMPI_Type_contiguous_c((MPI_Count)length, MPI_BYTE, element);
    error = PMPI_Type_get_contents(type, 1, 0, 1, &number, &none, &inner);
    if (error)
        return error;
    error = element_type(inner, number ? size / number : 0, length, element);
    PMPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED && (error || *element != inner))
        PMPI_Type_free(&inner);
    else if (combiner == MPI_COMBINER_NAMED && !error && *element == inner)
        error = PMPI_Type_dup(inner, element);
    return error;
}

/* Frees a datatype that was made of another one, unless it is that one. */
static void type_drop(MPI_Datatype type, MPI_Datatype of)
{
    if (type != of)
        PMPI_Type_free(&type);
}

/* The first n elements of the dimensions below `rank`: whole slabs, and what is left of the next one. Of no dimension: `element`. */
static int slab_type(const struct section *section, int rank, MPI_Count n, MPI_Datatype element,
                     MPI_Datatype *slab)
{
    MPI_Count each = rank ? section_elements(section, rank - 1) : 1, whole = n / each, rest = n % each;
    MPI_Count lengths[2] = {1, 1}, places[2] = {0, rank ? whole * section->dim[rank - 1].stride : 0};
    MPI_Datatype part[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, one;
    int error;

    if (!rank) {
        *slab = element;
        return MPI_SUCCESS;
    }
    error = slab_type(section, rank - 1, each, element, &one);
    if (error)
        return error;
    error = PMPI_Type_create_hvector_c(whole, 1, section->dim[rank - 1].stride, one, &part[0]);
    type_drop(one, element);
    if (error || !rest) {
        *slab = part[0];
        return error;
    }
    error = slab_type(section, rank - 1, rest, element, &part[1]);
    if (!error) {
        error = PMPI_Type_create_struct_c(2, lengths, places, part, slab);
        PMPI_Type_free(&part[1]);
    }
    PMPI_Type_free(&part[0]);
    return error;
}

/* The size of a datatype without gaps; else 0. */
static MPI_Count size_without_gaps(MPI_Datatype type)
{
    MPI_Count size = 0, lower = 0, extent = 0;

    if (PMPI_Type_size_c(type, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent_c(type, &lower, &extent) != MPI_SUCCESS)
        return 0;
    return lower == 0 && extent == size ? size : 0;
}

/* A copy of a section for items of a datatype with gaps, which lie within it. */
static struct message gapped_copy(const struct section *section, MPI_Count count, MPI_Datatype type,
                                  bool back)
{
    MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0, first, end,
              bytes = section_elements(section, section->rank) * (MPI_Count)section->length;
    struct message message;

    PMPI_Type_get_extent_c(type, &lower, &extent);
    PMPI_Type_get_true_extent_c(type, &true_lower, &true_extent);
    first = true_lower + (extent < 0 ? (count - 1) * extent : 0);
    end = true_lower + true_extent + (extent > 0 ? (count - 1) * extent : 0);
    if (first < 0 || end > bytes)
        return refuse_gaps("a message begins before an array section with gaps, or ends behind it");
    message = copy_of_gaps(section, back);
    message.count = count;
    message.type = type;
    return message;
}

struct message message_of_gaps(const struct section *section, MPI_Count count, MPI_Datatype type,
                               enum gapped gapped)
{
    MPI_Count size = size_without_gaps(type), bytes, n, length = (MPI_Count)section->length;
    struct message message = message_plain(section, 1, MPI_DATATYPE_NULL);
    MPI_Datatype element;

    if (count <= 0) /* nothing, or the call itself complains */
        return message_plain(section, count, type);
    if (!size && gapped == GAPPED_REFUSED)
        return refuse_gaps(
            "a datatype with gaps goes with no array section with gaps unless the call is blocking");
    if (!size)
        return gapped_copy(section, count, type, gapped == GAPPED_COPIED_BACK);
    bytes = count * size;
    n = bytes / length;
    if (bytes % length || n > section_elements(section, section->rank))
        return refuse_gaps(
            "a message ends within an element of an array section with gaps, or behind its last one");
    message.error = element_type(type, size, section->length, &element);
    if (message.error)
        return message;
    message.error = slab_type(section, section->rank, n, element, &message.type);
    type_drop(element, type);
    message.typed = !message.error;
    if (message.typed)
        message.error = PMPI_Type_commit(&message.type);
    return message;
}

/* Whether one stride leads from each element to the next. */
static bool has_one_stride(const struct section *section, ptrdiff_t *stride)
{
    ptrdiff_t next = 0;

    *stride = 0;
    for (int i = 0; i < section->rank; i++) {
        if (section->dim[i].extent == 1)
            continue;
        if (!*stride)
            *stride = section->dim[i].stride;
        else if (section->dim[i].stride != next)
            return false;
        next = section->dim[i].stride * section->dim[i].extent;
    }
    return true;
}

struct message blocks_of_gaps(const struct section *section, MPI_Datatype type)
{
    MPI_Count size = size_without_gaps(type), length = (MPI_Count)section->length;
    struct message message = message_plain(section, 0, MPI_DATATYPE_NULL);
    MPI_Datatype element, strided;
    ptrdiff_t stride;

    if (!size || size % length || !has_one_stride(section, &stride))
        return refuse_gaps("an array section with several strides, or with elements larger than an item, is "
                           "no buffer of a nonblocking "
                           "collective with several blocks");
    message.error = element_type(type, size, section->length, &element);
    if (message.error)
        return message;
    message.error = PMPI_Type_create_hvector_c(size / length, 1, stride, element, &strided);
    type_drop(element, type);
    if (message.error)
        return message;
    message.error = PMPI_Type_create_resized_c(strided, 0, size / length * stride, &message.type);
    PMPI_Type_free(&strided);
    message.typed = !message.error;
    if (message.typed)
        message.error = PMPI_Type_commit(&message.type);
    return message;
}

/* Copies element by element between the section and a row, in array order. */
static void copy_elements(const struct section *section, int rank, char *at, char **row, bool to_row)
{
    if (rank == 0) {
        memcpy(to_row ? *row : at, to_row ? at : *row, section->length);
        *row += section->length;
        return;
    }
    for (ptrdiff_t i = 0; i < section->dim[rank - 1].extent; i++)
        copy_elements(section, rank - 1, at + i * section->dim[rank - 1].stride, row, to_row);
}

struct message copy_of_gaps(const struct section *section, bool back)
{
    size_t bytes = (size_t)section_elements(section, section->rank) * section->length;
    struct message message = {.copy = malloc(bytes ? bytes : 1), .copied_to = back ? section : NULL};
    char *row = message.copy;

    if (!row) {
        message.error = fortran_raise(MPI_ERR_NO_MEM, "no memory for a copy of an array section with gaps");
        return message;
    }
    copy_elements(section, section->rank, section->base, &row, true);
    message.address = message.copy;
    return message;
}

struct message refuse_gaps(const char *what)
{
    return (struct message){.error = fortran_raise(MPI_ERR_BUFFER, what)};
}

void message_free(struct message *message)
{
    char *row = message->copy;

    if (message->typed)
        PMPI_Type_free(&message->type);
    if (row && message->copied_to)
        copy_elements(message->copied_to, message->copied_to->rank, message->copied_to->base, &row, false);
    free(message->copy);
}
