/* external32: the portable representation, big-endian and without gaps (MPI-5.0 section 14.5.2). */
#include "datatype/datatype.h"

#include "plain/fail.h"

#include <string.h>

/* The external form of the values of a predefined type. */
struct format {
    int values;  /* numbers in one value: a complex has two */
    int native;  /* bytes of a number here ... */
    int outside; /* ... and there */
    enum {
        UNSIGNED_NUMBER, /* also floating point of equal size: bytes are reversed */
        SIGNED_NUMBER,
        TRUTH, /* of C: every value but 0 is read as 1, the only other one that it may hold */
        LONG_DOUBLE
    } kind;
};

static struct format format_of(const struct datatype *basic)
{
    struct format f = {1, (int)basic->size, (int)basic->size, UNSIGNED_NUMBER};

    switch (basic->representation) {
    case REP_COMPLEX_F16:
    case REP_COMPLEX_F32:
    case REP_COMPLEX_F64:
    case REP_COMPLEX_F128:
    case REP_COMPLEX_LONG_DOUBLE:
        f = (struct format){2, f.native / 2, f.native / 2, UNSIGNED_NUMBER};
        break;
    case REP_I64:
        f.kind = SIGNED_NUMBER;
        break;
    default:
        break;
    }
    if (basic == datatype_predefined(MPI_LONG) || basic == datatype_predefined(MPI_UNSIGNED_LONG))
        f.outside = 4;
    if (basic == datatype_predefined(MPI_C_BOOL) || basic == datatype_predefined(MPI_CXX_BOOL))
        f.kind = TRUTH;
    if (basic == datatype_predefined(MPI_WCHAR))
        f.outside = 2;
    if (basic->representation == REP_LONG_DOUBLE || basic->representation == REP_COMPLEX_LONG_DOUBLE) {
        f.kind = LONG_DOUBLE;
        f.outside = 16;
    }
    return f;
}

static bool is_big_endian(void)
{
    const uint16_t one = 1;

    return *(const uint8_t *)&one == 0;
}

/* The byte of weight 256^i in a number of n bytes. */
static int external_place(int i, int n, bool is_big)
{
    return is_big ? n - 1 - i : i;
}

/* Only the least significant bytes of a number are written. A number that is read is sign-extended. */
static void convert(unsigned char *to, int to_bytes, bool to_is_big, const unsigned char *from,
                    int from_bytes, bool from_is_big, bool is_signed)
{
    bool is_negative = is_signed && from[external_place(from_bytes - 1, from_bytes, from_is_big)] & 0x80;

    for (int i = 0; i < to_bytes; i++)
        to[external_place(i, to_bytes, to_is_big)] = i < from_bytes
                                                         ? from[external_place(i, from_bytes, from_is_big)]
                                                     : is_negative ? 0xff
                                                                   : 0;
}

#if defined __SIZEOF_FLOAT128__ && __LDBL_MANT_DIG__ != 113
/* Converts with the compiler, between its extended format and binary128. */
static void put_long_double(unsigned char *outside, const char *native)
{
    long double value;
    __float128 wide;

    memcpy(&value, native, sizeof value);
    wide = value;
    convert(outside, 16, true, (const unsigned char *)&wide, 16, is_big_endian(), false);
}

static void get_long_double(char *native, const unsigned char *outside)
{
    __float128 wide;
    long double value;

    convert((unsigned char *)&wide, 16, is_big_endian(), outside, 16, true, false);
    value = (long double)wide;
    memset(native, 0, sizeof value);
    memcpy(native, &value, sizeof value);
}
#else
static void put_long_double(unsigned char *outside, const char *native)
{
    convert(outside, 16, true, (const unsigned char *)native, 16, is_big_endian(), false);
}

static void get_long_double(char *native, const unsigned char *outside)
{
    convert((unsigned char *)native, 16, is_big_endian(), outside, 16, true, false);
}
#endif

struct external {
    unsigned char *at; /* next byte of the packed data */
    bool is_unpack;
};

static void move_number(struct external *x, const struct format *f, char *native)
{
    bool big = is_big_endian();

    if (f->kind == LONG_DOUBLE && x->is_unpack)
        get_long_double(native, x->at);
    else if (f->kind == LONG_DOUBLE)
        put_long_double(x->at, native);
    else if (f->kind == TRUTH && x->is_unpack)
        *native = *x->at != 0;
    else if (x->is_unpack)
        convert((unsigned char *)native, f->native, big, x->at, f->outside, true, f->kind == SIGNED_NUMBER);
    else
        convert(x->at, f->outside, true, (unsigned char *)native, f->native, big, false);
    x->at += f->outside;
}

