/* rma_types: the predefined datatypes by the groups of MPI-5.0, 6.9.2, and how a program reads and writes
 * their values as one or two numbers. */
#ifndef TESTS_MPI_RMA_TYPES_H
#define TESTS_MPI_RMA_TYPES_H

#include "win.h"

#include <complex.h>
#include <stdbool.h>
#include <wchar.h>

enum group {
    INTEGER = 1,
    FORTRAN_INTEGER = 2,
    FLOATING = 4,
    LOGICAL = 8,
    COMPLEX = 16,
    BYTE = 32,
    MULTI = 64, /* MPI_AINT, MPI_OFFSET, MPI_COUNT */
    PAIR = 128,
    NO_GROUP = 256, /* moved, and never combined */
    ALL_GROUPS = 511
};

enum value {
    WHOLE, /* an integer of the type's size */
    REAL,
    DOUBLE,
    LONG_REAL,
    REAL_PAIR, /* also complex */
    DOUBLE_PAIR,
    LONG_REAL_PAIR,
    INT_PAIR,
    REAL_INT,
    DOUBLE_INT,
    LONG_INT,
    SHORT_INT,
    LONG_REAL_INT
};

struct predefined {
    MPI_Datatype type;
    enum group group;
    enum value value;
    int bytes; /* from one item to the next */
    const char *name;
};

#define ROW(type, group, value, ctype)                                                                       \
    {                                                                                                        \
        type, group, value, (int)sizeof(ctype), #type                                                        \
    }
#define PAIR_OF(name, a)                                                                                     \
    struct name {                                                                                            \
        a value;                                                                                             \
        int index;                                                                                           \
    }
PAIR_OF(real_int, float);
PAIR_OF(double_int, double);
PAIR_OF(long_int, long);
PAIR_OF(short_int, short);
PAIR_OF(long_real_int, long double);

static inline const struct predefined *predefined_types(int *count)
{
    static struct predefined table[] = {
        ROW(MPI_SIGNED_CHAR, INTEGER, WHOLE, char),
        ROW(MPI_UNSIGNED_CHAR, INTEGER, WHOLE, char),
        ROW(MPI_SHORT, INTEGER, WHOLE, short),
        ROW(MPI_UNSIGNED_SHORT, INTEGER, WHOLE, short),
        ROW(MPI_INT, INTEGER, WHOLE, int),
        ROW(MPI_UNSIGNED, INTEGER, WHOLE, int),
        ROW(MPI_LONG, INTEGER, WHOLE, long),
        ROW(MPI_UNSIGNED_LONG, INTEGER, WHOLE, long),
        ROW(MPI_LONG_LONG, INTEGER, WHOLE, long long),
        ROW(MPI_UNSIGNED_LONG_LONG, INTEGER, WHOLE, long long),
        ROW(MPI_INT8_T, INTEGER, WHOLE, int8_t),
        ROW(MPI_INT16_T, INTEGER, WHOLE, int16_t),
        ROW(MPI_INT32_T, INTEGER, WHOLE, int32_t),
        ROW(MPI_INT64_T, INTEGER, WHOLE, int64_t),
        ROW(MPI_UINT8_T, INTEGER, WHOLE, int8_t),
        ROW(MPI_UINT16_T, INTEGER, WHOLE, int16_t),
        ROW(MPI_UINT32_T, INTEGER, WHOLE, int32_t),
        ROW(MPI_UINT64_T, INTEGER, WHOLE, int64_t),
        ROW(MPI_INTEGER, FORTRAN_INTEGER, WHOLE, int),
        ROW(MPI_AINT, MULTI, WHOLE, MPI_Aint),
        ROW(MPI_OFFSET, MULTI, WHOLE, MPI_Offset),
        ROW(MPI_COUNT, MULTI, WHOLE, MPI_Count),
        ROW(MPI_FLOAT, FLOATING, REAL, float),
        ROW(MPI_DOUBLE, FLOATING, DOUBLE, double),
        ROW(MPI_LONG_DOUBLE, FLOATING, LONG_REAL, long double),
        ROW(MPI_REAL, FLOATING, REAL, float),
        ROW(MPI_DOUBLE_PRECISION, FLOATING, DOUBLE, double),
        ROW(MPI_C_BOOL, LOGICAL, WHOLE, bool),
        ROW(MPI_LOGICAL, LOGICAL, WHOLE, int),
        ROW(MPI_C_FLOAT_COMPLEX, COMPLEX, REAL_PAIR, float complex),
        ROW(MPI_C_DOUBLE_COMPLEX, COMPLEX, DOUBLE_PAIR, double complex),
        ROW(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, LONG_REAL_PAIR, long double complex),
        ROW(MPI_COMPLEX, COMPLEX, REAL_PAIR, float complex),
        ROW(MPI_BYTE, BYTE, WHOLE, char),
        ROW(MPI_CHAR, NO_GROUP, WHOLE, char),
        ROW(MPI_WCHAR, NO_GROUP, WHOLE, wchar_t),
        ROW(MPI_2INT, PAIR, INT_PAIR, int[2]),
        ROW(MPI_2INTEGER, PAIR, INT_PAIR, int[2]),
        ROW(MPI_2REAL, PAIR, REAL_PAIR, float[2]),
        ROW(MPI_2DOUBLE_PRECISION, PAIR, DOUBLE_PAIR, double[2]),
        ROW(MPI_FLOAT_INT, PAIR, REAL_INT, struct real_int),
        ROW(MPI_DOUBLE_INT, PAIR, DOUBLE_INT, struct double_int),
        ROW(MPI_LONG_INT, PAIR, LONG_INT, struct long_int),
        ROW(MPI_SHORT_INT, PAIR, SHORT_INT, struct short_int),
        ROW(MPI_LONG_DOUBLE_INT, PAIR, LONG_REAL_INT, struct long_real_int),
    };

    *count = (int)(sizeof table / sizeof *table);
    return table;
}

