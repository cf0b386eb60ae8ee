/* ranks: 1 2 */
/* The table of MPI-5.0 section 6.9.2, for every predefined operation on every predefined type: what it allows
 * MPI_Reduce_local and MPI_Allreduce compute, alike; the rest is MPI_ERR_OP with a line that names both. */
#include "p2p.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

enum {
    C_INTEGER = 1,
    FORTRAN_INTEGER = 2,
    FLOATING = 4,
    LOGICAL = 8,
    COMPLEX = 16,
    BYTE = 32,
    MULTI_LANGUAGE = 64,
    PAIR = 128, /* of section 6.9.4 */
    CHARACTER = 256,
    NO_GROUP = 0
};

static const struct {
    MPI_Op op;
    const char *name;
    int groups;
} operations[] = {
/* Characters, and truth values of multi-language types, are tolerated: docs/TOLERANCES.md. */
#define INTEGERS (C_INTEGER | FORTRAN_INTEGER | MULTI_LANGUAGE | CHARACTER)
#define TRUTHS   (C_INTEGER | LOGICAL | MULTI_LANGUAGE | CHARACTER)
    {MPI_MAX, "MPI_MAX", INTEGERS | FLOATING},
    {MPI_MIN, "MPI_MIN", INTEGERS | FLOATING},
    {MPI_SUM, "MPI_SUM", INTEGERS | FLOATING | COMPLEX},
    {MPI_PROD, "MPI_PROD", INTEGERS | FLOATING | COMPLEX},
    {MPI_LAND, "MPI_LAND", TRUTHS},
    {MPI_LOR, "MPI_LOR", TRUTHS},
    {MPI_LXOR, "MPI_LXOR", TRUTHS},
    {MPI_BAND, "MPI_BAND", INTEGERS | BYTE},
    {MPI_BOR, "MPI_BOR", INTEGERS | BYTE},
    {MPI_BXOR, "MPI_BXOR", INTEGERS | BYTE},
    {MPI_MAXLOC, "MPI_MAXLOC", PAIR},
    {MPI_MINLOC, "MPI_MINLOC", PAIR},
    {MPI_REPLACE, "MPI_REPLACE", NO_GROUP}, /* for accumulates alone: section 12.3.4 */
    {MPI_NO_OP, "MPI_NO_OP", NO_GROUP},
};

struct row {
    MPI_Datatype type;
    const char *name;
    int group;
    const void *value; /* one value */
    size_t bytes;
};

/* A number; several: the parts of a complex value, a pair, or the halves of 16 bytes. */
#define ROW(type, group, ctype, ...)                                                                         \
    {                                                                                                        \
        type, #type, group, (const ctype[]){__VA_ARGS__}, sizeof((const ctype[]){__VA_ARGS__})               \
    }
#define PAIR_ROW(type, value_type, index_type)                                                               \
    {                                                                                                        \
        type, #type, PAIR, &(const struct {                                                                  \
            value_type value;                                                                                \
            index_type index;                                                                                \
        }){3, 2},                                                                                            \
            sizeof(struct {                                                                                  \
                value_type value;                                                                            \
                index_type index;                                                                            \
            })                                                                                               \
    }

