/* Shows external32 at work, for external.py to judge. A line for each type:
 *     NAME COUNT MEMORY PACKED BACK SIZE
 * the bytes of some items in memory, what MPI_Pack_external makes of them, what MPI_Unpack_external makes of
 * that in memory that was 0, and MPI_Pack_external_size; or `NAME absent`. `long-double DIGITS` comes first.
 */
#include "check.h"

#include <complex.h>
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

static void show_bytes(const void *bytes, size_t n)
{
    putchar(' ');
    for (size_t i = 0; i < n; i++)
        printf("%02x", ((const unsigned char *)bytes)[i]);
}

static void show(const char *name, MPI_Datatype type, const void *values, size_t bytes, int count)
{
    unsigned char packed[2048], back[2048] = {0};
    MPI_Count size, external, position = 0;

    MPI_Type_size_c(type, &size);
    if (size == MPI_UNDEFINED) {
        printf("%s absent\n", name);
        return;
    }
    CHECK(bytes <= sizeof back);
    CHECK_EQ(MPI_Pack_external_size_c("external32", count, type, &external), MPI_SUCCESS);
    CHECK_EQ(MPI_Pack_external_c("external32", values, count, type, packed, sizeof packed, &position),
             MPI_SUCCESS);
    CHECK_EQ(position, external);
    position = 0;
    CHECK_EQ(MPI_Unpack_external_c("external32", packed, external, &position, back, count, type),
             MPI_SUCCESS);
    CHECK_EQ(position, external);
    printf("%s %d", name, count);
    show_bytes(values, bytes);
    show_bytes(packed, (size_t)external);
    show_bytes(back, bytes);
    printf(" %lld\n", (long long)external);
}

#define SHOW_AS(name, type, array)                                                                           \
    show(name, type, array, sizeof(array), (int)(sizeof(array) / sizeof((array)[0])))
#define SHOW(type, array) SHOW_AS(#type, type, array)

/* Numbers of every length: those that a type cannot hold are cut as C does it. 2^40 + 5 shows which bytes of
 * a long go out. */
