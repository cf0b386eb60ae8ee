/* ring: messages of one sender come once, in order and whole, although the ring is full time and again. */
#include "net/shm/ring.h"

#include "checker.h"

enum {
    CELLS_RING = 512, /* bytes: two cells, which are full sooner than the 256 bytes for data */
    DATA_RING = 2048, /* eight cells; four of the longest messages fill the 1024 bytes for data */
    LONGEST = DATA_RING / 8
};

static _Alignas(RING_CELL) unsigned char memory[DATA_RING];
static struct ring_control control;
static struct ring writer, reader;
static size_t ring_size;

static void begin(size_t size)
{
    ring_size = size;
    ring_init(&writer, memory, size, &control);
    ring_init(&reader, memory, size, &control);
}

static void begin_cells(void)
{
    begin(CELLS_RING);
}

static void begin_data(void)
{
    begin(DATA_RING);
}

static unsigned messages(void)
{
    return ring_size == CELLS_RING ? 4 : 5;
}

/* The longest, and every second one short enough for its cell where these are to fill up. */
static uint32_t length_of(unsigned n)
{
    return n % 2 && ring_size == CELLS_RING ? 8 : (uint32_t)ring_message_max(ring_size);
}

static void send(void)
{
    for (unsigned n = 0; n < messages(); n++) {
        unsigned char payload[LONGEST];
        struct message m = {.length = length_of(n), .kind = 1, .context = n, .source = 3, .tag = (int32_t)n};

        memset(payload, (int)n + 1, sizeof payload);
        AWAIT(ring_write(&writer, &m, payload));
    }
}

static void receive(void)
{
    for (unsigned n = 0; n < messages(); n++) {
        const struct message *m;
        const unsigned char *payload;

        AWAIT((m = ring_peek(&reader)) != NULL);
        CHECK(m->length == length_of(n) && m->context == n && m->source == 3 && m->tag == (int32_t)n);
        payload = ring_payload(&reader, m);
        for (uint32_t i = 0; i < m->length; i++)
            CHECK(payload[i] == n + 1);
        ring_consume(&reader, m);
    }
    CHECK(!ring_peek(&reader));
}

const struct scenario scenarios[] = {{"its cells are full", begin_cells, {send, receive}},
                                     {"its data area is full", begin_data, {send, receive}},
                                     {0}};
const char *const weakened_files[] = {"net/shm/ring.c", NULL};
const struct spare spares[] = {{0}};
