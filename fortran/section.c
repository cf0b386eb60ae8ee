#include "section.h"

#include "items.h"

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
    int combiner = MPI_COMBINER_NAMED, error;
    MPI_Datatype *inner;
    MPI_Count types = 0;

    if ((size_t)size == length) {
        *element = type;
        return MPI_SUCCESS;
    }
    if (size && length % (size_t)size == 0)
        return PMPI_Type_contiguous_c((MPI_Count)(length / (size_t)size), type, element);
    inner = items_inner(type, &types, &combiner);
    if (inner && combiner == MPI_COMBINER_CONTIGUOUS) {
        PMPI_Type_size_c(inner[0], &size);
        error = element_type(inner[0], size, length, element);
        if (!error && *element == inner[0])
            error = PMPI_Type_dup(inner[0], element);
    } else {
        error = PMPI_Type_contiguous_c((MPI_Count)length, MPI_BYTE, element);
    }
    for (MPI_Count i = 0; i < types; i++)
        items_drop(inner[i]);
    free(inner);
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

/* With its datatype committed, if that could be made. */
static struct message message_commit(struct message message)
{
    message.typed = !message.error;
    if (message.typed)
        message.error = PMPI_Type_commit(&message.type);
    return message;
}

static struct message refuse_gaps(const char *what)
{
    return (struct message){.error = fortran_raise(MPI_ERR_BUFFER, what)};
}

/* Items of a datatype that has gaps itself. */
static struct message message_of_items(const struct section *section, MPI_Count count, MPI_Datatype type)
{
    MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0, first, end,
              bytes = section_elements(section, section->rank) * (MPI_Count)section->length;
    struct message message = message_plain(section, 1, MPI_DATATYPE_NULL);

    PMPI_Type_get_extent_c(type, &lower, &extent);
    PMPI_Type_get_true_extent_c(type, &true_lower, &true_extent);
    first = true_lower + (extent < 0 ? (count - 1) * extent : 0);
    end = true_lower + true_extent + (extent > 0 ? (count - 1) * extent : 0);
    if (first < 0 || end > bytes)
        return refuse_gaps("a message begins before an array section with gaps, or ends behind it");
    message.error = items_type(section, count, type, &message.type);
    return message_commit(message);
}

static struct message message_of_elements(const struct section *section, MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = size_without_gaps(type), bytes, n, length = (MPI_Count)section->length;
    struct message message = message_plain(section, 1, MPI_DATATYPE_NULL);
    MPI_Datatype element;

    if (!size)
        return message_of_items(section, count, type);
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
    return message_commit(message);
}

struct message message_of_gaps(const struct section *section, MPI_Count count, MPI_Datatype type)
{
    struct message message = message_plain(section, 1, MPI_DATATYPE_NULL);

    if (count <= 0) /* nothing, or the call itself complains */
        return message_plain(section, count, type);
    message.shape = shapes_take(section, count, type);
    if (message.shape) {
        message.type = message.shape->made;
        return message;
    }
    message = message_of_elements(section, count, type);
    if (!message.error)
        message.shape = shapes_add(section, count, type, message.type);
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

struct message blocks_of_gaps(const struct section *section, MPI_Datatype type, bool back)
{
    MPI_Count size = size_without_gaps(type), length = (MPI_Count)section->length;
    struct message message = message_plain(section, 0, MPI_DATATYPE_NULL);
    MPI_Datatype element, strided;
    ptrdiff_t stride;

