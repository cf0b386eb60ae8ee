/* The predefined datatypes: a table, filled in by datatype_init, with layouts in static memory. */
#include "datatype/datatype.h"

#include <complex.h>
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

/* The index of a type's row; also of its object. */
struct row {
    MPI_Datatype handle;
    const char *name;
    enum category category;
    enum representation representation;
    MPI_Count size, extent, true_extent, elements; /* size 0: the platform lacks the type */
};

/* Types that only some compilers have: IEEE binary16, which C has here and no Fortran, __int128 and IEEE
 * binary128. */
#ifdef __FLT16_MANT_DIG__
#define REAL2_REP    REP_F16
#define COMPLEX4_REP REP_COMPLEX_F16
#define REAL2_SIZE   2
#else
#define REAL2_REP    REP_NONE
#define COMPLEX4_REP REP_NONE
#define REAL2_SIZE   0
#endif
#if defined __SIZEOF_INT128__
#define INTEGER16_REP  REP_I128
#define LOGICAL16_REP  REP_U128
#define INTEGER16_SIZE 16
#else
#define INTEGER16_REP  REP_NONE
#define LOGICAL16_REP  REP_NONE
#define INTEGER16_SIZE 0
#endif
#if LDBL_MANT_DIG == 113
#define REAL16_REP    REP_LONG_DOUBLE
#define COMPLEX32_REP REP_COMPLEX_LONG_DOUBLE
#define REAL16_SIZE   16
#elif defined __SIZEOF_FLOAT128__ && LDBL_MANT_DIG != 106 /* Fortran's kind 16 is a pair of doubles there */
#define REAL16_REP    REP_F128
#define COMPLEX32_REP REP_COMPLEX_F128
#define REAL16_SIZE   16
#else
#define REAL16_REP    REP_NONE
#define COMPLEX32_REP REP_NONE
#define REAL16_SIZE   0
#endif

#define SIGNED_REP(type)                                                                                     \
    (sizeof(type) == 1 ? REP_I8 : sizeof(type) == 2 ? REP_I16 : sizeof(type) == 4 ? REP_I32 : REP_I64)
#define UNSIGNED_REP(type)                                                                                   \
    (sizeof(type) == 1 ? REP_U8 : sizeof(type) == 2 ? REP_U16 : sizeof(type) == 4 ? REP_U32 : REP_U64)

/* One value of `bytes` bytes. A size of 0 says that this platform lacks it. */
#define PLAIN(name, category, rep, bytes)                                                                    \
    {                                                                                                        \
        name, #name, category, rep, bytes, bytes, bytes, 1                                                   \
    }
#define SIGNED(name, category, type)                                                                         \
    {                                                                                                        \
        name, #name, category, SIGNED_REP(type), sizeof(type), sizeof(type), sizeof(type), 1                 \
    }
#define UNSIGNED(name, category, type)                                                                       \
    {                                                                                                        \
        name, #name, category, UNSIGNED_REP(type), sizeof(type), sizeof(type), sizeof(type), 1               \
    }
/* A value and an index, as in a C struct of the two. */
#define PAIR(name, rep, value_type, index_type)                                                              \
    {                                                                                                        \
        name, #name, CATEGORY_PAIR, rep, sizeof(value_type) + sizeof(index_type), sizeof(struct {            \
            value_type value;                                                                                \
            index_type index;                                                                                \
        }),                                                                                                  \
            offsetof(                                                                                        \
                struct {                                                                                     \
                    value_type value;                                                                        \
                    index_type index;                                                                        \
                },                                                                                           \
                index) +                                                                                     \
                sizeof(index_type),                                                                          \
            2                                                                                                \
    }

/* Fortran's default kinds: INTEGER and LOGICAL are int, REAL is float, DOUBLE PRECISION is double. A name
 * that the standard calls a synonym has no row of its own. */
