/* ranks: 1 */
/* Extents of types nested at odd places: alignment pads the extent of the parts, then that of the whole, as in C. */
#include "check.h"

static MPI_Aint end_of(MPI_Datatype type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type, &lb, &extent);
    return lb + extent;
}

static void check_bounds(int line, MPI_Datatype *type, MPI_Aint wanted_lb, MPI_Aint wanted_extent)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(*type, &lb, &extent);
    if (lb != wanted_lb || extent != wanted_extent)
        fprintf(stderr, "line %d: lb %ld, extent %ld\n", line, (long)lb, (long)extent);
    CHECK(lb == wanted_lb && extent == wanted_extent);
    MPI_Type_free(type);
}

#define BOUNDS(type, lb, extent) check_bounds(__LINE__, &(type), lb, extent)

static MPI_Datatype struct_of(int n, const int *lengths, const MPI_Aint *places, const MPI_Datatype *types)
{
    MPI_Datatype made;

    CHECK_EQ(MPI_Type_create_struct(n, lengths, places, types, &made), MPI_SUCCESS);
    return made;
}

/* With the extents that MPICH 4 and Open MPI 4 and 5 give, too. */
static void structs(void)
{
    MPI_Datatype inner, outer;

    inner = struct_of(3, (int[]){2, 3, 1}, (MPI_Aint[]){21, 38, 41},
                      (MPI_Datatype[]){MPI_INT8_T, MPI_DOUBLE, MPI_FLOAT});
    outer = struct_of(2, (int[]){3, 1}, (MPI_Aint[]){6, 38}, (MPI_Datatype[]){MPI_FLOAT, inner});
    BOUNDS(inner, 21, 48);
    BOUNDS(outer, 6, 104);
    inner = struct_of(3, (int[]){2, 2, 3}, (MPI_Aint[]){3, 41, 17},
                      (MPI_Datatype[]){MPI_FLOAT, MPI_SHORT, MPI_INT8_T});
    outer = struct_of(2, (int[]){1, 3}, (MPI_Aint[]){4, 42}, (MPI_Datatype[]){MPI_SHORT, inner});
    BOUNDS(inner, 3, 44);
    BOUNDS(outer, 4, 176);
    inner = struct_of(2, (int[]){1, 3}, (MPI_Aint[]){0, 4}, (MPI_Datatype[]){MPI_INT, MPI_CHAR});
    outer = struct_of(2, (int[]){1, 2}, (MPI_Aint[]){0, 1}, (MPI_Datatype[]){MPI_CHAR, inner});
    BOUNDS(inner, 0, 8);
    BOUNDS(outer, 0, 20);
}

static void vectors(void)
{
    MPI_Datatype inner, outer;

    CHECK_EQ(MPI_Type_create_hvector(2, 1, 2, MPI_INT, &inner), MPI_SUCCESS); /* 6 bytes of data */
    CHECK_EQ(MPI_Type_create_hvector(2, 1, 13, inner, &outer), MPI_SUCCESS);
    BOUNDS(inner, 0, 8);
    BOUNDS(outer, 0, 24);
    CHECK_EQ(MPI_Type_create_hvector(2, 1, 3, MPI_SHORT, &inner), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_create_hvector(2, 1, 15, inner, &outer), MPI_SUCCESS);
    BOUNDS(inner, 0, 6);
    BOUNDS(outer, 0, 22);
    CHECK_EQ(MPI_Type_create_resized(MPI_INT, -1, 7, &inner), MPI_SUCCESS); /* markers are not padded */
    CHECK_EQ(MPI_Type_create_hvector(2, 1, 3, inner, &outer), MPI_SUCCESS);
    BOUNDS(inner, -1, 7);
    BOUNDS(outer, -1, 10);
}

/* Parts of one type at 5 and at 5 + stride; `way` is one of the constructors. */
static MPI_Datatype make_two(int way, MPI_Aint stride, MPI_Datatype part)
{
    MPI_Aint places[2] = {5, 5 + stride};
    int lengths[2] = {1, 1};
    MPI_Datatype made, vector, parts[2] = {part, part};

    switch (way) {
    case 0:
        MPI_Type_create_hindexed(2, lengths, places, part, &made);
        return made;
    case 1:
        MPI_Type_create_hindexed_block(2, 1, places, part, &made);
        return made;
    case 2:
        return struct_of(2, lengths, places, parts);
    default:
        MPI_Type_create_hvector(2, 1, stride, part, &vector);
        MPI_Type_create_hindexed(1, lengths, places, vector, &made);
        MPI_Type_free(&vector);
        return made;
    }
}

/* No whole ends before its last part does at its place, and all ways to make the same give the same. */
static void no_end_is_before_that_of_a_part(void)
{
    for (MPI_Aint inner = 1; inner < 20; inner++) {
        for (MPI_Aint stride = 1; stride < 20; stride++) {
            MPI_Datatype part, made, first = make_two(0, inner, MPI_INT);
            MPI_Aint whole, lb, extent;

            part = make_two(3, inner, MPI_INT);
            CHECK_EQ(end_of(part) >= end_of(first), 1);
            made = make_two(0, stride, part);
            whole = end_of(made);
            MPI_Type_get_extent(made, &lb, &extent);
            CHECK(extent % (MPI_Aint)sizeof(int) == 0);
            CHECK(whole >= 5 + stride + end_of(part));
            MPI_Type_free(&made);
            for (int way = 1; way < 3; way++) {
                made = make_two(way, stride, part);
                CHECK_EQ(end_of(made), whole);
                MPI_Type_free(&made);
            }
            MPI_Type_free(&part);
            MPI_Type_free(&first);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    structs();
    vectors();
    no_end_is_before_that_of_a_part();
    MPI_Finalize();
    return 0;
}
