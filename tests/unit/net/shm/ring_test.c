#include "net/shm/ring.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIZE = 16 * 1024
};

static unsigned char *memory;
static struct ring_control *control;
static struct ring writer, reader;

static int set_up(void **state)
{
    (void)state;
    memory = aligned_alloc(RING_CELL, SIZE);
    control = aligned_alloc(RING_CELL, sizeof *control);
    memset(memory, 0, SIZE);
    memset(control, 0, sizeof *control);
    ring_init(&writer, memory, SIZE, control);
    ring_init(&reader, memory, SIZE, control);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(memory);
    free(control);
    return 0;
}

/* The n-th message of a length: bytes that tell both apart. */
static bool write_one(uint32_t length, unsigned n)
{
    unsigned char payload[SIZE / 8];
    struct message m = {.length = length, .kind = 1, .context = n, .source = 3, .tag = (int32_t)length};

    memset(payload, (int)(n & 0xff), sizeof payload);
    return ring_write(&writer, &m, payload);
}

static void read_one(uint32_t length, unsigned n)
{
    const struct message *m = ring_peek(&reader);
    const unsigned char *payload;

    assert_non_null(m);
    assert_int_equal(m->length, length);
    assert_int_equal(m->context, n);
    assert_int_equal(m->source, 3);
    assert_int_equal(m->tag, length);
    payload = ring_payload(&reader, m);
    for (uint32_t i = 0; i < length; i++)
        assert_int_equal(payload[i], n & 0xff);
    ring_consume(&reader, m);
}

static void zeroed_memory_is_an_empty_ring(void **state)
{
    (void)state;
    assert_null(ring_peek(&reader));
}

static void every_length_arrives(void **state)
{
    (void)state;
    for (uint32_t length = 0; length <= ring_message_max(SIZE); length++) {
        assert_true(write_one(length, length));
        read_one(length, length);
    }
    assert_null(ring_peek(&reader));
}

/* Positions of data only grow. */
static void positions_go_on_beyond_4_gib(void **state)
{
    writer.data = writer.seen_data = reader.data = (UINT64_C(1) << 32) - SIZE;
    atomic_store(&control->data, writer.data);
    every_length_arrives(state);
    assert_true(writer.data > UINT64_C(1) << 32);
}

static void a_full_ring_takes_nothing_and_loses_nothing(void **state)
{
    static const uint32_t lengths[] = {0, RING_INLINE, RING_INLINE + 1, SIZE / 8};

    (void)state;
    for (int k = 0; k < 4; k++) {
        unsigned written = 0;

        while (write_one(lengths[k], written))
            written++;
        assert_true(written >= 4);
        assert_false(write_one(lengths[k], written));
        for (unsigned n = 0; n < written; n++)
            read_one(lengths[k], n);
        assert_null(ring_peek(&reader));
        assert_true(write_one(lengths[k], written));
        read_one(lengths[k], written);
    }
}

/* More laps than the lap number has values. */
static void stale_cells_never_look_new(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 70000u * (SIZE / 4 / RING_CELL); n += 1000) {
        for (unsigned i = 0; i < 1000; i++) {
            const struct message *m;

            assert_true(write_one(8, n + i));
            m = ring_peek(&reader);
            assert_true(m && m->context == n + i);
            ring_consume(&reader, m);
        }
        assert_null(ring_peek(&reader));
    }
}

static void random_lengths_in_bursts_keep_their_order(void **state)
{
    unsigned seed = 20261121, written = 0, read = 0;
    uint32_t lengths[1024];

    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    while (read < 100000) {
        uint32_t length = (uint32_t)rand() % (SIZE / 8);

        while (written - read < 1000 && write_one(length, written)) {
            lengths[written++ % 1024] = length;
            length = (uint32_t)rand() % (rand() % 4 ? 100 : SIZE / 8);
        }
        for (int burst = rand() % 20 + 1; burst && read < written; burst--, read++)
            read_one(lengths[read % 1024], read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(zeroed_memory_is_an_empty_ring, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_length_arrives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(positions_go_on_beyond_4_gib, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_ring_takes_nothing_and_loses_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stale_cells_never_look_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_lengths_in_bursts_keep_their_order, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