static const struct row rows[] = {
    SIGNED(MPI_AINT, CATEGORY_MULTI_LANGUAGE, MPI_Aint),
    SIGNED(MPI_COUNT, CATEGORY_MULTI_LANGUAGE, MPI_Count),
    SIGNED(MPI_OFFSET, CATEGORY_MULTI_LANGUAGE, MPI_Offset),
    PLAIN(MPI_PACKED, CATEGORY_NONE, REP_NONE, 1),
    PLAIN(MPI_BYTE, CATEGORY_BYTE, REP_U8, 1),

    SIGNED(MPI_SHORT, CATEGORY_C_INTEGER, short),
    SIGNED(MPI_INT, CATEGORY_C_INTEGER, int),
    SIGNED(MPI_LONG, CATEGORY_C_INTEGER, long),
    SIGNED(MPI_LONG_LONG_INT, CATEGORY_C_INTEGER, long long),
    UNSIGNED(MPI_UNSIGNED_SHORT, CATEGORY_C_INTEGER, unsigned short),
    UNSIGNED(MPI_UNSIGNED, CATEGORY_C_INTEGER, unsigned),
    UNSIGNED(MPI_UNSIGNED_LONG, CATEGORY_C_INTEGER, unsigned long),
    UNSIGNED(MPI_UNSIGNED_LONG_LONG, CATEGORY_C_INTEGER, unsigned long long),
    SIGNED(MPI_SIGNED_CHAR, CATEGORY_C_INTEGER, signed char),
    UNSIGNED(MPI_UNSIGNED_CHAR, CATEGORY_C_INTEGER, unsigned char),
    SIGNED(MPI_INT8_T, CATEGORY_C_INTEGER, int8_t),
    SIGNED(MPI_INT16_T, CATEGORY_C_INTEGER, int16_t),
    SIGNED(MPI_INT32_T, CATEGORY_C_INTEGER, int32_t),
    SIGNED(MPI_INT64_T, CATEGORY_C_INTEGER, int64_t),
    UNSIGNED(MPI_UINT8_T, CATEGORY_C_INTEGER, uint8_t),
    UNSIGNED(MPI_UINT16_T, CATEGORY_C_INTEGER, uint16_t),
    UNSIGNED(MPI_UINT32_T, CATEGORY_C_INTEGER, uint32_t),
    UNSIGNED(MPI_UINT64_T, CATEGORY_C_INTEGER, uint64_t),
    PLAIN(MPI_CHAR, CATEGORY_CHAR, CHAR_MIN < 0 ? REP_I8 : REP_U8, 1),
    PLAIN(MPI_WCHAR, CATEGORY_NONE, REP_NONE, sizeof(wchar_t)),
    UNSIGNED(MPI_C_BOOL, CATEGORY_LOGICAL, _Bool),
    UNSIGNED(MPI_CXX_BOOL, CATEGORY_LOGICAL, _Bool),

    PLAIN(MPI_FLOAT, CATEGORY_FLOATING, REP_F32, sizeof(float)),
    PLAIN(MPI_DOUBLE, CATEGORY_FLOATING, REP_F64, sizeof(double)),
    PLAIN(MPI_LONG_DOUBLE, CATEGORY_FLOATING, REP_LONG_DOUBLE, sizeof(long double)),
    PLAIN(MPI_C_COMPLEX, CATEGORY_COMPLEX, REP_COMPLEX_F32, sizeof(float complex)),
    PLAIN(MPI_C_DOUBLE_COMPLEX, CATEGORY_COMPLEX, REP_COMPLEX_F64, sizeof(double complex)),
    PLAIN(MPI_C_LONG_DOUBLE_COMPLEX, CATEGORY_COMPLEX, REP_COMPLEX_LONG_DOUBLE, sizeof(long double complex)),
    PLAIN(MPI_CXX_FLOAT_COMPLEX, CATEGORY_COMPLEX, REP_COMPLEX_F32, sizeof(float complex)),
    PLAIN(MPI_CXX_DOUBLE_COMPLEX, CATEGORY_COMPLEX, REP_COMPLEX_F64, sizeof(double complex)),
    PLAIN(MPI_CXX_LONG_DOUBLE_COMPLEX, CATEGORY_COMPLEX, REP_COMPLEX_LONG_DOUBLE,
          sizeof(long double complex)),

    UNSIGNED(MPI_LOGICAL, CATEGORY_LOGICAL, int),
    SIGNED(MPI_INTEGER, CATEGORY_FORTRAN_INTEGER, int),
    PLAIN(MPI_REAL, CATEGORY_FLOATING, REP_F32, sizeof(float)),
    PLAIN(MPI_DOUBLE_PRECISION, CATEGORY_FLOATING, REP_F64, sizeof(double)),
    PLAIN(MPI_COMPLEX, CATEGORY_COMPLEX, REP_COMPLEX_F32, sizeof(float complex)),
    PLAIN(MPI_DOUBLE_COMPLEX, CATEGORY_COMPLEX, REP_COMPLEX_F64, sizeof(double complex)),
    PLAIN(MPI_CHARACTER, CATEGORY_NONE, REP_NONE, 1),

    PLAIN(MPI_LOGICAL1, CATEGORY_LOGICAL, REP_U8, 1),
    PLAIN(MPI_LOGICAL2, CATEGORY_LOGICAL, REP_U16, 2),
    PLAIN(MPI_LOGICAL4, CATEGORY_LOGICAL, REP_U32, 4),
    PLAIN(MPI_LOGICAL8, CATEGORY_LOGICAL, REP_U64, 8),
    PLAIN(MPI_LOGICAL16, CATEGORY_LOGICAL, LOGICAL16_REP, INTEGER16_SIZE),
    PLAIN(MPI_INTEGER1, CATEGORY_FORTRAN_INTEGER, REP_I8, 1),
    PLAIN(MPI_INTEGER2, CATEGORY_FORTRAN_INTEGER, REP_I16, 2),
    PLAIN(MPI_INTEGER4, CATEGORY_FORTRAN_INTEGER, REP_I32, 4),
    PLAIN(MPI_INTEGER8, CATEGORY_FORTRAN_INTEGER, REP_I64, 8),
    PLAIN(MPI_INTEGER16, CATEGORY_FORTRAN_INTEGER, INTEGER16_REP, INTEGER16_SIZE),
    PLAIN(MPI_REAL2, CATEGORY_FLOATING, REAL2_REP, REAL2_SIZE),
    PLAIN(MPI_REAL4, CATEGORY_FLOATING, REP_F32, 4),
    PLAIN(MPI_REAL8, CATEGORY_FLOATING, REP_F64, 8),
    PLAIN(MPI_REAL16, CATEGORY_FLOATING, REAL16_REP, REAL16_SIZE),
    PLAIN(MPI_COMPLEX4, CATEGORY_COMPLEX, COMPLEX4_REP, 2 * REAL2_SIZE),
    PLAIN(MPI_COMPLEX8, CATEGORY_COMPLEX, REP_COMPLEX_F32, 8),
    PLAIN(MPI_COMPLEX16, CATEGORY_COMPLEX, REP_COMPLEX_F64, 16),
    PLAIN(MPI_COMPLEX32, CATEGORY_COMPLEX, COMPLEX32_REP, 2 * REAL16_SIZE),

    PAIR(MPI_FLOAT_INT, REP_PAIR_F32_INT, float, int),
    PAIR(MPI_DOUBLE_INT, REP_PAIR_F64_INT, double, int),
    PAIR(MPI_LONG_INT, sizeof(long) == 8 ? REP_PAIR_I64_INT : REP_PAIR_I32_INT, long, int),
    PAIR(MPI_2INT, REP_PAIR_I32_INT, int, int),
    PAIR(MPI_SHORT_INT, REP_PAIR_I16_INT, short, int),
    PAIR(MPI_LONG_DOUBLE_INT, REP_PAIR_LONG_DOUBLE_INT, long double, int),
    PAIR(MPI_2REAL, REP_PAIR_F32, float, float),
    PAIR(MPI_2DOUBLE_PRECISION, REP_PAIR_F64, double, double),
    PAIR(MPI_2INTEGER, REP_PAIR_I32_INT, int, int),
};

