#include "net/network/wire.h"

#include "plain/fail.h"
#include "unit.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static unsigned char packet[sizeof(struct wire) + 16];

static struct wire good(void)
{
    return (struct wire){.version = WIRE_VERSION,
                         .kind = WIRE_MESSAGE,
                         .job = 77,
                         .rank = 3,
                         .message = {.length = 16, .kind = 1, .context = 5, .tag = 9}};
}

static const char *read_back(const struct wire *head, size_t length)
{
    struct wire out;

    memcpy(packet, head, sizeof *head);
    return wire_read(packet, length, &out);
}

static void a_good_packet_is_taken(void **state)
{
    struct wire head = good(), out;

    (void)state;
    memcpy(packet, &head, sizeof head);
    assert_null(wire_read(packet, sizeof packet, &out));
    assert_memory_equal(&head, &out, sizeof head);
}

static void what_is_wrong_is_told(void **state)
{
    struct wire head = good();

    (void)state;
    for (size_t length = 0; length < sizeof packet; length++)
        assert_non_null(read_back(&head, length));
    head.version++;
    assert_string_equal(read_back(&head, sizeof packet),
                        "of another version of Inkling, or no message at all");
    head = good();
    head.kind = 9;
    assert_string_equal(read_back(&head, sizeof packet), "of unknown kind");
    head = good();
    head.message.length = 0xffffffff;
    assert_string_equal(read_back(&head, sizeof packet), "longer or shorter than it says");
}

static void addresses_come_back(void **state)
{
    struct wire_address in = {.provider = "tcp;ofi_rxm", .port = 4711, .length = 16}, out;
    char text[WIRE_TEXT_SIZE];

    (void)state;
    for (size_t i = 0; i < in.length; i++)
        in.bytes[i] = (unsigned char)(i * 37);
    for (size_t i = 0; i < sizeof in.key; i++)
        in.key[i] = (unsigned char)(255 - i);
    assert_int_equal(wire_address_format(&in, text, sizeof text), MPI_SUCCESS);
    assert_null(strpbrk(text, " ;=\n"));
    assert_int_equal(wire_address_parse(text, 3, &out), MPI_SUCCESS);
    assert_string_equal(out.provider, in.provider);
    assert_int_equal(out.port, in.port);
    assert_int_equal(out.length, in.length);
    assert_memory_equal(out.bytes, in.bytes, in.length);
    assert_memory_equal(out.key, in.key, sizeof in.key);
    assert_int_not_equal(wire_address_format(&in, text, 40), MPI_SUCCESS);
}

static void another_version_is_named(void **state)
{
    struct wire_address out;
    char text[64];

    (void)state;
    snprintf(text, sizeof text, "%d:9.9.9:tcp+ofi_rxm:1:00ff", WIRE_VERSION + 1);
    assert_int_not_equal(wire_address_parse(text, 3, &out), MPI_SUCCESS);
    assert_non_null(strstr(fail_note(), "process 3 runs Inkling 9.9.9"));
}

static void nonsense_is_refused(void **state)
{
    static const char *const whole[] = {"", ":", "ffff"}; /* begin otherwise than addresses of this version */
    static const char *const ends[] = {"::",
                                       "tcp:1",
                                       "tcp:1:",
                                       "tcp:1:0",
                                       "tcp:1:xy",
                                       "tcp:1:00",
                                       "tcp:1:00:",
                                       "tcp:1:00:00112233445566778899aabbccddee",
                                       "tcp:1:00:00112233445566778899aabbccddeeff00",
                                       "tcp:1:0:00112233445566778899aabbccddeeff",
                                       "tcp:1::00112233445566778899aabbccddeeff"};
    struct wire_address out;
    char text[WIRE_TEXT_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        assert_int_not_equal(wire_address_parse(whole[i], 0, &out), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(text, sizeof text, "%d:%s:%s", WIRE_VERSION, INKLING_VERSION, ends[i]);
        assert_int_not_equal(wire_address_parse(text, 0, &out), MPI_SUCCESS);
        assert_non_null(strstr(fail_note(), "makes no sense"));
    }
    snprintf(text, sizeof text, "%d:%s:tcp:1:00:%032d", WIRE_VERSION, INKLING_VERSION, 0);
    assert_int_equal(wire_address_parse(text, 0, &out), MPI_SUCCESS);
}

/* What another job's process says of itself is believed as far as it makes sense. */
static void cards_make_sense(void **state)
{
    struct wire_address in = {
        .provider = "tcp", .port = 7, .length = 2, .bytes = "ab", .auth = 9, .key = "k"};
    struct card good = {0}, bad;
    struct wire_address out;

    (void)state;
    assert_int_equal(wire_address_to_card(&in, &good.address), MPI_SUCCESS);
    assert_int_equal(wire_address_of_card(&good, &out), MPI_SUCCESS);
    assert_string_equal(out.provider, "tcp");
    assert_int_equal(out.port, 7);
    assert_int_equal(out.length, 2);
    assert_memory_equal(out.bytes, "ab\0", 4);
    assert_int_equal(out.auth, 9);
    assert_memory_equal(out.key, in.key, sizeof out.key);
    in.length = sizeof in.bytes;
    assert_int_equal(wire_address_to_card(&in, &good.address), MPI_ERR_OTHER);
    bad = good;
    bad.address.length = CARD_ADDRESS_MAX + 1;
    assert_int_equal(wire_address_of_card(&bad, &out), MPI_ERR_OTHER);
    bad.address.length = 20;
    assert_int_equal(wire_address_of_card(&bad, &out), MPI_ERR_OTHER);
    bad.address.length = 0;
    assert_int_equal(wire_address_of_card(&bad, &out), MPI_ERR_OTHER);
    bad = good;
    memset(bad.address.bytes, 'x', sizeof bad.address.bytes);
    assert_int_equal(wire_address_of_card(&bad, &out), MPI_ERR_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_packet_is_taken), cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(addresses_come_back),    cmocka_unit_test(another_version_is_named),
        cmocka_unit_test(nonsense_is_refused),    cmocka_unit_test(cards_make_sense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
