/* Predefined types that Fortran programs select by precision, range or size (MPI-5.0 section 20.1.9). */
#include "base/live.h"
#include "datatype/construct.h"
#include "plain/fail.h"

#include <float.h>
#include <stdlib.h>

/* Types that MPI_Type_create_f90_X has returned. The same request gets the same type. Never freed. */
struct f90 {
    struct f90 *next;
    int combiner, precision, range;
    struct datatype *type;
};

static struct f90 *f90_known;
static struct lock f90_lock = LOCK_INIT;

static struct f90 *f90_find(int combiner, int precision, int range)
{
    struct f90 *f = f90_known;

    while (f && (f->combiner != combiner || f->precision != precision || f->range != range))
        f = f->next;
    return f;
}

static int f90_new(int combiner, int precision, int range, struct datatype *like, struct f90 **found)
{
    bool is_integer = combiner == MPI_COMBINER_F90_INTEGER;
    struct contents *contents = contents_new(false, 2, 0, 0, 0);
    struct f90 *f = malloc(sizeof *f);
    int error;

    if (contents && !is_integer)
        contents_add_integer(contents, precision);
    if (contents)
        contents_add_integer(contents, range);
    if (!f) {
        contents_unref(contents);
        return fail(MPI_ERR_NO_MEM, "no memory for a datatype");
    }
    error = construct_same(combiner, contents, like, &f->type);
    if (error) {
        free(f);
        return error;
    }
    f->type->object.predefined = true;
    f->combiner = combiner;
    f->precision = precision;
    f->range = range;
    f->next = f90_known;
    f90_known = f;
    *found = f;
    return 0;
}

/* The unnamed predefined type of this precision and range, with the layout of `like`. */
/* Never freed. */
static int f90_keep(int combiner, int precision, int range, struct datatype *like, struct f90 **found)
{
    int error;

    live_set_own(true);
    error = f90_new(combiner, precision, range, like, found);
    live_set_own(false);
    return error;
}

static int f90_get(int combiner, int precision, int range, MPI_Datatype like, struct datatype **type)
{
    struct f90 *f;
    int error = 0;

    lock_take(&f90_lock);
    f = f90_find(combiner, precision, range);
    if (!f)
        error = f90_keep(combiner, precision, range, datatype_predefined(like), &f);
    lock_release(&f90_lock);
    if (error)
        return error;
    datatype_ref(f->type);
    *type = f->type;
    return 0;
}

/* The kinds of REAL that gfortran and flang have on this machine, smallest first; x87's extended format is one of them, and
 * long double in C. Kinds below single, which only some compilers choose, are refused before (fortran/kinds.c). */
static const struct real_kind {
    int precision, range;
    MPI_Datatype real, complex;
} real_kinds[] = {
    {6, 37, MPI_REAL4, MPI_COMPLEX8},
    {15, 307, MPI_REAL8, MPI_COMPLEX16},
#if LDBL_MANT_DIG == 64
    {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
#endif
    {33, 4931, MPI_REAL16, MPI_COMPLEX32},
};

/* The one that selected_real_kind(precision, range) gives: the first that suffices. NULL: none. */
static const struct real_kind *real_kind_find(int precision, int range)
{
    for (size_t i = 0; i < sizeof real_kinds / sizeof real_kinds[0]; i++) {
        const struct real_kind *kind = &real_kinds[i];

        if ((precision == MPI_UNDEFINED || precision <= kind->precision) &&
            (range == MPI_UNDEFINED || range <= kind->range))
            return datatype_predefined(kind->real)->supported ? kind : NULL;
    }
    return NULL;
}

static int f90_floating(int combiner, int precision, int range, struct datatype **type)
{
    const struct real_kind *kind = real_kind_find(precision, range);

    if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED)
        return fail(MPI_ERR_ARG, "both p and r are MPI_UNDEFINED");
    if (!kind)
        return fail(MPI_ERR_ARG, "no kind has %d decimal digits and exponent range %d", precision, range);
    return f90_get(combiner, precision, range, combiner == MPI_COMBINER_F90_REAL ? kind->real : kind->complex,
                   type);
}

int datatype_f90_real(int precision, int range, struct datatype **type)
{
    return f90_floating(MPI_COMBINER_F90_REAL, precision, range, type);
}

int datatype_f90_complex(int precision, int range, struct datatype **type)
{
    return f90_floating(MPI_COMBINER_F90_COMPLEX, precision, range, type);
}

int datatype_f90_integer(int range, struct datatype **type)
{
    static const MPI_Datatype like[] = {MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8,
                                        MPI_INTEGER16};
    static const int ranges[] = {2, 4, 9, 18, 38};
    int width = 0;

    while (width < 5 && range > ranges[width])
        width++;
    if (width == 5 || !datatype_predefined(like[width])->supported)
        return fail(MPI_ERR_ARG, "no integer kind has decimal range %d", range);
    return f90_get(MPI_COMBINER_F90_INTEGER, 0, range, like[width], type);
}

/* The first of these types with this size. */
static int match(const MPI_Datatype *types, int n, int size, const char *class, struct datatype **type)
{
    for (int i = 0; i < n; i++) {
        struct datatype *t = datatype_predefined(types[i]);

        if (t->supported && t->size == size) {
            datatype_ref(t);
            *type = t;
            return 0;
        }
    }
    return fail(MPI_ERR_ARG, "no Fortran %s has %d bytes", class, size);
}

int datatype_match_size(int typeclass, int size, struct datatype **type)
{
    static const MPI_Datatype reals[] = {MPI_REAL2, MPI_REAL4, MPI_REAL8, MPI_REAL16};
    static const MPI_Datatype integers[] = {MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8,
                                            MPI_INTEGER16};
    static const MPI_Datatype complexes[] = {MPI_COMPLEX4, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32};

    switch (typeclass) {
    case MPI_TYPECLASS_REAL:
        return match(reals, 4, size, "REAL", type);
    case MPI_TYPECLASS_INTEGER:
        return match(integers, 5, size, "INTEGER", type);
    case MPI_TYPECLASS_COMPLEX:
        return match(complexes, 4, size, "COMPLEX", type);
    default:
        return fail(MPI_ERR_ARG, "typeclass %d is none of MPI_TYPECLASS_REAL, _INTEGER and _COMPLEX",
                    typeclass);
    }
}
