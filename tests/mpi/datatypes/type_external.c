/* ranks: 1 */
/* external32: the bytes as the standard says, worked out by hand; there and back; sizes; positions, of
 * MPI_Pack also; errors. */
#include "check.h"

#include <limits.h>

static void check_bytes(const void *value, int count, MPI_Datatype type, const char *expected, int bytes)
{
    unsigned char packed[64], back[64], again[64];
    MPI_Aint position = 0, size = -1;

    CHECK_EQ(MPI_Pack_external_size("external32", count, type, &size), MPI_SUCCESS);
    CHECK_EQ(size, bytes);
    CHECK_EQ(MPI_Pack_external("external32", value, count, type, packed, sizeof packed, &position),
             MPI_SUCCESS);
    CHECK_EQ(position, bytes);
    CHECK_EQ(memcmp(packed, expected, (size_t)bytes), 0);
    position = 0;
    memset(back, 0, sizeof back);
    CHECK_EQ(MPI_Unpack_external("external32", packed, sizeof packed, &position, back, count, type),
             MPI_SUCCESS);
    CHECK_EQ(position, bytes);
    position = 0;
    MPI_Pack_external("external32", back, count, type, again, sizeof again, &position);
    CHECK_EQ(memcmp(packed, again, (size_t)bytes), 0);
}

static void numbers(void)
{
    short s = 0x1234;
    int i = -2;
    long l = -3, big = 0x0102030405060708;
    long long ll = 0x0102030405060708;
    float f = 1.0f;
    double d[2] = {-2.0, 0.5}, complex_[2] = {1.0, -1.0};
    long double ld[2] = {1.0L, -0.375L};
    wchar_t w = 0x263a;
    MPI_Aint address = 258;
    _Bool yes = 1;

    check_bytes(&s, 1, MPI_SHORT, "\x12\x34", 2);
    check_bytes(&i, 1, MPI_INT, "\xff\xff\xff\xfe", 4);
    check_bytes(&l, 1, MPI_LONG, "\xff\xff\xff\xfd", 4);
    check_bytes(&big, 1, MPI_UNSIGNED_LONG, "\x05\x06\x07\x08", 4);
    check_bytes(&ll, 1, MPI_LONG_LONG, "\1\2\3\4\5\6\7\10", 8);
    check_bytes(&f, 1, MPI_FLOAT, "\x3f\x80\0\0", 4);
    check_bytes(d, 2, MPI_DOUBLE, "\xc0\0\0\0\0\0\0\0\x3f\xe0\0\0\0\0\0\0", 16);
    check_bytes(complex_, 1, MPI_C_DOUBLE_COMPLEX, "\x3f\xf0\0\0\0\0\0\0\xbf\xf0\0\0\0\0\0\0", 16);
    check_bytes(ld, 2, MPI_LONG_DOUBLE,
                "\x3f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xbf\xfd\x80\0\0\0\0\0\0\0\0\0\0\0\0\0", 32);
    check_bytes(&w, 1, MPI_WCHAR, "\x26\x3a", 2);
    check_bytes(&address, 1, MPI_AINT, "\0\0\0\0\0\0\1\2", 8);
    check_bytes(&yes, 1, MPI_C_BOOL, "\1", 1);
    check_bytes("hi", 2, MPI_CHAR, "hi", 2);
    check_bytes("hi", 2, MPI_PACKED, "hi", 2);
}

static void sign_is_kept(void)
{
    unsigned char packed[8];
    MPI_Aint position = 0;
    long out = -70000, in = 1;
    unsigned long large = 0xfffffff0u, back = 1;

    MPI_Pack_external("external32", &out, 1, MPI_LONG, packed, 8, &position);
    MPI_Pack_external("external32", &large, 1, MPI_UNSIGNED_LONG, packed, 8, &position);
    CHECK_EQ(position, 8);
    position = 0;
    MPI_Unpack_external("external32", packed, 8, &position, &in, 1, MPI_LONG);
    MPI_Unpack_external("external32", packed, 8, &position, &back, 1, MPI_UNSIGNED_LONG);
    CHECK_EQ(in, out);
    CHECK_EQ(back, large);
}