enum {
    ROWS = sizeof rows / sizeof rows[0]
};

static struct datatype predefined[ROWS];

/* The first type of a pair; of another type the type itself. */
static struct datatype *predefined_first_of(struct datatype *t)
{
    switch (t->representation) {
    case REP_PAIR_I16_INT:
        return datatype_predefined(MPI_SHORT);
    case REP_PAIR_I32_INT:
        return datatype_predefined(MPI_INT);
    case REP_PAIR_I64_INT:
        return datatype_predefined(MPI_LONG);
    case REP_PAIR_F32_INT:
    case REP_PAIR_F32:
        return datatype_predefined(MPI_FLOAT);
    case REP_PAIR_F64_INT:
    case REP_PAIR_F64:
        return datatype_predefined(MPI_DOUBLE);
    case REP_PAIR_LONG_DOUBLE_INT:
        return datatype_predefined(MPI_LONG_DOUBLE);
    default:
        return t;
    }
}

static MPI_Count alignment_of(const struct datatype *t)
{
    switch (t->representation) {
    case REP_COMPLEX_F16:
    case REP_COMPLEX_F32:
    case REP_COMPLEX_F64:
    case REP_COMPLEX_LONG_DOUBLE:
    case REP_COMPLEX_F128:
        return t->size / 2;
    case REP_I64:
    case REP_U64:
        return _Alignof(int64_t);
    case REP_F64:
        return _Alignof(double);
    case REP_LONG_DOUBLE:
        return _Alignof(long double);
    default:
        return t->size;
    }
}

