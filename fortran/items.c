#include "items.h"

#include <stdlib.h>
#include <string.h>

static bool is_predefined_type(MPI_Datatype type)
{
    MPI_Count integers, addresses, counts, types;
    int combiner;

    return PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner) != MPI_SUCCESS ||
           types == 0 || combiner == MPI_COMBINER_VALUE_INDEX;
}

MPI_Datatype *items_inner(MPI_Datatype type, MPI_Count *types, int *combiner)
{
    MPI_Count integers, addresses, counts;
    MPI_Datatype *inner;
    MPI_Count *wide;

    if (is_predefined_type(type))
        return NULL;
    PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, types, combiner);
    inner = malloc((size_t)(*types + addresses + counts + integers) * sizeof(MPI_Count));
    if (!inner)
        return NULL;
    wide = (MPI_Count *)(inner + *types);
    if (PMPI_Type_get_contents_c(type, integers, addresses, counts, *types,
                                 (int *)(wide + addresses + counts), (MPI_Aint *)wide, wide + addresses,
                                 inner) == MPI_SUCCESS)
        return inner;
    free(inner);
    return NULL;
}

void items_drop(MPI_Datatype inner)
{
    if (!is_predefined_type(inner))
        PMPI_Type_free(&inner);
}

/* The only basic datatype in `type`; MPI_BYTE: there are several. */
static MPI_Datatype basic_of(MPI_Datatype type)
{
    MPI_Datatype *inner, basic = MPI_BYTE;
    MPI_Count types = 0;
    int combiner;

    if (is_predefined_type(type))
        return type;
    inner = items_inner(type, &types, &combiner);
    for (MPI_Count i = 0; inner && i < types; i++) {
        MPI_Datatype one = basic_of(inner[i]);

        basic = i == 0 || one == basic ? one : MPI_BYTE;
        items_drop(inner[i]);
    }
    free(inner);
    return basic;
}

/* Where each basic datatype of the items lies in the row. The row's bytes are numbered, and MPI_Pack puts the numbers into the order
 * of the data, one digit to the base 256 at a time. */
struct places {
    MPI_Datatype basic;
    MPI_Count size, extent, bytes, n, *at; /* of a basic datatype; of the row; how many; their places */
};

static int add_digits(struct places *places, int shift, MPI_Count count, MPI_Datatype type,
                      unsigned char *row, unsigned char *packed)
{
    MPI_Count position = 0, size = places->n * places->size;
    int error;

    for (MPI_Count i = 0; i < places->bytes; i++)
        row[i] = (unsigned char)(i >> shift);
    error = PMPI_Pack_c(row, count, type, packed, size, &position, MPI_COMM_SELF);
    for (MPI_Count i = 0; !error && i < places->n; i++)
        places->at[i] |= (MPI_Count)packed[i * places->size] << shift;
    return error;
}

static int find_places(struct places *places, MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = places->n * places->size;
    unsigned char *row = malloc((size_t)(places->bytes + size) + 1);
    int error = row ? MPI_SUCCESS : fortran_raise(MPI_ERR_NO_MEM, "no memory to lay a datatype out");

    for (int shift = 0; !error && (places->bytes - 1) >> shift; shift += 8)
        error = add_digits(places, shift, count, type, row, row + places->bytes);
    free(row);
    return error;
}

/* From places in the row to those in the section. Whether each basic datatype lies in one element. */
static bool spread_places(struct places *places, const struct section *section)
{
    MPI_Count length = (MPI_Count)section->length;

    for (MPI_Count i = 0; i < places->n; i++) {
        MPI_Count element = places->at[i] / length, at = places->at[i] % length;

        if (at + places->extent > length)
            return false;
        for (int d = 0; d < section->rank; d++) {
            at += element % section->dim[d].extent * section->dim[d].stride;
            element /= section->dim[d].extent;
        }
        places->at[i] = at;
    }
    return true;
}

/* One block for those that lie one behind the other. */
static int join_places(struct places *places, MPI_Datatype *made)
{
    MPI_Count *length = malloc((size_t)(places->n + 1) * sizeof *length), blocks = 0;
    int error;

    if (!length)
        return fortran_raise(MPI_ERR_NO_MEM, "no memory to lay a datatype out");
    for (MPI_Count i = 0; i < places->n; i++) {
        if (blocks && places->at[i] == places->at[blocks - 1] + length[blocks - 1] * places->extent) {
            length[blocks - 1]++;
        } else {
            places->at[blocks] = places->at[i];
            length[blocks++] = 1;
        }
    }
    error = PMPI_Type_create_hindexed_c(blocks, length, places->at, places->basic, made);
    free(length);
    return error;
}

/* Made of `basic`, if that fits. */
static int lay_out(const struct section *section, MPI_Count count, MPI_Datatype type, MPI_Datatype basic,
                   MPI_Datatype *made, bool *fits)
{
    struct places places = {.basic = basic, .bytes = (MPI_Count)section->length};
    MPI_Count size = 0, lower;
    int error;

    for (int i = 0; i < section->rank; i++)
        places.bytes *= section->dim[i].extent;
    PMPI_Type_size_c(type, &size);
    PMPI_Type_size_c(basic, &places.size);
    PMPI_Type_get_extent_c(basic, &lower, &places.extent);
    places.n = places.size ? count * size / places.size : 0;
    places.at = malloc((size_t)(places.n + 1) * sizeof *places.at);
    if (!places.at)
        return fortran_raise(MPI_ERR_NO_MEM, "no memory to lay a datatype out");
    memset(places.at, 0, (size_t)places.n * sizeof *places.at);
    error = find_places(&places, count, type);
    *fits = !error && spread_places(&places, section);
    if (*fits)
        error = join_places(&places, made);
    free(places.at);
    return error;
}

int items_type(const struct section *section, MPI_Count count, MPI_Datatype type, MPI_Datatype *made)
{
    bool fits;
    int error = lay_out(section, count, type, basic_of(type), made, &fits);

    return error || fits ? error : lay_out(section, count, type, MPI_BYTE, made, &fits);
}
