/* Heartbeats beside a flood of strangers' datagrams, with the kernel's filter and without, and beside packets. */
#include "net/network/heartbeat.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "hint/hint.h"
#include "net/network/proof.h"
#include "unit.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
    JOB = 77,
    PEER = 3,
    FLOOD = 2000, /* more than a socket's buffer has room for */
    SOME = 200,   /* fewer */
    QUESTION = 1,
    ANSWER = 2,
    DEATH = 3,
    TIMEOUT_MS = 100
};

struct test_beat { /* as in heartbeat.c */
    uint64_t tag, reply_tag, job;
    uint32_t rank;
    uint16_t kind, is_polling;
    uint64_t proof, sent;
};

static bool has_no_filters;

/* As gVisor, which has none. */
__attribute__((visibility("default"))) int setsockopt(int fd, int level, int name, const void *value,
                                                      socklen_t size)
{
    return has_no_filters && name == SO_ATTACH_FILTER
               ? -1
               : (int)syscall(SYS_setsockopt, fd, level, name, value, size);
}

static struct wire_address mine, theirs;
static int peer; /* a socket that sends to the heartbeat's, and has the peer's address */

static int make_keys(void **state)
{
    (void)state;
    memset(mine.key, 1, sizeof mine.key);
    memset(theirs.key, 2, sizeof theirs.key);
    return keyed_hash_open();
}

