/* A loop for each type of value, which asks a function for the lower index where values are equal. */
#include "op/op.h"

#include "datatype/construct.h"
#include "datatype/datatype.h"

#include <stdint.h>
#include <string.h>

typedef bool location_is_less(const void *a, const void *b);

/* How pairs lie in memory. */
struct location {
    size_t extent, index;
    location_is_less *is_less; /* of two indices */
};

typedef void location_loop(const struct location *l, const char *in, char *inout, MPI_Count n);

static inline void copy_pair(void *to, const void *from, size_t extent)
{
    if (extent == 16)
        memcpy(to, from, 16);
    else if (extent == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, extent);
}

#define LOOP(name, type, order)                                                                              \
    static void name(const struct location *l, const char *in, char *inout, MPI_Count n)                     \
    {                                                                                                        \
        for (MPI_Count i = 0; i < n; i++, in += l->extent, inout += l->extent) {                             \
            type a, b;                                                                                       \
                                                                                                             \
            memcpy(&a, in, sizeof a);                                                                        \
            memcpy(&b, inout, sizeof b);                                                                     \
            if (a order b || (a == b && l->is_less(in + l->index, inout + l->index)))                        \
                copy_pair(inout, in, l->extent);                                                             \
        }                                                                                                    \
    }
#define LOOPS(rep, type)                                                                                     \
    LOOP(minloc_##rep, type, <)                                                                              \
    LOOP(maxloc_##rep, type, >)
#define INDEX(rep, type)                                                                                     \
    static bool is_less_##rep(const void *at_a, const void *at_b)                                            \
    {                                                                                                        \
        type a, b;                                                                                           \
                                                                                                             \
        memcpy(&a, at_a, sizeof a);                                                                          \
        memcpy(&b, at_b, sizeof b);                                                                          \
        return a < b;                                                                                        \
    }

#define OF_INTEGERS(X)                                                                                       \
    X(i8, int8_t)                                                                                            \
    X(i16, int16_t)                                                                                          \
    X(i32, int32_t)                                                                                          \
    X(i64, int64_t)                                                                                          \
    X(u8, uint8_t)                                                                                           \
    X(u16, uint16_t)                                                                                         \
    X(u32, uint32_t)                                                                                         \
    X(u64, uint64_t)

OF_INTEGERS(LOOPS)
OF_INTEGERS(INDEX)
LOOPS(f32, float)
LOOPS(f64, double)
LOOPS(long_double, long double)
#ifdef __SIZEOF_INT128__
LOOPS(i128, __int128)
INDEX(i128, __int128)
#endif
#ifdef __FLT16_MANT_DIG__
LOOPS(f16, _Float16)
#endif
#ifdef __SIZEOF_FLOAT128__
LOOPS(f128, __float128)
#endif

#define OF_VALUE(rep)                                                                                        \
    {                                                                                                        \
        minloc_##rep, maxloc_##rep                                                                           \
    }

static location_loop *const loops[REP_COUNT][2] = {
    [REP_I8] = OF_VALUE(i8),
    [REP_I16] = OF_VALUE(i16),
    [REP_I32] = OF_VALUE(i32),
    [REP_I64] = OF_VALUE(i64),
    [REP_U8] = OF_VALUE(u8),
    [REP_U16] = OF_VALUE(u16),
    [REP_U32] = OF_VALUE(u32),
    [REP_U64] = OF_VALUE(u64),
    [REP_F32] = OF_VALUE(f32),
    [REP_F64] = OF_VALUE(f64),
    [REP_LONG_DOUBLE] = OF_VALUE(long_double),
#ifdef __SIZEOF_INT128__
    [REP_I128] = OF_VALUE(i128),
#endif
#ifdef __FLT16_MANT_DIG__
    [REP_F16] = OF_VALUE(f16),
#endif
#ifdef __SIZEOF_FLOAT128__
    [REP_F128] = OF_VALUE(f128),
#endif
};

static location_is_less *const orders[REP_COUNT] = {
    [REP_I8] = is_less_i8,     [REP_I16] = is_less_i16, [REP_I32] = is_less_i32, [REP_I64] = is_less_i64,
    [REP_U8] = is_less_u8,     [REP_U16] = is_less_u16, [REP_U32] = is_less_u32, [REP_U64] = is_less_u64,
#ifdef __SIZEOF_INT128__
    [REP_I128] = is_less_i128,
#endif
};

void location_apply(bool is_max, const struct datatype *pair, const void *in, void *inout, MPI_Count n)
{
    struct datatype *value, *index;
    struct location l = {.extent = (size_t)pair->extent};

    value_index_parts(pair->basic, &value, &index);
    l.index = (size_t)value_index_place(value, index);
    l.is_less = orders[index->representation];
    loops[value->representation][is_max](&l, in, inout, n);
}