static void move_values(struct external *x, const struct datatype *basic, char *native, MPI_Count bytes)
{
    struct format f = format_of(basic);

    for (MPI_Count i = 0; i < bytes; i += f.native)
        move_number(x, &f, native + i);
}

static void external_move_layout(struct external *x, const struct layout *typed, const char *base)
{
    for (size_t i = 0; i < typed->pieces; i++) {
        const struct loop *p = &typed->piece[i];

        for (MPI_Count k = 0; k < p->count; k++) {
            char *at = layout_at(base, p->at + k * p->stride);

            if (p->body)
                external_move_layout(x, p->body, at);
            else
                move_values(x, p->basic, at, p->bytes);
        }
    }
}

static MPI_Count layout_size(const struct layout *typed)
{
    MPI_Count bytes = 0;

    for (size_t i = 0; i < typed->pieces; i++) {
        const struct loop *p = &typed->piece[i];
        MPI_Count each;

        if (p->body) {
            each = layout_size(p->body);
        } else {
            struct format f = format_of(p->basic);

            each = p->bytes / f.native * f.outside;
        }
        bytes += p->count * each;
    }
    return bytes;
}

static int check_datarep(const char *datarep)
{
    if (strcmp(datarep, "external32") == 0)
        return 0;
    return fail(MPI_ERR_ARG, "data representation \"%.40s\" is not \"external32\"", datarep);
}

int datatype_external_size(const char *datarep, MPI_Count count, struct datatype *type, MPI_Count *size)
{
    int error = check_datarep(datarep);
    MPI_Count bytes = 0;

    if (!error && !type->supported)
        error = fail(MPI_ERR_TYPE, "%s does not exist on this platform", type->name);
    if (error)
        return error;
    if (__builtin_mul_overflow(layout_size(type->typed), count, &bytes))
        return fail(MPI_ERR_COUNT, "%lld items are more than an address can reach", (long long)count);
    *size = bytes;
    return 0;
}

/* The position after `count` items. */
static int find_end(const char *datarep, MPI_Count count, struct datatype *type, const void *packed,
                    MPI_Count size, MPI_Count position, MPI_Count *end)
{
    MPI_Count bytes = 0;
    int error = datatype_external_size(datarep, count, type, &bytes);

    if (error)
        return error;
    if (position < 0 || position > size)
        return fail(MPI_ERR_ARG, "position %lld is not in the %lld bytes of the buffer", (long long)position,
                    (long long)size);
    if (bytes > size - position)
        return fail(MPI_ERR_TRUNCATE, "%lld bytes do not fit the %lld bytes from position %lld to the end",
                    (long long)bytes, (long long)(size - position), (long long)position);
    if (!packed && bytes)
        return fail(MPI_ERR_BUFFER, "the buffer of packed data is NULL, but %lld bytes are to be there",
                    (long long)bytes);
    *end = position + bytes;
    return 0;
}

int datatype_pack_external(const char *datarep, const void *items, MPI_Count count, struct datatype *type,
                           void *packed, MPI_Count packed_size, MPI_Count *position)
{
    MPI_Count end;
    struct external x = {.is_unpack = false};
    int error = find_end(datarep, count, type, packed, packed_size, *position, &end);

    if (error)
        return error;
    x.at = (unsigned char *)packed + *position;
    for (MPI_Count i = 0; i < count; i++)
        external_move_layout(&x, type->typed, layout_at(items, i * type->extent));
    *position = end;
    return 0;
}

int datatype_unpack_external(const char *datarep, const void *packed, MPI_Count packed_size,
                             MPI_Count *position, void *items, MPI_Count count, struct datatype *type)
{
    MPI_Count end;
    struct external x = {.is_unpack = true};
    int error = find_end(datarep, count, type, packed, packed_size, *position, &end);

    if (error)
        return error;
    x.at = (unsigned char *)(uintptr_t)packed + *position;
    for (MPI_Count i = 0; i < count; i++)
        external_move_layout(&x, type->typed, layout_at(items, i * type->extent));
    *position = end;
    return 0;
}