/* Every value but 0 is true (section 14.5.2); in memory there is one. */
static void truth_is_one(void)
{
    const unsigned char packed[4] = {0, 1, 2, 0xff};
    unsigned char in[4] = {9, 9, 9, 9}, cxx[4] = {9, 9, 9, 9};
    MPI_Aint position = 0;

    MPI_Unpack_external("external32", packed, 4, &position, in, 4, MPI_C_BOOL);
    position = 0;
    MPI_Unpack_external("external32", packed, 4, &position, cxx, 4, MPI_CXX_BOOL);
    for (int i = 0; i < 4; i++)
        CHECK(in[i] == (i > 0) && cxx[i] == (i > 0));
}

static void derived(void)
{
    struct item {
        short value;
        int index;
        double gap, number;
    } items[2] = {{1, 2, 9, 1.0}, {3, 4, 9, -1.0}}; /* extent 24 */
    int lengths[] = {1, 1};
    MPI_Aint displs[] = {0, 16};
    MPI_Datatype types[] = {MPI_SHORT_INT, MPI_DOUBLE}, type;

    MPI_Type_create_struct(2, lengths, displs, types, &type);
    MPI_Type_commit(&type);
    check_bytes(items, 2, type,
                "\0\1\0\0\0\2\x3f\xf0\0\0\0\0\0\0"
                "\0\3\0\0\0\4\xbf\xf0\0\0\0\0\0\0",
                28);
    MPI_Type_free(&type);
}

/* Both ways: what does not fit behind the position is refused, even where the buffer is large enough. */
static void try_position(MPI_Aint at, int expected)
{
    char packed[8] = {0};
    int value = 7;
    MPI_Aint position = at;

    CHECK_EQ(class_of(MPI_Pack_external("external32", &value, 1, MPI_INT, packed, sizeof packed, &position)),
             expected);
    CHECK_EQ(position, expected ? at : at + 4);
    position = at;
    CHECK_EQ(
        class_of(MPI_Unpack_external("external32", packed, sizeof packed, &position, &value, 1, MPI_INT)),
        expected);
    CHECK_EQ(position, expected ? at : at + 4);
    CHECK_EQ(value, 7);
}

static void try_native_position(int at, int expected)
{
    char packed[8] = {0};
    int value = 7, position = at;

    CHECK_EQ(class_of(MPI_Pack(&value, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_SELF)),
             expected);
    CHECK_EQ(position, expected ? at : at + 4);
    position = at;
    CHECK_EQ(class_of(MPI_Unpack(packed, sizeof packed, &position, &value, 1, MPI_INT, MPI_COMM_SELF)),
             expected);
    CHECK_EQ(position, expected ? at : at + 4);
    CHECK_EQ(value, 7);
}

static void positions(void)
{
    static const struct {
        int at, expected;
    } places[] = {{-1, MPI_ERR_ARG},     {0, MPI_SUCCESS},      {3, MPI_SUCCESS}, {4, MPI_SUCCESS},
                  {5, MPI_ERR_TRUNCATE}, {8, MPI_ERR_TRUNCATE}, {9, MPI_ERR_ARG}};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        try_position(places[i].at, places[i].expected);
        try_native_position(places[i].at, places[i].expected);
    }
}

static void errors(void)
{
    MPI_Aint position = 0, size;
    int place = 0, value = 7, integer_size;
    char packed[3];

    CHECK_EQ(class_of(MPI_Pack_external("native", &value, 1, MPI_INT, packed, 3, &position)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Pack_external("external32", &value, 1, MPI_INT, packed, 3, &position)),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(position, 0);
    CHECK_EQ(class_of(MPI_Pack_external_size("external32", -1, MPI_INT, &size)), MPI_ERR_COUNT);
    CHECK_EQ(class_of(MPI_Pack(&value, 1, MPI_INT, packed, 3, &place, MPI_COMM_SELF)), MPI_ERR_TRUNCATE);
    place = 5;
    CHECK_EQ(class_of(MPI_Pack(&value, 1, MPI_BYTE, packed, 3, &place, MPI_COMM_SELF)), MPI_ERR_ARG);
    CHECK_EQ(MPI_Pack_size(INT_MAX, MPI_DOUBLE, MPI_COMM_SELF, &integer_size), MPI_SUCCESS);
    CHECK_EQ(integer_size, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    numbers();
    sign_is_kept();
    truth_is_one();
    derived();
    positions();
    errors();
    MPI_Finalize();
    return 0;
}