    if (!size || size % length || !has_one_stride(section, &stride)) {
        message = copy_of_gaps(section, back);
        message.type = type;
        return message;
    }
    message.error = element_type(type, size, section->length, &element);
    if (message.error)
        return message;
    message.error = PMPI_Type_create_hvector_c(size / length, 1, stride, element, &strided);
    type_drop(element, type);
    if (message.error)
        return message;
    message.error = PMPI_Type_create_resized_c(strided, 0, size / length * stride, &message.type);
    PMPI_Type_free(&strided);
    return message_commit(message);
}

struct message partitions_of_gaps(const struct section *section, MPI_Count partitions, MPI_Count count,
                                  MPI_Datatype type, bool back)
{
    struct message message = blocks_of_gaps(section, type, back);
    MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0, bytes;

    if (message.error || !message.copy)
        return message;
    PMPI_Type_get_extent_c(type, &lower, &extent);
    PMPI_Type_get_true_extent_c(type, &true_lower, &true_extent);
    if (true_lower < 0 || true_lower + true_extent > extent ||
        __builtin_mul_overflow(partitions, count, &bytes) || __builtin_mul_overflow(bytes, extent, &bytes) ||
        bytes > (MPI_Count)message.copy->bytes) {
        message_free(&message);
        return refuse_gaps("partitions reach out of an array section with gaps, or into each other");
    }
    message.copy->partition = (size_t)(count * extent);
    return message;
}

/* Copies element by element into a row, in array order. */
static void take_elements(const struct section *section, int rank, const char *at, char **row)
{
    if (rank == 0) {
        memcpy(*row, at, section->length);
        *row += section->length;
        return;
    }
    for (ptrdiff_t i = 0; i < section->dim[rank - 1].extent; i++)
        take_elements(section, rank - 1, at + i * section->dim[rank - 1].stride, row);
}

/* Copies back the elements that are others than they were. */
static void put_elements(const struct section *section, int rank, char *at, const char **row,
                         const char **before)
{
    if (rank == 0) {
        if (memcmp(*row, *before, section->length) != 0)
            memcpy(at, *row, section->length);
        *row += section->length;
        *before += section->length;
        return;
    }
    for (ptrdiff_t i = 0; i < section->dim[rank - 1].extent; i++)
        put_elements(section, rank - 1, at + i * section->dim[rank - 1].stride, row, before);
}

/* Partitions that are sent are taken when they are ready. */
void section_take(struct section_copy *copy)
{
    char *row = copy->row;

    copy->taken = true;
    if (copy->partition && !copy->before)
        return;
    take_elements(copy->section, copy->section->rank, copy->section->base, &row);
    if (copy->before)
        memcpy(copy->before, copy->row, copy->bytes);
}

void section_put_back(struct section_copy *copy)
{
    const char *row = copy->row, *before = copy->before;

    if (copy->taken && before)
        put_elements(copy->section, copy->section->rank, copy->section->base, &row, &before);
    copy->taken = false;
}

/* The place of an element by its number in array order. */
static char *element_at(const struct section *section, size_t number)
{
    char *at = section->base;

    for (int i = 0; i < section->rank; i++) {
        at += (ptrdiff_t)(number % (size_t)section->dim[i].extent) * section->dim[i].stride;
        number /= (size_t)section->dim[i].extent;
    }
    return at;
}

/* Moves bytes from `from` to `end` of the row, which may begin and end within an element, to the row or back. */
static void move_bytes(struct section_copy *copy, size_t from, size_t end, bool back)
{
    size_t length = copy->section->length, piece;

    for (size_t i = from; i < end; i += piece) {
        size_t within = i % length;
        char *at = element_at(copy->section, i / length) + within;

        piece = length - within < end - i ? length - within : end - i;
        if (!back) {
            memcpy(copy->row + i, at, piece);
        } else if (memcmp(copy->row + i, copy->before + i, piece) != 0) {
            memcpy(at, copy->row + i, piece);
            memcpy(copy->before + i, copy->row + i, piece);
        }
    }
}

void section_take_partitions(struct section_copy *copy, MPI_Count low, MPI_Count high)
{
    if (low >= 0 && high >= low && copy->partition && (size_t)high < copy->bytes / copy->partition)
        move_bytes(copy, (size_t)low * copy->partition, (size_t)(high + 1) * copy->partition, false);
}

void section_put_partition(struct section_copy *copy, MPI_Count partition)
{
    if (partition >= 0 && copy->taken && copy->before && copy->partition &&
        (size_t)partition < copy->bytes / copy->partition)
        move_bytes(copy, (size_t)partition * copy->partition, (size_t)(partition + 1) * copy->partition,
                   true);
}

struct message copy_of_gaps(const struct section *section, bool back)
{
    size_t descriptor = sizeof *section + (size_t)section->rank * sizeof section->dim[0],
           bytes = (size_t)section_elements(section, section->rank) * section->length,
           aligned = (bytes + 15) & ~(size_t)15, head = (sizeof(struct section_copy) + 15) & ~(size_t)15;
    struct section_copy *copy = malloc(head + aligned + (back ? aligned : 0) + descriptor);

    if (!copy)
        return (struct message){
            .error = fortran_raise(MPI_ERR_NO_MEM, "no memory for a copy of an array section with gaps")};
    *copy = (struct section_copy){.kept.is_copy = true, .row = (char *)copy + head, .bytes = bytes};
    if (back)
        copy->before = copy->row + aligned;
    copy->section = memcpy(copy->row + (back ? 2 : 1) * aligned, section, descriptor);
    section_take(copy);
    return (struct message){.address = copy->row, .copy = copy};
}

void message_keep(struct message *message, int request)
{
    if (message->copy)
        kept_add(&message->copy->kept, request);
    message->copy = NULL;
}

void message_drop(struct message *message)
{
    if (message->shape)
        shapes_give(message->shape);
    else if (message->typed)
        PMPI_Type_free(&message->type);
    if (message->copy)
        section_put_back(message->copy);
    free(message->copy);
}
