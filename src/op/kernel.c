#include "op/kernel.h"

#include <stdint.h>

#ifndef KERNEL_TABLE
#define KERNEL_TABLE op_kernels_plain
#endif

/* gcc 12 vectorises loops of unknown length only from -O3 on; worth a factor of 2 to 8 here. */
#if defined __OPTIMIZE__ && defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

struct pair_i16_int {
    int16_t value;
    int index;
};
struct pair_i32_int {
    int32_t value;
    int index;
};
struct pair_i64_int {
    int64_t value;
    int index;
};
struct pair_f32_int {
    float value;
    int index;
};
struct pair_f64_int {
    double value;
    int index;
};
struct pair_long_double_int {
    long double value;
    int index;
};
struct pair_f32 {
    float value, index;
};
struct pair_f64 {
    double value, index;
};

/* The template of all kernels: a and b are the operands, and b also takes the result. */
#define KERNEL(name, type, result)                                                                           \
    static void name(const void *in, void *inout, MPI_Count n)                                               \
    {                                                                                                        \
        const type *restrict from = in;                                                                      \
        type *restrict to = inout;                                                                           \
                                                                                                             \
        for (MPI_Count i = 0; i < n; i++) {                                                                  \
            type a = from[i], b = to[i];                                                                     \
            to[i] = (result);                                                                                \
        }                                                                                                    \
    }

/* Sums and products of integers wrap. They are computed unsigned, so no overflow is undefined, and one kernel
 * serves the signed and the unsigned type. 1u widens narrow operands to unsigned. */