/* Synonyms are the same handle. */
static const struct row rows[] = {
    ROW(MPI_INT, C_INTEGER, int, 3),
    ROW(MPI_LONG, C_INTEGER, long, 3),
    ROW(MPI_SHORT, C_INTEGER, short, 3),
    ROW(MPI_UNSIGNED_SHORT, C_INTEGER, unsigned short, 3),
    ROW(MPI_UNSIGNED, C_INTEGER, unsigned, 3),
    ROW(MPI_UNSIGNED_LONG, C_INTEGER, unsigned long, 3),
    ROW(MPI_LONG_LONG_INT, C_INTEGER, long long, 3),
    ROW(MPI_UNSIGNED_LONG_LONG, C_INTEGER, unsigned long long, 3),
    ROW(MPI_SIGNED_CHAR, C_INTEGER, signed char, 3),
    ROW(MPI_UNSIGNED_CHAR, C_INTEGER, unsigned char, 3),
    ROW(MPI_INT8_T, C_INTEGER, int8_t, 3),
    ROW(MPI_INT16_T, C_INTEGER, int16_t, 3),
    ROW(MPI_INT32_T, C_INTEGER, int32_t, 3),
    ROW(MPI_INT64_T, C_INTEGER, int64_t, 3),
    ROW(MPI_UINT8_T, C_INTEGER, uint8_t, 3),
    ROW(MPI_UINT16_T, C_INTEGER, uint16_t, 3),
    ROW(MPI_UINT32_T, C_INTEGER, uint32_t, 3),
    ROW(MPI_UINT64_T, C_INTEGER, uint64_t, 3),
    ROW(MPI_INTEGER, FORTRAN_INTEGER, int, 3),
    ROW(MPI_INTEGER1, FORTRAN_INTEGER, int8_t, 3),
    ROW(MPI_INTEGER2, FORTRAN_INTEGER, int16_t, 3),
    ROW(MPI_INTEGER4, FORTRAN_INTEGER, int32_t, 3),
    ROW(MPI_INTEGER8, FORTRAN_INTEGER, int64_t, 3),
    ROW(MPI_INTEGER16, FORTRAN_INTEGER, int64_t, 3, 0),
    ROW(MPI_FLOAT, FLOATING, float, 1.5f),
    ROW(MPI_DOUBLE, FLOATING, double, 1.5),
    ROW(MPI_REAL, FLOATING, float, 1.5f),
    ROW(MPI_DOUBLE_PRECISION, FLOATING, double, 1.5),
    ROW(MPI_LONG_DOUBLE, FLOATING, long double, 1.5L),
    ROW(MPI_REAL2, FLOATING, uint16_t, 0x3e00),
    ROW(MPI_REAL4, FLOATING, float, 1.5f),
    ROW(MPI_REAL8, FLOATING, double, 1.5),
    ROW(MPI_REAL16, FLOATING, uint64_t, 0, 0x3fff800000000000),
    ROW(MPI_LOGICAL, LOGICAL, int, 1),
    ROW(MPI_C_BOOL, LOGICAL, bool, 1),
    ROW(MPI_CXX_BOOL, LOGICAL, bool, 1),
    ROW(MPI_LOGICAL1, LOGICAL, int8_t, 1),
    ROW(MPI_LOGICAL2, LOGICAL, int16_t, 1),
    ROW(MPI_LOGICAL4, LOGICAL, int32_t, 1),
    ROW(MPI_LOGICAL8, LOGICAL, int64_t, 1),
    ROW(MPI_LOGICAL16, LOGICAL, int64_t, 1, 0),
    ROW(MPI_COMPLEX, COMPLEX, float, 1, 2),
    ROW(MPI_C_COMPLEX, COMPLEX, float, 1, 2),
    ROW(MPI_C_DOUBLE_COMPLEX, COMPLEX, double, 1, 2),
    ROW(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, long double, 1, 2),
    ROW(MPI_CXX_FLOAT_COMPLEX, COMPLEX, float, 1, 2),
    ROW(MPI_CXX_DOUBLE_COMPLEX, COMPLEX, double, 1, 2),
    ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, long double, 1, 2),
    ROW(MPI_DOUBLE_COMPLEX, COMPLEX, double, 1, 2),
    ROW(MPI_COMPLEX4, COMPLEX, uint16_t, 0x3c00, 0x4000),
    ROW(MPI_COMPLEX8, COMPLEX, float, 1, 2),
    ROW(MPI_COMPLEX16, COMPLEX, double, 1, 2),
    ROW(MPI_COMPLEX32, COMPLEX, uint64_t, 0, 0x3fff000000000000, 0, 0x4000000000000000),
    ROW(MPI_BYTE, BYTE, unsigned char, 3),
    ROW(MPI_AINT, MULTI_LANGUAGE, MPI_Aint, 3),
    ROW(MPI_OFFSET, MULTI_LANGUAGE, MPI_Offset, 3),
    ROW(MPI_COUNT, MULTI_LANGUAGE, MPI_Count, 3),
    PAIR_ROW(MPI_FLOAT_INT, float, int),
    PAIR_ROW(MPI_DOUBLE_INT, double, int),
    PAIR_ROW(MPI_LONG_INT, long, int),
    PAIR_ROW(MPI_2INT, int, int),
    PAIR_ROW(MPI_SHORT_INT, short, int),
    PAIR_ROW(MPI_LONG_DOUBLE_INT, long double, int),
    PAIR_ROW(MPI_2REAL, float, float),
    PAIR_ROW(MPI_2DOUBLE_PRECISION, double, double),
    PAIR_ROW(MPI_2INTEGER, int, int),
    ROW(MPI_CHAR, CHARACTER, char, 'x'),
    ROW(MPI_CHARACTER, NO_GROUP, char, 'x'),
    ROW(MPI_WCHAR, NO_GROUP, wchar_t, L'x'),
    ROW(MPI_PACKED, NO_GROUP, char, 'x'),
};