static void predefined_fill(struct datatype *t, const struct row *row)
{
    t->supported = row->size > 0;
    t->size = row->size;
    t->extent = row->extent;
    t->true_extent = row->true_extent;
    t->elements = row->elements;
    t->committed = t->supported;
    t->representation = row->representation;
    t->category = row->category;
    t->combiner = MPI_COMBINER_NAMED;
    t->basic = t;
    strncpy(t->name, row->name, sizeof t->name - 1);
}

/* A predefined layout is one or two runs. Its memory is static and its reference is never dropped. */
struct fixed_layout {
    struct layout layout;
    struct loop piece[2];
};
static struct fixed_layout plain[ROWS], typed[ROWS];

static struct layout *predefined_lay_out(struct fixed_layout *fixed)
{
    atomic_init(&fixed->layout.refs, 1);
    fixed->layout.piece = fixed->piece;
    fixed->layout.room = 2;
    return &fixed->layout;
}

/* Adding these runs cannot fail. */
static void shape_predefined(int i)
{
    struct datatype *t = &predefined[i], *first = predefined_first_of(t);
    bool is_pair = first != t;
    bool is_twice = t->representation == REP_PAIR_F32 || t->representation == REP_PAIR_F64;
    struct datatype *second = is_twice ? first : datatype_predefined(MPI_INT);
    MPI_Count at = t->true_extent - (is_pair ? t->size - first->size : 0);

    t->alignment = t->size ? alignment_of(first) : 1;
    if (is_pair && alignment_of(second) > t->alignment)
        t->alignment = alignment_of(second);
    t->plain = predefined_lay_out(&plain[i]);
    t->typed = is_pair ? predefined_lay_out(&typed[i]) : t->plain;
    if (t->size) {
        layout_add_run(t->typed, 0, first->size, first);
        if (is_pair)
            layout_add_run(t->typed, at, second->size, second);
    }
    if (is_pair) {
        layout_add_run(t->plain, 0, first->size, NULL);
        layout_add_run(t->plain, at, second->size, NULL);
    }
    t->items = layout_items(t->plain, t->extent);
    t->dense = t->plain->pieces <= 1 && t->size == t->extent;
}

void datatype_init(void)
{
    if (predefined[0].basic)
        return;
    for (int i = 0; i < ROWS; i++) {
        predefined_fill(&predefined[i], &rows[i]);
        object_predefine(&predefined[i].object, OBJECT_DATATYPE, (uintptr_t)rows[i].handle);
    }
    for (int i = 0; i < ROWS; i++)
        shape_predefined(i);
}

struct datatype *datatype_predefined(MPI_Datatype handle)
{
    return (struct datatype *)(void *)object_predefined[(uintptr_t)handle];
}