#define WRAPPING_KERNELS(rep, type)                                                                          \
    KERNEL(sum_##rep, type, (type)(1u * a + b))                                                              \
    KERNEL(prod_##rep, type, (type)(1u * a * b))                                                             \
    KERNEL(band_##rep, type, (type)(a & b))                                                                  \
    KERNEL(bor_##rep, type, (type)(a | b))                                                                   \
    KERNEL(bxor_##rep, type, (type)(a ^ b))                                                                  \
    KERNEL(land_##rep, type, (type)(a && b))                                                                 \
    KERNEL(lor_##rep, type, (type)(a || b))                                                                  \
    KERNEL(lxor_##rep, type, (type)(!a != !b))

#define ORDER_KERNELS(rep, type)                                                                             \
    KERNEL(min_##rep, type, a < b ? a : b)                                                                   \
    KERNEL(max_##rep, type, a > b ? a : b)

#define FLOATING_KERNELS(rep, type)                                                                          \
    ORDER_KERNELS(rep, type)                                                                                 \
    KERNEL(sum_##rep, type, a + b)                                                                           \
    KERNEL(prod_##rep, type, (a * b))

/* A complex value is two reals, as in C and Fortran. The product is Fortran's: it omits C's recovery of
 * infinities from NaNs, which costs a library call for each. */
#define COMPLEX_KERNELS(rep, real)                                                                           \
    struct complex_##rep {                                                                                   \
        real re, im;                                                                                         \
    };                                                                                                       \
    KERNEL(sum_complex_##rep, struct complex_##rep, ((struct complex_##rep){a.re + b.re, a.im + b.im}))      \
    KERNEL(prod_complex_##rep, struct complex_##rep,                                                         \
           ((struct complex_##rep){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}))

/* The extreme value; among equal ones, the one with the lowest index. */
#define LOCATION_KERNELS(rep)                                                                                \
    KERNEL(minloc_##rep, struct rep, a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b) \
    KERNEL(maxloc_##rep, struct rep, a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b)

WRAPPING_KERNELS(8, uint8_t)
WRAPPING_KERNELS(16, uint16_t)
WRAPPING_KERNELS(32, uint32_t)
WRAPPING_KERNELS(64, uint64_t)
ORDER_KERNELS(i8, int8_t)
ORDER_KERNELS(i16, int16_t)
ORDER_KERNELS(i32, int32_t)
ORDER_KERNELS(i64, int64_t)
ORDER_KERNELS(u8, uint8_t)
ORDER_KERNELS(u16, uint16_t)
ORDER_KERNELS(u32, uint32_t)
ORDER_KERNELS(u64, uint64_t)
FLOATING_KERNELS(f32, float)
FLOATING_KERNELS(f64, double)
FLOATING_KERNELS(long_double, long double)
COMPLEX_KERNELS(f32, float)
COMPLEX_KERNELS(f64, double)
COMPLEX_KERNELS(long_double, long double)
LOCATION_KERNELS(pair_i16_int)
LOCATION_KERNELS(pair_i32_int)
LOCATION_KERNELS(pair_i64_int)
LOCATION_KERNELS(pair_f32_int)
LOCATION_KERNELS(pair_f64_int)
LOCATION_KERNELS(pair_long_double_int)
LOCATION_KERNELS(pair_f32)
LOCATION_KERNELS(pair_f64)

/* These types exist where the compiler has them; IF_X(k) is the kernel or NULL. */
#ifdef __FLT16_MANT_DIG__
FLOATING_KERNELS(f16, _Float16)
COMPLEX_KERNELS(f16, _Float16)
#define IF_FLOAT16(kernel) kernel
#else
#define IF_FLOAT16(kernel) NULL
#endif
#ifdef __SIZEOF_INT128__
WRAPPING_KERNELS(128, unsigned __int128)
ORDER_KERNELS(i128, __int128)
#define IF_INT128(kernel) kernel
#else
#define IF_INT128(kernel) NULL
#endif
#ifdef __SIZEOF_FLOAT128__
FLOATING_KERNELS(f128, __float128)
COMPLEX_KERNELS(f128, __float128)
#define IF_FLOAT128(kernel) kernel
#else
#define IF_FLOAT128(kernel) NULL
#endif

#define INTEGER_ROW(op)                                                                                      \
    [REP_I8] = op##_8, [REP_I16] = op##_16, [REP_I32] = op##_32, [REP_I64] = op##_64,                        \
    [REP_I128] = IF_INT128(op##_128), [REP_U8] = op##_8, [REP_U16] = op##_16, [REP_U32] = op##_32,           \
    [REP_U64] = op##_64, [REP_U128] = IF_INT128(op##_128)

#define ORDERED_INTEGER_ROW(op)                                                                              \
    [REP_I8] = op##_i8, [REP_I16] = op##_i16, [REP_I32] = op##_i32, [REP_I64] = op##_i64,                    \
    [REP_I128] = IF_INT128(op##_i128), [REP_U8] = op##_u8, [REP_U16] = op##_u16, [REP_U32] = op##_u32,       \
    [REP_U64] = op##_u64

#define FLOATING_ROW(op)                                                                                     \
    [REP_F16] = IF_FLOAT16(op##_f16), [REP_F32] = op##_f32, [REP_F64] = op##_f64,                            \
    [REP_LONG_DOUBLE] = op##_long_double, [REP_F128] = IF_FLOAT128(op##_f128)

#define COMPLEX_ROW(op)                                                                                      \
    [REP_COMPLEX_F16] = IF_FLOAT16(op##_complex_f16), [REP_COMPLEX_F32] = op##_complex_f32,                  \
    [REP_COMPLEX_F64] = op##_complex_f64, [REP_COMPLEX_LONG_DOUBLE] = op##_complex_long_double,              \
    [REP_COMPLEX_F128] = IF_FLOAT128(op##_complex_f128)

#define LOCATION_ROW(op)                                                                                     \
    [REP_PAIR_I16_INT] = op##_pair_i16_int, [REP_PAIR_I32_INT] = op##_pair_i32_int,                          \
    [REP_PAIR_I64_INT] = op##_pair_i64_int, [REP_PAIR_F32_INT] = op##_pair_f32_int,                          \
    [REP_PAIR_F64_INT] = op##_pair_f64_int, [REP_PAIR_LONG_DOUBLE_INT] = op##_pair_long_double_int,          \
    [REP_PAIR_F32] = op##_pair_f32, [REP_PAIR_F64] = op##_pair_f64

op_kernel_table KERNEL_TABLE = {
    [OP_SUM] = {INTEGER_ROW(sum), FLOATING_ROW(sum), COMPLEX_ROW(sum)},
    [OP_PROD] = {INTEGER_ROW(prod), FLOATING_ROW(prod), COMPLEX_ROW(prod)},
    [OP_MIN] = {ORDERED_INTEGER_ROW(min), FLOATING_ROW(min)},
    [OP_MAX] = {ORDERED_INTEGER_ROW(max), FLOATING_ROW(max)},
    [OP_BAND] = {INTEGER_ROW(band)},
    [OP_BOR] = {INTEGER_ROW(bor)},
    [OP_BXOR] = {INTEGER_ROW(bxor)},
    [OP_LAND] = {INTEGER_ROW(land)},
    [OP_LOR] = {INTEGER_ROW(lor)},
    [OP_LXOR] = {INTEGER_ROW(lxor)},
    [OP_MINLOC] = {LOCATION_ROW(minloc)},
    [OP_MAXLOC] = {LOCATION_ROW(maxloc)},
};