/* The same values in two packed rows. Those of long double have bytes of no meaning. */
static void check_values(const struct row *row, const char *a, const char *b, size_t bytes)
{
    bool is_pair = row->type == MPI_LONG_DOUBLE_INT;
    bool is_complex = row->type == MPI_C_LONG_DOUBLE_COMPLEX || row->type == MPI_CXX_LONG_DOUBLE_COMPLEX;
    size_t longs = is_complex ? 2 : is_pair || row->type == MPI_LONG_DOUBLE;
    long double x, y;

    for (; longs; longs--, a += sizeof x, b += sizeof x, bytes -= sizeof x) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        CHECK(x == y);
    }
    CHECK_EQ(memcmp(a, b, bytes), 0);
}

/* All ranks have the same value, so a chain of MPI_Reduce_local gives what MPI_Allreduce must. Packed, so
 * that gaps do not count. */
static void compute(const struct row *row, MPI_Op op)
{
    _Alignas(16) char one[32], all[32], chain[32], packed_all[32], packed_chain[32];
    int all_bytes = 0, chain_bytes = 0;

    memcpy(one, row->value, row->bytes);
    memcpy(chain, row->value, row->bytes);
    CHECK_EQ(MPI_Allreduce(one, all, 1, row->type, op, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int r = 1; r < size; r++)
        CHECK_EQ(MPI_Reduce_local(one, chain, 1, row->type, op), MPI_SUCCESS);
    MPI_Pack(all, 1, row->type, packed_all, 32, &all_bytes, MPI_COMM_SELF);
    MPI_Pack(chain, 1, row->type, packed_chain, 32, &chain_bytes, MPI_COMM_SELF);
    CHECK_EQ(all_bytes, chain_bytes);
    check_values(row, packed_all, packed_chain, (size_t)all_bytes);
}

static void refuse(const struct row *row, MPI_Op op, const char *name)
{
    _Alignas(16) char one[32], all[32] = {0}, untouched[32] = {0};
    int error;

    memcpy(one, row->value, row->bytes);
    error = MPI_Allreduce(one, all, 1, row->type, op, MPI_COMM_WORLD);
    CHECK_CODE(error, MPI_ERR_OP, name);
    error = MPI_Reduce_local(one, all, 1, row->type, op);
    CHECK_CODE(error, MPI_ERR_OP, name);
    if (op != MPI_REPLACE && op != MPI_NO_OP) /* what they are for is all there is to say */
        CHECK_CODE(error, MPI_ERR_OP, row->name);
    CHECK_EQ(memcmp(all, untouched, 32), 0);
}

int main(int argc, char **argv)
{
    int bytes, absent = 0;

    MPI_Init(&argc, &argv);
    set_up();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (size_t t = 0; t < sizeof rows / sizeof rows[0]; t++) {
        MPI_Type_size(rows[t].type, &bytes);
        absent += bytes == MPI_UNDEFINED;
        for (size_t o = 0; o < sizeof operations / sizeof operations[0] && bytes != MPI_UNDEFINED; o++) {
            if (operations[o].groups & rows[t].group)
                compute(&rows[t], operations[o].op);
            else
                refuse(&rows[t], operations[o].op, operations[o].name);
        }
    }
    CHECK(absent <= 2); /* MPI_REAL2 and MPI_COMPLEX4 take a compiler that has _Float16 */
    MPI_Finalize();
    return 0;
}