static inline void store_whole(int bytes, void *at, long long value)
{
    int8_t i8 = (int8_t)value;
    int16_t i16 = (int16_t)value;
    int32_t i32 = (int32_t)value;

    memcpy(at,
           bytes == 1   ? (void *)&i8
           : bytes == 2 ? (void *)&i16
           : bytes == 4 ? (void *)&i32
                        : &value,
           (size_t)bytes);
}

static inline long long load_whole(int bytes, const void *at)
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;

    memcpy(bytes == 1   ? (void *)&i8
           : bytes == 2 ? (void *)&i16
           : bytes == 4 ? (void *)&i32
                        : &i64,
           at, (size_t)bytes);
    return bytes == 1 ? i8 : bytes == 2 ? i16 : bytes == 4 ? i32 : i64;
}

/* Both numbers, exact in every type: small and whole. */
static inline void store(const struct predefined *t, void *at, int a, int b)
{
    if (t->value == WHOLE)
        store_whole(t->bytes, at, a);
    else if (t->value == REAL || t->value == REAL_PAIR)
        memcpy(at, (float[]){(float)a, (float)b}, (size_t)t->bytes);
    else if (t->value == DOUBLE || t->value == DOUBLE_PAIR)
        memcpy(at, (double[]){a, b}, (size_t)t->bytes);
    else if (t->value == LONG_REAL || t->value == LONG_REAL_PAIR)
        memcpy(at, (long double[]){a, b}, (size_t)t->bytes);
    else if (t->value == INT_PAIR)
        memcpy(at, (int[]){a, b}, (size_t)t->bytes);
    else if (t->value == REAL_INT)
        *(struct real_int *)at = (struct real_int){(float)a, b};
    else if (t->value == DOUBLE_INT)
        *(struct double_int *)at = (struct double_int){a, b};
    else if (t->value == LONG_INT)
        *(struct long_int *)at = (struct long_int){a, b};
    else if (t->value == SHORT_INT)
        *(struct short_int *)at = (struct short_int){(short)a, b};
    else
        *(struct long_real_int *)at = (struct long_real_int){a, b};
}

/* b is 0 where the type has one number. */
static inline void load(const struct predefined *t, const void *at, long double *a, long double *b)
{
    union {
        float real[2];
        double whole_double[2];
        long double long_real[2];
        int ints[2];
        struct real_int real_int;
        struct double_int double_int;
        struct long_int long_int;
        struct short_int short_int;
        struct long_real_int long_real_int;
    } u;

    memset(&u, 0, sizeof u);
    memcpy(&u, at, (size_t)t->bytes);
    *a = *b = 0;
    if (t->value == WHOLE)
        *a = (long double)load_whole(t->bytes, at);
    else if (t->value == REAL || t->value == REAL_PAIR)
        *a = u.real[0], *b = u.real[1];
    else if (t->value == DOUBLE || t->value == DOUBLE_PAIR)
        *a = u.whole_double[0], *b = u.whole_double[1];
    else if (t->value == LONG_REAL || t->value == LONG_REAL_PAIR)
        *a = u.long_real[0], *b = u.long_real[1];
    else if (t->value == INT_PAIR)
        *a = u.ints[0], *b = u.ints[1];
    else if (t->value == REAL_INT)
        *a = u.real_int.value, *b = u.real_int.index;
    else if (t->value == DOUBLE_INT)
        *a = u.double_int.value, *b = u.double_int.index;
    else if (t->value == LONG_INT)
        *a = u.long_int.value, *b = u.long_int.index;
    else if (t->value == SHORT_INT)
        *a = u.short_int.value, *b = u.short_int.index;
    else
        *a = u.long_real_int.value, *b = u.long_real_int.index;
}

struct operation {
    MPI_Op op;
    int groups; /* that it is defined for */
    const char *name;
};

#define OPERATION(op, groups)                                                                                \
    {                                                                                                        \
        op, groups, #op                                                                                      \
    }
static inline const struct operation *predefined_operations(int *count)
{
    enum {
        NUMBERS = INTEGER | FORTRAN_INTEGER | FLOATING | MULTI,
        TRUTHS = INTEGER | LOGICAL,
        BITS = INTEGER | FORTRAN_INTEGER | BYTE | MULTI
    };
    static struct operation table[] = {OPERATION(MPI_MAX, NUMBERS),
                                       OPERATION(MPI_MIN, NUMBERS),
                                       OPERATION(MPI_SUM, NUMBERS | COMPLEX),
                                       OPERATION(MPI_PROD, NUMBERS | COMPLEX),
                                       OPERATION(MPI_LAND, TRUTHS),
                                       OPERATION(MPI_LOR, TRUTHS),
                                       OPERATION(MPI_LXOR, TRUTHS),
                                       OPERATION(MPI_BAND, BITS),
                                       OPERATION(MPI_BOR, BITS),
                                       OPERATION(MPI_BXOR, BITS),
                                       OPERATION(MPI_MINLOC, PAIR),
                                       OPERATION(MPI_MAXLOC, PAIR),
                                       OPERATION(MPI_REPLACE, ALL_GROUPS),
                                       OPERATION(MPI_NO_OP, ALL_GROUPS)};

    *count = (int)(sizeof table / sizeof *table);
    return table;
}

#endif
