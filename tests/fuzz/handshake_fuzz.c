/* Fuzzes the handshake (handshake.h): the other end says what it should, that with changes, or anything, over a sealed
 * connection or a plain one. Only if all of it is as it should be are both connected. */
#include "dynamic/handshake.h"

#include "boot/boot.h"
#include "comm/comm.h"
#include "making/make.h"
#include "net/net.h"
#include "net/network/wire.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    NOBODY = -7 /* of a partner that nobody has set */
};

static struct {
    const uint8_t *at, *end;
} input;
static struct port_connection tested; /* this end; the other has the seal of `other` */
static struct port_seal other;
static int other_fd;
static bool is_right;         /* all that the other end has said so far */
static bool has_met, refuses; /* p2p_meet has taken the card; p2p_admit fails */

static void expect(bool truth)
{
    if (!truth)
        abort();
}

static int take_byte(void)
{
    return input.at < input.end ? *input.at++ : 0;
}

/* What the handshake needs of the layers below. */

int progress_poll(void)
{
    return 0;
}

uint64_t net_host(void)
{
    return 5;
}

int p2p_admit(bool through_network)
{
    (void)through_network;
    return refuses ? fail(MPI_ERR_UNSUPPORTED_OPERATION, "no network") : MPI_SUCCESS;
}

int p2p_meet(const struct card *card, int *process)
{
    struct wire_address address;
    int number = card_number(card);

    if (number < 0)
        return fail_class();
    if (card->host != net_host() && wire_address_of_card(card, &address))
        return fail_class();
    *process = number;
    has_met = true;
    return MPI_SUCCESS;
}

uint64_t comm_context_of(uint64_t one, uint64_t another)
{
    return one ^ another;
}

int make_error_for_peers(int error)
{
    return error > MPI_ERR_LASTCODE ? MPI_ERR_OTHER : error;
}

/* The input's bytes over some of these. */
static void change(unsigned char *bytes, size_t size)
{
    size_t at = (size_t)take_byte() % size, count = (size_t)take_byte() % 16;

    for (size_t i = 0; i < count; i++)
        bytes[(at + i) % size] = (unsigned char)take_byte();
}

/* Of a card p2p_meet decides. */
static void note_what_is_heard(const unsigned char *heard, const void *word, size_t size, bool is_broken)
{
    size_t counts = size == sizeof(struct hello) ? offsetof(struct hello, unused) : size;

    if (is_broken || (size != sizeof(struct card) && memcmp(heard, word, counts) != 0))
        is_right = false;
}

/* Sends a word: as it is, changed before it is sealed or after, or a part of it only. */
static void say(const void *word, size_t size)
{
    unsigned char changed[PORT_WORD_MAX], sealed[PORT_SEALED_MAX], sent[PORT_SEALED_MAX];
    size_t bytes = port_seal_size(&other, size);
    int how = take_byte() % 8;

    memcpy(changed, word, size);
    if (how == 1 || how == 2)
        change(changed, size);
    expect(port_seal_put(&other, changed, size, sealed) == MPI_SUCCESS);
    memcpy(sent, sealed, bytes);
    if (how == 2 || how == 3)
        change(sent, bytes);
    if (how == 4)
        bytes = (size_t)take_byte() % bytes;
    expect(send(other_fd, sent, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
    note_what_is_heard(other.side ? changed : sent, word, size,
                       how == 4 || (other.side && memcmp(sent, sealed, bytes) != 0));
}

static void say_all(void)
{
    struct hello hello = {.magic = "inkling", .version = HANDSHAKE_VERSION, .host = 5, .number = 4711};
    struct card card = {.job = 77, .host = 5, .rank = 1, .address = {.owner = "ofi", .length = 100}};
    int32_t verdict = MPI_SUCCESS;

    is_right = true;
    say(&hello, sizeof hello);
    say(&card, sizeof card);
    say(&verdict, sizeof verdict);
    shutdown(other_fd, SHUT_WR);
}

static void connect_both(bool is_sealed)
{
    static const struct port_auth auth = {.caller = "a", .listener = "b"};
    static const unsigned char secret[SECRET_SIZE] = "0123456789abcde";
    int ends[2];

    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    tested = (struct port_connection){.fd = ends[0]};
    other_fd = ends[1];
    other = (struct port_seal){0};
    if (!is_sealed)
        return;
    expect(port_seal_begin(&tested.seal, PORT_CALLER, &auth, secret) == MPI_SUCCESS);
    expect(port_seal_begin(&other, PORT_LISTENER, &auth, secret) == MPI_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct partner partner = {.process = NOBODY};
    int mode, error;

    input.at = data;
    input.end = data + size;
    expect(keyed_hash_open() == MPI_SUCCESS);
    boot.job = "fuzz";
    boot.size = 1;
    card_set_host(net_host());
    mode = take_byte();
    has_met = false;
    refuses = mode % 16 == 15;
    connect_both(mode & 16);
    say_all();
    error = handshake_make(&tested, mode / 32 % 3 - 1, 1, &partner);
    expect(error >= MPI_SUCCESS && error <= MPI_ERR_LASTCODE);
    expect(error ? partner.process == NOBODY : has_met && is_right && partner.process >= 0);
    expect(!error || !is_right || !has_met);
    close(tested.fd);
    close(other_fd);
    return 0;
}
