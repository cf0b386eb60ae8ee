/* What a sender takes for a dual copy: only what its own message and the queues of the line allow. */
#define rndv_find_send find_send
#define net_can_copy   can_copy
#include "p2p/rndv/dual_copy.c" /* for on_cts_dual */
#include "unit.h"

static const uint64_t HANDLE = 7;
static const size_t BYTES = 1 << 20, CHUNK = 1 << 16;

static bool is_copyable;
static struct transfer sending; /* of BYTES bytes, under HANDLE */
static jmp_buf begun;

struct transfer *find_send(uint64_t handle, const struct peer *from)
{
    return from == sending.peer && handle == HANDLE ? &sending : NULL;
}

bool can_copy(struct peer *peer, uint64_t address, size_t bytes)
{
    (void)peer, (void)address, (void)bytes;
    return is_copyable;
}

/* The copy would begin. */
static void *line_begins(struct peer *peer, bool own)
{
    (void)peer, (void)own;
    longjmp(begun, 1);
}

static const struct transport has_line = {.line = line_begins}, has_none = {.name = "none"};
static struct peer peer;

static bool takes(const struct cts_dual *cts, size_t length)
{
    struct message message = {.length = (uint32_t)length};
    struct arrival a = {.from = &peer, .message = &message, .payload = cts};

    if (setjmp(begun))
        return true;
    on_cts_dual(&a);
    return false;
}

static struct cts_dual fitting(void)
{
    return (struct cts_dual){
        .sender = HANDLE, .bytes = BYTES, .chunk = CHUNK, .chunk_queue = CHUNK_QUEUES - 1};
}

static int set_up(void **state)
{
    (void)state;
    peer = (struct peer){.transport = &has_line};
    sending = (struct transfer){.peer = &peer, .bytes = BYTES};
    is_copyable = true;
    return 0;
}

static void what_fits_is_taken(void **state)
{
    struct cts_dual cts = fitting();

    (void)state;
    assert_true(takes(&cts, sizeof cts));
    cts.chunk = CHUNK_UNIT;
    assert_true(takes(&cts, sizeof cts));
}

static void what_does_not_fit_is_dropped(void **state)
{
    struct cts_dual cts = fitting();

    (void)state;
    assert_false(takes(&cts, sizeof cts - 1));
    cts.sender++;
    assert_false(takes(&cts, sizeof cts));
    cts = fitting();
    cts.bytes++;
    assert_false(takes(&cts, sizeof cts));
    cts = fitting();
    cts.chunk = CHUNK_UNIT - 1;
    assert_false(takes(&cts, sizeof cts));
    cts = fitting();
    cts.chunk_queue = CHUNK_QUEUES;
    assert_false(takes(&cts, sizeof cts));
    cts = fitting();
    cts.bytes = sending.bytes = (size_t)CHUNK_UNIT * CHUNKS_MAX;
    cts.chunk = CHUNK_UNIT;
    assert_true(takes(&cts, sizeof cts));
    cts.bytes = ++sending.bytes;
    assert_false(takes(&cts, sizeof cts));
}

static void who_cannot_copy_drops_it(void **state)
{
    struct cts_dual cts = fitting();

    (void)state;
    is_copyable = false;
    assert_false(takes(&cts, sizeof cts));
    is_copyable = true;
    sending.device_kind = 1;
    assert_false(takes(&cts, sizeof cts));
    sending.device_kind = 0;
    peer.transport = &has_none;
    assert_false(takes(&cts, sizeof cts));
    peer.transport = &has_line;
    assert_true(takes(&cts, sizeof cts));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_fits_is_taken, set_up),
        cmocka_unit_test_setup(what_does_not_fit_is_dropped, set_up),
        cmocka_unit_test_setup(who_cannot_copy_drops_it, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
