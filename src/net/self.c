/* self: a process that sends to itself. Messages wait in a list; get and put are memcpy. Those of the program
 * that are small need not come here (p2p: arrive_self). */
#include "boot/boot.h"
#include "net/net.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct parcel {
    struct link link;
    struct peer *from;
    struct message message;
    unsigned char payload[];
};

static const struct transport_limits limits = {.message_max = 64 * 1024, .message_best = 64 * 1024};
static struct {
    _Alignas(128) struct link parcels; /* alignment: lanes are other threads' */
} lanes[NET_LANES];

static int self_open(void)
{
    for (int lane = 0; lane < NET_LANES; lane++)
        list_init(&lanes[lane].parcels);
    hint_cap(HINT_EAGER_LIMIT, (int64_t)limits.message_max);
    return MPI_SUCCESS;
}

static int self_open_lanes(void)
{
    return MPI_SUCCESS;
}

static void self_release(int lane)
{
    struct parcel *p = LIST_ENTRY(lanes[lane].parcels.next, struct parcel, link);

    list_remove(&p->link);
    free(p);
}

static void self_close(void)
{
    for (int lane = 0; lane < NET_LANES; lane++)
        while (!list_is_empty(&lanes[lane].parcels))
            self_release(lane);
}

static bool self_reaches(int process)
{
    return process == boot.rank;
}

static int self_connect(struct peer *peer)
{
    (void)peer;
    return MPI_SUCCESS;
}

static const struct transport_limits *self_limits(const struct peer *peer)
{
    (void)peer;
    return &limits;
}

/* Out of memory counts as "no room now". */
static bool self_send(struct peer *peer, const struct message *message, const void *payload)
{
    struct parcel *p = malloc(sizeof *p + message->length);

    if (!p)
        return false;
    p->from = peer;
    p->message = *message;
    if (message->length)
        memcpy(p->payload, payload, message->length);
    list_add(&lanes[peer->lane].parcels, &p->link);
    progress_tell();
    return true;
}

static bool self_poll(int lane, struct arrival *arrival)
{
    struct parcel *p;

    if (list_is_empty(&lanes[lane].parcels))
        return false;
    p = LIST_ENTRY(lanes[lane].parcels.next, struct parcel, link);
    arrival->message = &p->message;
    arrival->payload = p->payload;
    arrival->from = p->from;
    return true;
}

bool net_self_waits(int lane)
{
    return !list_is_empty(&lanes[lane].parcels);
}

static void *self_map(struct peer *peer, uint64_t address, size_t bytes)
{
    (void)peer;
    (void)bytes;
    return (void *)(uintptr_t)address;
}

const struct transport self_transport = {
    .name = "self",
    .reach = REACH_SELF,
    .eager_limit = HINT_EAGER_LIMIT,
    .open = self_open,
    .close = self_close,
    .reaches = self_reaches,
    .open_lanes = self_open_lanes,
    .connect = self_connect,
    .limits = self_limits,
    .send = self_send,
    .poll = self_poll,
    .release = self_release,
    .map = self_map,
};
