/* Fuzzes heartbeats: datagrams of strangers, of a peer, and of a process that is to become one. Who has not proved who
 * he is gets no answer, and changes nothing. */
#include "net/network/heartbeat.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "net/network/proof.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    JOB = 77,
    PEER = 3,
    QUESTION = 1,
    ANSWER = 2
};

struct fuzz_beat { /* as in heartbeat.c */
    uint64_t tag, reply_tag, job;
    uint32_t rank;
    uint16_t kind, is_polling;
    uint64_t proof, sent;
};

static struct wire_address mine, theirs;
static uint64_t tag;
static int stranger; /* a socket that sends to the heartbeat's */

static void expect(int truth)
{
    if (!truth)
        abort();
}

static void open_all(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    boot.job = "fuzz";
    memset(mine.key, 1, sizeof mine.key);
    memset(theirs.key, 2, sizeof theirs.key);
    mine.length = theirs.length = sizeof here;
    memcpy(mine.bytes, &here, sizeof here);
    memcpy(theirs.bytes, &here, sizeof here);
    theirs.port = 9;
    expect(keyed_hash_open() == 0 && heartbeat_open(&mine) == 0);
    expect(proof_of(mine.key, PROOF_TAG, 0, 0, &tag) == 0);
    expect(heartbeat_add(PEER, JOB, PEER, &theirs) == 0);
    here.sin_port = htons((uint16_t)heartbeat_port());
    stranger = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    expect(connect(stranger, (struct sockaddr *)&here, sizeof here) == 0);
}

static bool is_question(const struct fuzz_beat *b)
{
    return b->tag == tag && b->kind == QUESTION &&
           proof_is(b->proof, mine.key, PROOF_QUESTION, b->job, b->rank);
}

static bool is_answer(const struct fuzz_beat *b)
{
    return b->tag == tag && b->kind == ANSWER && b->job == JOB && b->rank == PEER &&
           proof_is(b->proof, theirs.key, PROOF_ANSWER, host_hash(boot.job), (uint32_t)boot.rank);
}

/* Sends it, and returns whether an answer comes. */
static bool ask(const void *bytes, size_t size)
{
    struct fuzz_beat b, sent;
    ssize_t got;

    expect(send(stranger, bytes, size, 0) == (ssize_t)size);
    heartbeat_receive();
    got = recv(stranger, &b, sizeof b, MSG_DONTWAIT);
    if (got < 0)
        return false;
    memcpy(&sent, bytes, sizeof sent);
    expect(got == sizeof b && b.kind == ANSWER && b.tag == sent.reply_tag);
    expect(proof_is(b.proof, mine.key, PROOF_ANSWER, sent.job, sent.rank));
    return true;
}

/* A true question or answer of the peer's (how 1, 2), a true question of another process (3), or only a true tag (4). */
static void tell_truth(int how, struct fuzz_beat *b)
{
    b->tag = tag;
    if (how == 4)
        return;
    b->kind = how == 2 ? ANSWER : QUESTION;
    b->job = how < 3 ? JOB : b->job;
    b->rank = how < 3 ? PEER : b->rank;
    expect((b->kind == QUESTION ? proof_of(mine.key, PROOF_QUESTION, b->job, b->rank, &b->proof)
                                : proof_of(theirs.key, PROOF_ANSWER, host_hash(boot.job), (uint32_t)boot.rank,
                                           &b->proof)) == 0);
}

static void look(int process, uint64_t *sent, uint64_t *received)
{
    expect(process == PEER);
    *sent = *received = 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool is_lost = false, has_spoken = false;
    char why[100];

    open_all();
    while (size > 1) {
        unsigned char bytes[sizeof(struct fuzz_beat) + 8];
        struct fuzz_beat b = {.tag = 0};
        size_t length = data[1] % sizeof bytes;
        int how = data[0] % 5;

        data += 2, size -= 2;
        length = length < size ? length : size;
        memcpy(bytes, data, length);
        data += length, size -= length;
        if (length >= sizeof b) {
            memcpy(&b, bytes, sizeof b);
            if (how)
                tell_truth(how, &b);
            memcpy(bytes, &b, sizeof b);
        }
        has_spoken = has_spoken || is_question(&b) || is_answer(&b);
        expect(ask(bytes, length) == (is_question(&b) && !(is_lost && b.job == JOB && b.rank == PEER)));
        heartbeat_count(look);
        is_lost = heartbeat_take_lost(why, sizeof why) == PEER || is_lost;
        expect(has_spoken || !is_lost);
    }
    close(stranger);
    heartbeat_close();
    return 0;
}