static void heartbeat_test_open(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
                       there = here;
    socklen_t size = sizeof there;

    boot.job = "unit";
    hint_process.value[HINT_PEER_TIMEOUT] = TIMEOUT_MS * 1000000;
    mine.length = theirs.length = sizeof here;
    memcpy(mine.bytes, &here, sizeof here);
    memcpy(theirs.bytes, &here, sizeof here);
    assert_int_equal(heartbeat_open(&mine), 0);
    peer = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(peer, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(getsockname(peer, (struct sockaddr *)&there, &size), 0);
    theirs.port = ntohs(there.sin_port);
    here.sin_port = htons((uint16_t)heartbeat_port());
    assert_int_equal(connect(peer, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(heartbeat_add(PEER, JOB, PEER, &theirs), 0);
}

static void heartbeat_test_close(void)
{
    heartbeat_close();
    close(peer);
}

static uint64_t due_proof(const unsigned char *key, enum proof_use use, uint64_t job, uint32_t rank)
{
    uint64_t proof;

    assert_int_equal(proof_of(key, use, job, rank, &proof), 0);
    return proof;
}

static struct test_beat question(void)
{
    return (struct test_beat){.tag = due_proof(mine.key, PROOF_TAG, 0, 0),
                              .reply_tag = 12345,
                              .job = JOB,
                              .rank = PEER,
                              .kind = QUESTION,
                              .proof = due_proof(mine.key, PROOF_QUESTION, JOB, PEER)};
}

static void tell(const struct test_beat *b)
{
    assert_int_equal(send(peer, b, sizeof *b, 0), sizeof *b);
}

/* A stranger knows no tag. */
static void flood(int count)
{
    struct test_beat b = question();

    for (int i = 0; i < count; i++) {
        b.tag = (uint64_t)i;
        tell(&b);
    }
}

static int count_answers(void)
{
    struct test_beat b;
    int count = 0;

    while (recv(peer, &b, sizeof b, MSG_DONTWAIT) == sizeof b) {
        assert_int_equal(b.kind, ANSWER);
        assert_int_equal(b.tag, 12345);
        assert_true(b.proof == due_proof(mine.key, PROOF_ANSWER, JOB, PEER));
        count++;
    }
    return count;
}

/* What strangers send takes no room. */
static void a_flood_drowns_nobody(void **state)
{
    struct test_beat b = question();

    (void)state;
    heartbeat_test_open();
    flood(FLOOD);
    tell(&b);
    heartbeat_receive();
    assert_int_equal(count_answers(), 1);
    heartbeat_test_close();
}

/* The thread goes on to its other work now and then. */
static void without_a_filter_a_flood_is_read_in_parts(void **state)
{
    struct test_beat b = question();
    int calls = 0;

    (void)state;
    has_no_filters = true;
    heartbeat_test_open();
    has_no_filters = false;
    flood(SOME);
    tell(&b);
    for (bool answered = false; !answered; calls++) {
        assert_true(calls < SOME);
        heartbeat_receive();
        answered = count_answers() == 1;
    }
    assert_true(calls > 1);
    heartbeat_test_close();
}

static uint64_t arrived;

static void look(int process, uint64_t *sent, uint64_t *received)
{
    assert_int_equal(process, PEER);
    *sent = 0;
    *received = arrived;
}

/* Asks until the peer is lost, or for three timeouts, and returns whether it was lost. Each time, `sign` is sent, and so many
 * more packets have come. */
static bool is_lost_beside(const struct test_beat *sign, uint64_t packets)
{
    char why[100];
    bool wake;

    arrived = 0;
    for (int waited = 0; waited < 3 * TIMEOUT_MS; waited++) {
        heartbeat_send(&wake);
        if (wake && sign)
            tell(sign);
        heartbeat_receive();
        if (heartbeat_wants_count()) {
            arrived += packets;
            heartbeat_count(look);
        }
        if (heartbeat_take_lost(why, sizeof why) == PEER)
            return true;
        usleep(1000);
    }
    return false;
}

static void packets_are_signs_of_life(void **state)
{
    (void)state;
    heartbeat_test_open();
    assert_false(is_lost_beside(NULL, 1));
    assert_true(is_lost_beside(NULL, 0));
    heartbeat_test_close();
}

/* Whose answers are forged is lost all the same; whose questions are, although they tell of packets that never came, is not. */
static void forged_heartbeats_change_nothing(void **state)
{
    struct test_beat forged = question();

    (void)state;
    for (int with_tag = 0; with_tag < 2; with_tag++) {
        forged.kind = ANSWER;
        forged.tag = with_tag ? question().tag : 0;
        heartbeat_test_open();
        assert_true(is_lost_beside(&forged, 0));
        heartbeat_test_close();
        forged.kind = QUESTION;
        forged.is_polling = 1;
        forged.sent = 1000000;
        forged.proof = question().proof + 1;
        heartbeat_test_open();
        tell(&forged);
        heartbeat_receive();
        assert_int_equal(count_answers(), 0);
        assert_true(is_lost_beside(&forged, 0)); /* as a silent peer */
        heartbeat_test_close();
    }
}

/* A peer that answers, and one that asks, are there. */
static void true_heartbeats_count(void **state)
{
    struct test_beat answer = question(), asks = question();

    (void)state;
    answer.kind = ANSWER;
    answer.proof = due_proof(theirs.key, PROOF_ANSWER, host_hash("unit"), (uint32_t)boot.rank);
    heartbeat_test_open();
    assert_false(is_lost_beside(&answer, 0));
    assert_false(is_lost_beside(&asks, 0));
    asks.is_polling = 1;
    asks.sent = 1;
    assert_true(is_lost_beside(&asks, 0)); /* its packet was lost */
    heartbeat_test_close();
}

/* With what a process ends that hears this. */
static int ends_by(const struct test_beat *heard)
{
    pid_t process = fork();
    int status;

    assert_true(process >= 0);
    if (!process) {
        heartbeat_test_open();
        tell(heard);
        heartbeat_receive();
        _exit(0);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* A process ends that a peer has lost, but not for what a stranger makes of an answer that it has overheard. */
static void only_the_peer_says_that_this_process_is_lost(void **state)
{
    struct test_beat death = question();

    (void)state;
    death.kind = DEATH;
    death.proof = due_proof(theirs.key, PROOF_ANSWER, host_hash("unit"), (uint32_t)boot.rank);
    assert_int_equal(ends_by(&death), 0);
    death.proof = due_proof(theirs.key, PROOF_DEATH, host_hash("unit"), (uint32_t)boot.rank);
    assert_int_equal(ends_by(&death), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flood_drowns_nobody),
        cmocka_unit_test(without_a_filter_a_flood_is_read_in_parts),
        cmocka_unit_test(packets_are_signs_of_life),
        cmocka_unit_test(forged_heartbeats_change_nothing),
        cmocka_unit_test(true_heartbeats_count),
        cmocka_unit_test(only_the_peer_says_that_this_process_is_lost),
    };

    return cmocka_run_group_tests(tests, make_keys, NULL);
}
