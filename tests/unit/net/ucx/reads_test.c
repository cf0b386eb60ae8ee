/* Reads of a peer's memory over a pretended UCX: an answer comes in pieces that fit into a receive buffer, and ends the read when all of
 * them have come; what was not asked for changes nothing. */
#include "net/ucx/reads.h"

#include "net/ucx/controls.h"
#include "net/ucx/own_memory.h"
#include "net/ucx/packets.h"
#include "unit.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECES_MOST = 8,
    PIECE_SIZE = 256 << 10,
    BYTES = 2 * PIECE_SIZE + 1000,
    SKIPPED = 100 /* bytes of the memory before what is read */
};

/* What the owner has sent. */
static struct piece {
    unsigned char head[16];
    const void *data;
    size_t bytes;
    uint32_t flags;
} piece[PIECES_MOST];
static int pieces;
static struct wire asked; /* the question, and its payload */
static unsigned char question[64];
static ucp_am_recv_callback_t answer;
static struct ucx_peer peer;

static ucs_status_t keep_handler(ucp_worker_h worker, const ucp_am_handler_param_t *handler)
{
    (void)worker;
    if (handler->id == AM_ANSWER)
        answer = handler->cb;
    return UCS_OK;
}

static ucs_status_ptr_t take_message(ucp_ep_h to, unsigned id, const void *header, size_t header_length,
                                     const void *data, size_t bytes, const ucp_request_param_t *how)
{
    struct piece *p = &piece[pieces];

    (void)to;
    if (id == AM_PACKET) {
        memcpy(&asked, data, sizeof asked);
        assert_true(asked.message.length <= sizeof question);
        memcpy(question, (const char *)data + sizeof asked, asked.message.length);
        return NULL;
    }
    assert_true(pieces < PIECES_MOST);
    assert_int_equal(header_length, sizeof p->head);
    memcpy(p->head, header, header_length);
    p->data = data;
    p->bytes = bytes;
    p->flags = how->flags;
    pieces++;
    return NULL;
}

static char *memory, *to;
static struct memory_region *region;

static int reads_test_open(void **state)
{
    (void)state;
    ucx.ucp_worker_set_am_recv_handler = keep_handler;
    ucx.ucp_am_send_nbx = take_message;
    pieces = 0;
    memset(&asked, 0, sizeof asked);
    peer = (struct ucx_peer){.base.process = 1, .ep = (ucp_ep_h)(void *)&peer};
    memory = malloc(SKIPPED + BYTES);
    to = calloc(1, BYTES);
    assert_true(memory && to);
    for (int i = 0; i < SKIPPED + BYTES; i++)
        memory[i] = (char)(i * 7 + i / 1000);
    assert_int_equal(packets_open(), MPI_SUCCESS);
    return reads_open();
}

static int reads_test_close(void **state)
{
    (void)state;
    packets_close();
    controls_close();
    reads_close();
    if (region)
        own_memory_free(region);
    region = NULL;
    free(memory);
    free(to);
    return 0;
}

/* Asks for all but the first bytes, and has the owner answer. */
static void ask_and_answer(void)
{
    static const struct message done = {.kind = 9, .context = 77};
    struct exposed there = {.exposure = EXPOSED_MESSAGE};

    region = reads_expose(memory, SKIPPED + BYTES);
    assert_non_null(region);
    there.key = region->key;
    assert_true(reads_begin(&(struct network_copy){&peer.base, false, to, &there, SKIPPED, BYTES, &done}));
    assert_int_equal(asked.message.kind, READ_ASKED);
    reads_control(&peer, &asked.message, question);
}

static void give(const struct piece *p)
{
    static const ucp_am_recv_param_t eager;

    assert_int_equal(answer(NULL, p->head, sizeof p->head, (void *)(uintptr_t)p->data, p->bytes, &eager),
                     UCS_OK);
}

static bool is_read(void)
{
    struct message done;
    int process;

    if (!reads_take(&done, &process))
        return false;
    assert_int_equal(done.context, 77);
    assert_int_equal(done.tag, MPI_SUCCESS);
    assert_int_equal(process, 1);
    assert_memory_equal(to, memory + SKIPPED, BYTES);
    return true;
}

static void an_answer_comes_in_pieces(void **state)
{
    (void)state;
    ask_and_answer();
    assert_int_equal(pieces, 3);
    for (int i = 0; i < pieces; i++) {
        assert_true(piece[i].flags & UCP_AM_SEND_FLAG_EAGER);
        assert_false(is_read());
        give(&piece[i]);
    }
    assert_true(is_read());
    assert_false(is_read());
}

/* As devices may deliver them. */
static void pieces_have_no_order(void **state)
{
    (void)state;
    ask_and_answer();
    for (int i = pieces - 1; i >= 0; i--) {
        assert_false(is_read());
        give(&piece[i]);
    }
    assert_true(is_read());
}

static void what_was_not_asked_for_is_dropped(void **state)
{
    struct piece wrong;
    uint64_t offset = BYTES - PIECE_SIZE + 1, far_away = UINT64_MAX - 1;

    (void)state;
    ask_and_answer();
    wrong = piece[0];
    memcpy(wrong.head + 8, &offset, sizeof offset);
    give(&wrong);
    memcpy(wrong.head + 8, &far_away, sizeof far_away);
    give(&wrong);
    wrong = piece[0];
    wrong.head[0] ^= 1; /* another number */
    give(&wrong);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(to[i], 0);
    for (int i = 0; i < pieces; i++)
        give(&piece[i]);
    assert_true(is_read());
}

#define READS(test) cmocka_unit_test_setup_teardown(test, reads_test_open, reads_test_close)

int main(void)
{
    const struct CMUnitTest tests[] = {READS(an_answer_comes_in_pieces), READS(pieces_have_no_order),
                                       READS(what_was_not_asked_for_is_dropped)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