#define SHOW_INTEGERS(type, ctype)                                                                           \
    do {                                                                                                     \
        static const ctype values[] = {0,                                                                    \
                                       1,                                                                    \
                                       (ctype)-1,                                                            \
                                       (ctype)-2,                                                            \
                                       100,                                                                  \
                                       (ctype)-100,                                                          \
                                       (ctype)0x1234,                                                        \
                                       (ctype)-0x1234,                                                       \
                                       (ctype)0x12345678,                                                    \
                                       (ctype)-0x12345678,                                                   \
                                       (ctype)INT32_MAX,                                                     \
                                       (ctype)INT32_MIN,                                                     \
                                       (ctype)0x0102030405060708,                                            \
                                       (ctype)(((int64_t)1 << 40) + 5)};                                     \
        SHOW_AS(#type, type, values);                                                                        \
    } while (0)

#define SHOW_REALS(type, ctype, smallest, largest)                                                           \
    do {                                                                                                     \
        static const ctype values[] = {0,                                                                    \
                                       -(ctype)0,                                                            \
                                       1,                                                                    \
                                       -2,                                                                   \
                                       (ctype)1 / 3,                                                         \
                                       (ctype)-1.5e-20L,                                                     \
                                       (ctype)6.02214076e23L,                                                \
                                       largest,                                                              \
                                       -(largest),                                                           \
                                       smallest,                                                             \
                                       (smallest)*5,                                                         \
                                       (ctype)__builtin_inf(),                                               \
                                       -(ctype)__builtin_inf(),                                              \
                                       (ctype)__builtin_nan("")};                                            \
        SHOW_AS(#type, type, values);                                                                        \
    } while (0)

/* As many reals, taken as pairs. */
#define SHOW_COMPLEX(type, real, smallest, largest)                                                          \
    do {                                                                                                     \
        static const real values[][2] = {{1, -1}, {(real)1 / 3, 0}, {-(largest), smallest}, {-2.5, 1e10}};   \
        SHOW_AS(#type, type, values);                                                                        \
    } while (0)

#define SHOW_PAIRS(type, value_type, index_type)                                                             \
    do {                                                                                                     \
        struct {                                                                                             \
            value_type value;                                                                                \
            index_type index;                                                                                \
        } pairs[2];                                                                                          \
        memset(pairs, 0, sizeof pairs);                                                                      \
        pairs[0].value = 3;                                                                                  \
        pairs[0].index = 7;                                                                                  \
        pairs[1].value = -4;                                                                                 \
        pairs[1].index = -0x123456;                                                                          \
        SHOW_AS(#type, type, pairs);                                                                         \
    } while (0)

#define SHOW_BYTES(type) show(#type, type, "external\0\377\200", 11, 11)

static void c_types(void)
{
    static const bool truths[] = {false, true, true, false};
    static const wchar_t wide[] = {L'A', 0xe9, 0x263a, 0xffff};

    SHOW_BYTES(MPI_PACKED);
    SHOW_BYTES(MPI_BYTE);
    SHOW_BYTES(MPI_CHAR);
    SHOW_INTEGERS(MPI_UNSIGNED_CHAR, unsigned char);
    SHOW_INTEGERS(MPI_SIGNED_CHAR, signed char);
    SHOW(MPI_WCHAR, wide);
    SHOW_INTEGERS(MPI_SHORT, short);
    SHOW_INTEGERS(MPI_UNSIGNED_SHORT, unsigned short);
    SHOW_INTEGERS(MPI_INT, int);
    SHOW_INTEGERS(MPI_LONG, long);
    SHOW_INTEGERS(MPI_UNSIGNED, unsigned);
    SHOW_INTEGERS(MPI_UNSIGNED_LONG, unsigned long);
    SHOW_INTEGERS(MPI_LONG_LONG_INT, long long);
    SHOW_INTEGERS(MPI_UNSIGNED_LONG_LONG, unsigned long long);
    SHOW_REALS(MPI_FLOAT, float, FLT_TRUE_MIN, FLT_MAX);
    SHOW_REALS(MPI_DOUBLE, double, DBL_TRUE_MIN, DBL_MAX);
    SHOW_REALS(MPI_LONG_DOUBLE, long double, LDBL_TRUE_MIN, LDBL_MAX);
    SHOW(MPI_C_BOOL, truths);
    SHOW_INTEGERS(MPI_INT8_T, int8_t);
    SHOW_INTEGERS(MPI_INT16_T, int16_t);
    SHOW_INTEGERS(MPI_INT32_T, int32_t);
    SHOW_INTEGERS(MPI_INT64_T, int64_t);
    SHOW_INTEGERS(MPI_UINT8_T, uint8_t);
    SHOW_INTEGERS(MPI_UINT16_T, uint16_t);
    SHOW_INTEGERS(MPI_UINT32_T, uint32_t);
    SHOW_INTEGERS(MPI_UINT64_T, uint64_t);
    SHOW_INTEGERS(MPI_AINT, MPI_Aint);
    SHOW_INTEGERS(MPI_COUNT, MPI_Count);
    SHOW_INTEGERS(MPI_OFFSET, MPI_Offset);
    SHOW_COMPLEX(MPI_C_COMPLEX, float, FLT_TRUE_MIN, FLT_MAX);
    SHOW_COMPLEX(MPI_C_FLOAT_COMPLEX, float, FLT_TRUE_MIN, FLT_MAX);
    SHOW_COMPLEX(MPI_C_DOUBLE_COMPLEX, double, DBL_TRUE_MIN, DBL_MAX);
    SHOW_COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX, long double, LDBL_TRUE_MIN, LDBL_MAX);
    SHOW(MPI_CXX_BOOL, truths);
    SHOW_COMPLEX(MPI_CXX_FLOAT_COMPLEX, float, FLT_TRUE_MIN, FLT_MAX);
    SHOW_COMPLEX(MPI_CXX_DOUBLE_COMPLEX, double, DBL_TRUE_MIN, DBL_MAX);
    SHOW_COMPLEX(MPI_CXX_LONG_DOUBLE_COMPLEX, long double, LDBL_TRUE_MIN, LDBL_MAX);
}

static void fortran_types(void)
{
    static const int32_t logicals[] = {0, 1, 1};

    SHOW_BYTES(MPI_CHARACTER);
    SHOW(MPI_LOGICAL, logicals);
    SHOW_INTEGERS(MPI_INTEGER, int);
    SHOW_REALS(MPI_REAL, float, FLT_TRUE_MIN, FLT_MAX);
    SHOW_REALS(MPI_DOUBLE_PRECISION, double, DBL_TRUE_MIN, DBL_MAX);
    SHOW_COMPLEX(MPI_COMPLEX, float, FLT_TRUE_MIN, FLT_MAX);
    SHOW_COMPLEX(MPI_DOUBLE_COMPLEX, double, DBL_TRUE_MIN, DBL_MAX);
}

/* Two- and sixteen-byte values as their bits, little end first here: 1, -2, 1/3, the largest, the smallest.
 */
static void optional_types(void)
{
    static const uint16_t half[] = {0x3c00, 0xc000, 0x3555, 0x7bff, 0x0001, 0x7c00};
    static const uint64_t wide[][2] = {{0, 0x3fff000000000000},
                                       {0, 0xc000000000000000},
                                       {0x5555555555555555, 0x3ffd555555555555},
                                       {0xffffffffffffffff, 0x7ffeffffffffffff},
                                       {1, 0},
                                       {0x0123456789abcdef, 0xfedcba9876543210}};
    static const int64_t logical[][2] = {{1, 0}, {0, 0}};

    SHOW_INTEGERS(MPI_INTEGER1, int8_t);
    SHOW_INTEGERS(MPI_INTEGER2, int16_t);
    SHOW_INTEGERS(MPI_INTEGER4, int32_t);
    SHOW_INTEGERS(MPI_INTEGER8, int64_t);
    show("MPI_INTEGER16", MPI_INTEGER16, wide, sizeof wide, 6);
    SHOW_INTEGERS(MPI_LOGICAL1, int8_t);
    SHOW_INTEGERS(MPI_LOGICAL2, int16_t);
    SHOW_INTEGERS(MPI_LOGICAL4, int32_t);
    SHOW_INTEGERS(MPI_LOGICAL8, int64_t);
    show("MPI_LOGICAL16", MPI_LOGICAL16, logical, sizeof logical, 2);
    show("MPI_REAL2", MPI_REAL2, half, sizeof half, 6);
    SHOW_REALS(MPI_REAL4, float, FLT_TRUE_MIN, FLT_MAX);
    SHOW_REALS(MPI_REAL8, double, DBL_TRUE_MIN, DBL_MAX);
    show("MPI_REAL16", MPI_REAL16, wide, sizeof wide, 6);
    show("MPI_COMPLEX4", MPI_COMPLEX4, half, sizeof half, 3);
    SHOW_COMPLEX(MPI_COMPLEX8, float, FLT_TRUE_MIN, FLT_MAX);
    SHOW_COMPLEX(MPI_COMPLEX16, double, DBL_TRUE_MIN, DBL_MAX);
    show("MPI_COMPLEX32", MPI_COMPLEX32, wide, sizeof wide, 3);
}

static void pairs(void)
{
    SHOW_PAIRS(MPI_FLOAT_INT, float, int);
    SHOW_PAIRS(MPI_DOUBLE_INT, double, int);
    SHOW_PAIRS(MPI_LONG_INT, long, int);
    SHOW_PAIRS(MPI_2INT, int, int);
    SHOW_PAIRS(MPI_SHORT_INT, short, int);
    SHOW_PAIRS(MPI_LONG_DOUBLE_INT, long double, int);
    SHOW_PAIRS(MPI_2REAL, float, float);
    SHOW_PAIRS(MPI_2DOUBLE_PRECISION, double, double);
    SHOW_PAIRS(MPI_2INTEGER, int, int);
}

/* f90_real:P:R and so on; the memory is that of the native type that holds so much. */
static void f90_types(void)
{
    static const int reals[][2] = {{6, 37}, {15, 307}, {16, 4931}, {18, 308}, {33, 4931}},
                     integers[] = {2, 4, 9, 18, 38};
    static const uint64_t bits[] = {0x0123456789abcdef, 0x3ffd555555555555, 0x0123456789abcdef,
                                    0x3ffd555555555555};
    static const long double extended[] = {1 / 3.0L, -LDBL_MIN}; /* whose bits may not be just any */
    MPI_Datatype type;
    char name[64];
    int size;

    for (int i = 0; i < 5; i++) {
        bool is_extended = reals[i][0] > 15 && reals[i][0] <= 18;
        const void *memory = is_extended ? (const void *)extended : bits;

        MPI_Type_create_f90_real(reals[i][0], reals[i][1], &type);
        MPI_Type_size(type, &size);
        snprintf(name, sizeof name, "f90_real:%d:%d", reals[i][0], reals[i][1]);
        show(name, type, memory, (size_t)size, 1);
        MPI_Type_create_f90_complex(reals[i][0], reals[i][1], &type);
        snprintf(name, sizeof name, "f90_complex:%d:%d", reals[i][0], reals[i][1]);
        show(name, type, memory, 2 * (size_t)size, 1);
    }
    for (int i = 0; i < 5; i++) {
        MPI_Type_create_f90_integer(integers[i], &type);
        MPI_Type_size(type, &size);
        snprintf(name, sizeof name, "f90_integer:%d", integers[i]);
        show(name, type, bits, (size_t)size, 1);
    }
}

struct record {
    char kind;
    short pair[2];
    long id;
    long double weight;
    struct {
        float re, im;
    } spin[3];
    wchar_t letter;
    bool flag;
    int tail;
};

/* A struct of a struct in a vector, and out of order; external.py knows this order. */
static void nested(void)
{
    int lengths[] = {1, 1, 1, 2, 1}, inner_lengths[] = {1, 1};
    MPI_Aint displs[] = {offsetof(struct record, weight), offsetof(struct record, kind),
                         offsetof(struct record, id), offsetof(struct record, spin),
                         offsetof(struct record, letter)};
    MPI_Aint inner_displs[] = {0, offsetof(struct record, tail) - offsetof(struct record, letter)};
    MPI_Datatype inner_types[] = {MPI_WCHAR, MPI_INTEGER}, inner, spins, outer, type;
    struct record records[2];

    memset((void *)records, 0, sizeof records);
    for (int i = 0; i < 2; i++)
        records[i] = (struct record){.kind = 'k',
                                     .id = -5 - i,
                                     .weight = 0.1L,
                                     .spin = {{1, 2}, {0, 0}, {5, 6}},
                                     .letter = 0x20ac,
                                     .tail = -9};
    MPI_Type_create_struct(2, inner_lengths, inner_displs, inner_types, &inner);
    MPI_Type_create_resized(MPI_C_COMPLEX, 0, 2 * sizeof records[0].spin[0], &spins);
    MPI_Type_create_struct(5, lengths, displs,
                           (MPI_Datatype[]){MPI_LONG_DOUBLE, MPI_CHAR, MPI_LONG, spins, inner}, &outer);
    MPI_Type_create_resized(outer, 0, sizeof(struct record), &type);
    MPI_Type_commit(&type);
    show("nested", type, records, sizeof records, 2);
    MPI_Type_free(&inner);
    MPI_Type_free(&spins);
    MPI_Type_free(&outer);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("long-double %d\n", LDBL_MANT_DIG);
    c_types();
    fortran_types();
    optional_types();
    pairs();
    f90_types();
    nested();
    MPI_Finalize();
    return 0;
}
