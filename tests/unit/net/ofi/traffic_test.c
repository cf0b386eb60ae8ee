/* What is sent to peers, read of them and written to them, over a pretended provider, which completes an operation when the test
 * says so: another peer is lost meanwhile, and at the end nothing that was sent may be given up. */
#include "net/ofi/ofi.c" /* for `ofi_network` */

#include "net/network/network.c" /* for `network`, `lose_link` */
#include "progress/progress.c"   /* for `awake` */
#include "unit.h"

enum {
    ONE = 1, /* the peers */
    OTHER = 2,
    PROCESSES,
    TAKEN_MOST = 256,
    SLOTS_EACH = 16, /* as in tx.c */
    PART_BYTES = 256 * 1024,
    PARTS_AT_ONCE = 3,
    LONG = 1000, /* bytes; shorter packets are injected */
    COPY = 5 * PART_BYTES + 77,
    BEGIN = 70000, /* where what is copied lies in a peer's memory */
    REGIONS = 64
};

/* What the provider has taken and neither completed nor dropped. */
static struct {
    enum {
        NONE,
        SEND,
        READ,
        WRITE
    } kind;
    fi_addr_t peer;
    void *context;
    char *here;
    uint64_t there;
    size_t bytes;
    uint8_t wire_kind; /* of a packet */
} taken[TAKEN_MOST];
static int takes, injected, opened;
static ssize_t refusal; /* what each operation returns; 0: it is taken */

static struct fi_cq_data_entry completed[TAKEN_MOST];
static struct fid_cq *completed_in[TAKEN_MOST];
static int completions;
static struct fi_cq_err_entry failure; /* op_context NULL: none */

static ssize_t take(int kind, fi_addr_t peer, void *context, const void *here, uint64_t there, size_t bytes)
{
    if (refusal)
        return refusal;
    assert_true(takes < TAKEN_MOST);
    taken[takes].kind = kind;
    taken[takes].peer = peer;
    taken[takes].context = context;
    taken[takes].here = (char *)(uintptr_t)here;
    taken[takes].there = there;
    taken[takes].bytes = bytes;
    taken[takes++].wire_kind = kind == SEND ? ((const struct wire *)here)->kind : 0;
    return 0;
}

static ssize_t take_send(struct fid_ep *ep, const void *packet, size_t bytes, void *descriptor, fi_addr_t to,
                         void *context)
{
    (void)ep;
    (void)descriptor;
    return take(SEND, to, context, packet, 0, bytes);
}

static ssize_t take_injected(struct fid_ep *ep, const void *packet, size_t bytes, fi_addr_t to)
{
    (void)ep;
    (void)packet;
    (void)bytes;
    (void)to;
    injected += !refusal;
    return refusal;
}

static ssize_t take_no_buffer(struct fid_ep *ep, const struct fi_msg *message, uint64_t flags)
{
    (void)ep;
    (void)message;
    (void)flags;
    return -FI_EAGAIN;
}

static ssize_t take_read(struct fid_ep *ep, void *to, size_t bytes, void *descriptor, fi_addr_t from,
                         uint64_t address, uint64_t key, void *context)
{
    (void)ep;
    (void)descriptor;
    assert_int_equal(key, from); /* as begin gives them */
    return take(READ, from, context, to, address, bytes);
}

static ssize_t take_write(struct fid_ep *ep, const struct fi_msg_rma *m, uint64_t flags)
{
    (void)ep;
    assert_true(flags & FI_DELIVERY_COMPLETE);
    assert_int_equal(m->rma_iov->len, m->msg_iov->iov_len);
    return take(WRITE, m->addr, m->context, m->msg_iov->iov_base, m->rma_iov->addr, m->rma_iov->len);
}

static ssize_t read_one(struct fid_cq *queue, void *entry, size_t most)
{
    if (failure.op_context && queue == fabric.packets.cq)
        return -FI_EAVAIL;
    for (int i = 0; i < completions && most; i++)
        if (completed_in[i] == queue) {
            *(struct fi_cq_data_entry *)entry = completed[i];
            completed[i] = completed[--completions];
            completed_in[i] = completed_in[completions];
            return 1;
        }
    return -FI_EAGAIN;
}

static ssize_t read_failure(struct fid_cq *queue, struct fi_cq_err_entry *entry, uint64_t flags)
{
    (void)queue;
    (void)flags;
    *entry = failure;
    failure.op_context = NULL;
    return 1;
}

static int close_nothing(struct fid *object)
{
    (void)object;
    return 0;
}

static struct fid_mr regions[REGIONS];
static int regions_at_rest;

static int count_regions(void)
{
    int count = 0;

    for (int i = 0; i < REGIONS; i++)
        count += regions[i].fid.context != NULL;
    return count;
}

/* With the endpoint of reads and writes they end. */
static int close_rma(struct fid *object)
{
    (void)object;
    assert_int_equal(count_regions(), regions_at_rest); /* none is bound to it any more */
    opened--;
    for (int i = 0; i < takes; i++)
        if (taken[i].kind != SEND)
            taken[i].kind = NONE;
    return 0;
}

static int bind_nothing(struct fid *object, struct fid *to, uint64_t flags)
{
    (void)object;
    (void)to;
    (void)flags;
    return 0;
}

static int control_nothing(struct fid *object, int command, void *argument)
{
    (void)object;
    (void)argument;
    return command == FI_GETWAIT ? -FI_ENOSYS : 0;
}

static struct fi_ops plain_ops = {.close = close_nothing, .bind = bind_nothing, .control = control_nothing};
static struct fi_ops ending_ops = {.close = close_rma, .bind = bind_nothing, .control = control_nothing};
static struct fi_ops_msg msg_ops = {.send = take_send, .inject = take_injected, .recvmsg = take_no_buffer};
static struct fi_ops_rma rma_ops = {.read = take_read, .writemsg = take_write};
static struct fi_ops_cq cq_ops = {.read = read_one, .readerr = read_failure};
static struct fid_cq packets_cq = {.fid.ops = &plain_ops, .ops = &cq_ops},
                     rma_cq = {.fid.ops = &plain_ops, .ops = &cq_ops};
static struct fid_ep packets_ep = {.fid.ops = &plain_ops, .msg = &msg_ops},
                     rma_ep = {.fid.ops = &ending_ops, .rma = &rma_ops};

static int open_queue(struct fid_domain *d, struct fi_cq_attr *attr, struct fid_cq **cq, void *context)
{
    (void)d;
    (void)attr;
    (void)context;
    *cq = &rma_cq;
    return 0;
}

static int open_endpoint(struct fid_domain *d, struct fi_info *info, struct fid_ep **ep, void *context)
{
    (void)d;
    (void)info;
    (void)context;
    opened++;
    *ep = &rma_ep;
    return 0;
}

static int know_no_address(struct fid_av *av, fi_addr_t peer, void *address, size_t *length)
{
    (void)av;
    (void)peer;
    (void)address;
    (void)length;
    return -FI_EINVAL;
}

static int close_region(struct fid *object)
{
    assert_ptr_equal(object->context, regions); /* it is open */
    object->context = NULL;
    return 0;
}

static struct fi_ops region_ops = {.close = close_region, .bind = bind_nothing, .control = control_nothing};

static int open_region(struct fid *d, const void *memory, size_t bytes, uint64_t access, uint64_t offset,
                       uint64_t key, uint64_t flags, struct fid_mr **mr, void *context)
{
    (void)d;
    (void)memory;
    (void)bytes;
    (void)access;
    (void)offset;
    (void)flags;
    (void)context;
    for (struct fid_mr *r = regions; r < regions + REGIONS; r++)
        if (!r->fid.context) {
            *r = (struct fid_mr){
                .fid = {.context = regions, .ops = &region_ops}, .mem_desc = regions, .key = key};
            *mr = r;
            return 0;
        }
    return -FI_ENOMEM;
}

static struct fi_ops_mr mr_ops = {.reg = open_region};
static struct fi_ops_domain domain_ops = {.cq_open = open_queue, .endpoint = open_endpoint};
static struct fi_ops_av av_ops = {.lookup = know_no_address};
static struct fid_domain domain = {.ops = &domain_ops, .mr = &mr_ops};
static struct fid_av av = {.fid.ops = &plain_ops, .ops = &av_ops};
static struct fi_domain_attr domain_attr = {.mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ENDPOINT,
                                            .mr_key_size = 8};
static struct fi_fabric_attr fabric_attr = {.prov_name = (char[]){"pretended"}};
static struct fi_ep_attr ep_attr = {.max_msg_size = SIZE_MAX};
static struct fi_tx_attr tx_attr = {.inject_size = 128};
static struct fi_rx_attr rx_attr;
static struct fi_info info = {.caps = FI_MSG | FI_RMA,
                              .domain_attr = &domain_attr,
                              .fabric_attr = &fabric_attr,
                              .ep_attr = &ep_attr,
                              .tx_attr = &tx_attr,
                              .rx_attr = &rx_attr};

static struct ofi_peer links[PROCESSES];
static struct peer peers[PROCESSES];
static struct peer *table[PROCESSES];

static int traffic_open(void **state)
{
    (void)state;
    network = &ofi_network;
    boot.size = PROCESSES;
    net_peers[0] = table;
    hint_process.value[HINT_OFI_RMA] = 1;
    fabric.info = &info;
    fabric.domain = &domain;
    fabric.av = &av;
    fabric.packets.ep = &packets_ep;
    fabric.packets.cq = &packets_cq;
    fabric.rma_is_known = true;
    fabric.rma_traits = RMA_DELIVERS | RMA_BY_DEVICE;
    takes = injected = completions = 0;
    for (int i = ONE; i < PROCESSES; i++) {
        links[i] = (struct ofi_peer){.base.process = i, .address = (fi_addr_t)i};
        rma_meet(&links[i]);
        peers[i] = (struct peer){.process = i, .transport = &ofi_transport, .link = &links[i]};
        table[i] = &peers[i];
    }
    assert_int_equal(tx_open(), 0);
    assert_false(ofi_transport.poll(0, &(struct arrival){0}));
    regions_at_rest = count_regions(); /* those of packets */
    return 0;
}

static int traffic_close(void **state)
{
    (void)state;
    assert_int_equal(links[ONE].rma.parts + links[OTHER].rma.parts, 0);
    assert_int_equal(links[ONE].rma.bytes + links[OTHER].rma.bytes, 0);
    assert_int_equal(count_regions(), regions_at_rest);
    assert_int_equal(awake, 0);
    rma_close();
    tx_close();
    rx_close();
    assert_int_equal(opened + count_regions(), 0);
    return 0;
}

static bool send_to(int process, uint32_t bytes)
{
    static char payload[LONG];
    struct message m = {.length = bytes, .kind = 1};

    return ofi_transport.send(&peers[process], &m, payload);
}

static unsigned char byte_at(uint64_t address, fi_addr_t peer)
{
    return (unsigned char)(address * 7 + address / 251 + peer);
}

/* Completes the operation, of which reads bring their bytes. */
static void complete(int i)
{
    for (size_t b = 0; taken[i].kind == READ && b < taken[i].bytes; b++)
        taken[i].here[b] = (char)byte_at(taken[i].there + b, taken[i].peer);
    completed_in[completions] = taken[i].kind == SEND ? &packets_cq : &rma_cq;
    completed[completions++] = (struct fi_cq_data_entry){.op_context = taken[i].context};
    taken[i].kind = NONE;
}

/* Those of this kind with this peer; returns how many. */
static int complete_all(int kind, fi_addr_t peer)
{
    int count = 0;

    for (int i = 0; i < takes; i++)
        if (taken[i].kind == (unsigned)kind && taken[i].peer == peer) {
            complete(i);
            count++;
        }
    return count;
}

static int count_taken(int kind, fi_addr_t peer)
{
    int count = 0;

    for (int i = 0; i < takes; i++)
        count += taken[i].kind == (unsigned)kind && taken[i].peer == peer;
    return count;
}

/* Polls until no completion is left. True: a copy has ended, *a. */
static bool poll_all(struct arrival *a)
{
    return ofi_transport.poll(0, a);
}

static bool has_sent_all(void)
{
    struct arrival a;

    assert_false(poll_all(&a));
    return ofi_transport.has_sent_all();
}

/* Packets to a lost peer are not waited for, whether they are reported or not; all those to the other are. */
static void a_lost_peers_packets_count_no_more(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(send_to(ONE, LONG));
        assert_true(send_to(OTHER, LONG));
    }
    assert_false(has_sent_all());
    complete(0); /* to ONE */
    assert_false(has_sent_all());
    lose_link(&links[ONE].base);
    assert_false(send_to(ONE, LONG));
    assert_false(send_to(ONE, 1));
    assert_int_equal(complete_all(SEND, ONE), 2);
    assert_false(has_sent_all());
    complete(1); /* to OTHER */
    complete(3);
    assert_false(has_sent_all());
    assert_int_equal(complete_all(SEND, OTHER), 1);
    assert_true(has_sent_all());
}

/* The provider says that a packet never will leave: its slot is free again. */
static void failed_packets_are_not_waited_for(void **state)
{
    (void)state;
    assert_true(send_to(ONE, LONG));
    assert_true(send_to(OTHER, LONG));
    failure = (struct fi_cq_err_entry){.op_context = taken[0].context, .err = FI_EIO};
    assert_false(has_sent_all());
    assert_int_equal(links[ONE].outstanding, 0);
    complete(1);
    assert_true(has_sent_all());
}

/* A peer that receives nothing has a part of the slots, and each comes back. */
static void each_peer_has_its_part_of_the_slots(void **state)
{
    struct arrival a;

    (void)state;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < SLOTS_EACH; i++)
            assert_true(send_to(ONE, LONG));
        assert_false(send_to(ONE, LONG));
        assert_true(send_to(OTHER, LONG));
        assert_int_equal(complete_all(SEND, ONE) + complete_all(SEND, OTHER), SLOTS_EACH + 1);
        assert_false(poll_all(&a));
        takes = 0;
    }
    assert_true(has_sent_all());
}

/* What is injected is not reported, so a bye follows, which is; also later, where the provider has no room for it now. */
static void byes_follow_what_is_injected(void **state)
{
    (void)state;
    assert_true(has_sent_all());
    assert_int_equal(takes, 0);
    assert_true(send_to(ONE, 1));
    assert_true(send_to(OTHER, 1));
    assert_int_equal(injected, 2);
    refusal = -FI_EAGAIN;
    assert_false(send_to(ONE, 1));
    assert_false(send_to(ONE, LONG));
    assert_false(has_sent_all());
    assert_false(has_sent_all());
    refusal = 0;
    assert_false(has_sent_all());
    assert_int_equal(takes, 2); /* one to each */
    assert_true(taken[0].wire_kind == WIRE_BYE && taken[1].wire_kind == WIRE_BYE);
    complete(0);
    assert_false(has_sent_all());
    complete(1);
    assert_true(has_sent_all());
    assert_int_equal(takes, 2);
    assert_true(send_to(ONE, 1)); /* and again */
    assert_false(has_sent_all());
    assert_int_equal(complete_all(SEND, ONE), 1);
    assert_true(has_sent_all());
}

static void no_bye_goes_to_lost_peers(void **state)
{
    (void)state;
    assert_true(send_to(ONE, 1));
    assert_true(send_to(OTHER, 1));
    lose_link(&links[ONE].base);
    assert_false(has_sent_all());
    assert_int_equal(takes, 1);
    complete(0);
    assert_true(has_sent_all());
}

/* Guests may end at any time: nothing is injected for them. */
static void guests_packets_are_reported(void **state)
{
    (void)state;
    links[ONE].base.is_guest = true;
    assert_true(send_to(ONE, 1));
    assert_int_equal(injected, 0);
    assert_false(has_sent_all());
    complete(0);
    assert_true(has_sent_all());
    assert_int_equal(takes, 1);
}

/* A number of its own for each packet that has left, and none for one that has not: the receiver would take it for lost. */
static void only_what_leaves_is_counted(void **state)
{
    uint64_t first = links[ONE].base.proof;

    (void)state;
    assert_true(send_to(ONE, 1));
    assert_true(send_to(ONE, LONG));
    refusal = -FI_EAGAIN;
    assert_false(send_to(ONE, 1));
    assert_false(send_to(ONE, LONG));
    refusal = 0;
    assert_true(links[ONE].base.proof == first + 2);
    complete(0);
    assert_false(has_sent_all());
    complete(1);
    assert_true(has_sent_all());
}

static char copies[PROCESSES][COPY + 1];

static bool begin(bool is_write, int process, enum exposure exposure, size_t bytes)
{
    struct exposed there = {.address = BEGIN - 5, .key = (uint64_t)process + 1, .exposure = exposure};
    struct message done = {.kind = 1, .context = (uint64_t)process};

    memset(copies[process], 0, sizeof copies[process]);
    return is_write ? ofi_transport.write(&peers[process], copies[process], &there, 5, bytes, &done)
                    : ofi_transport.read(&peers[process], copies[process], &there, 5, bytes, &done);
}

/* The end of a copy with this peer has come, with this error. */
static void check_end(int process, int error)
{
    struct arrival a;

    assert_true(poll_all(&a));
    assert_ptr_equal(a.from, &peers[process]);
    assert_int_equal(a.message->context, process);
    assert_int_equal(a.message->tag, error);
    ofi_transport.release(0);
}

static void check_copied(int process)
{
    for (size_t b = 0; b < COPY; b++)
        assert_int_equal((unsigned char)copies[process][b], byte_at(BEGIN + b, (fi_addr_t)process));
    assert_int_equal(copies[process][COPY], 0);
}

/* Completes parts of this kind with the peer, and those that follow them, until none is under way. */
static int complete_copy(int kind, int process)
{
    struct arrival a;
    int parts = 0, some;

    while ((some = complete_all(kind, (fi_addr_t)process)) > 0) {
        parts += some;
        if (count_taken(kind, (fi_addr_t)process) == 0 && parts == COPY / PART_BYTES + 1)
            return parts;
        assert_false(poll_all(&a));
        assert_true(count_taken(kind, (fi_addr_t)process) <= PARTS_AT_ONCE);
    }
    return parts;
}

/* A few parts at a time to each peer, and the message comes with the last. */
static void copies_go_in_parts(void **state)
{
    struct arrival a;

    (void)state;
    assert_true(begin(false, ONE, EXPOSED_MESSAGE, COPY));
    assert_true(begin(true, OTHER, EXPOSED_WINDOW, COPY));
    assert_int_equal(takes, 2 * PARTS_AT_ONCE);
    assert_false(poll_all(&a));
    assert_int_equal(complete_copy(READ, ONE), 6);
    check_end(ONE, MPI_SUCCESS);
    check_copied(ONE);
    assert_int_equal(complete_copy(WRITE, OTHER), 6);
    check_end(OTHER, MPI_SUCCESS);
    assert_false(poll_all(&a));
    assert_false(rma_are_under_way());
}

/* Copies with the other peer end with the endpoint: reads begin anew, writes fail. */
static void reads_go_on_when_another_peer_dies(void **state)
{
    struct arrival a;

    (void)state;
    assert_true(begin(false, ONE, EXPOSED_MESSAGE, COPY));
    assert_true(begin(false, OTHER, EXPOSED_MESSAGE, COPY));
    complete(PARTS_AT_ONCE); /* the first of OTHER */
    assert_false(poll_all(&a));
    lose_link(&links[ONE].base);
    assert_int_equal(count_taken(READ, ONE), 0);
    check_end(ONE, MPI_ERR_OTHER);
    memset(copies[OTHER], 0, sizeof copies[OTHER]);
    assert_int_equal(complete_copy(READ, OTHER), 6); /* all parts once more */
    check_end(OTHER, MPI_SUCCESS);
    check_copied(OTHER);
    assert_false(poll_all(&a));
    assert_false(rma_are_under_way());
}

static void writes_fail_when_another_peer_dies(void **state)
{
    struct arrival a;

    (void)state;
    assert_true(begin(false, ONE, EXPOSED_MESSAGE, COPY));
    assert_true(begin(true, OTHER, EXPOSED_WINDOW, COPY));
    lose_link(&links[ONE].base);
    assert_int_equal(count_taken(WRITE, OTHER), 0);
    for (int ends = 0; ends < 2; ends++) {
        assert_true(poll_all(&a));
        assert_int_equal(a.message->tag, MPI_ERR_OTHER);
        ofi_transport.release(0);
    }
    assert_false(poll_all(&a));
}

/* Where all parts with the lost peer have ended, nobody else's do. */
static void nothing_ends_where_nothing_was_under_way(void **state)
{
    (void)state;
    assert_true(begin(true, OTHER, EXPOSED_WINDOW, COPY));
    lose_link(&links[ONE].base);
    assert_int_equal(complete_copy(WRITE, OTHER), 6);
    check_end(OTHER, MPI_SUCCESS);
}

/* Without room now, it is tried again with each poll; meanwhile nobody sleeps. */
static void copies_wait_for_room(void **state)
{
    struct arrival a;

    (void)state;
    refusal = -FI_EAGAIN;
    assert_true(begin(false, ONE, EXPOSED_MESSAGE, 100));
    assert_true(begin(false, OTHER, EXPOSED_MESSAGE, 100));
    assert_false(poll_all(&a));
    assert_int_equal(takes, 0);
    assert_int_equal(awake, 1);
    refusal = 0;
    assert_false(poll_all(&a));
    assert_int_equal(takes, 2);
    assert_int_equal(awake, 0);
    complete(1);
    check_end(OTHER, MPI_SUCCESS);
    complete(0);
    check_end(ONE, MPI_SUCCESS);
}

static void closing_ends_copies(void **state)
{
    (void)state;
    assert_true(begin(false, ONE, EXPOSED_MESSAGE, COPY));
    refusal = -FI_EAGAIN;
    assert_true(begin(true, OTHER, EXPOSED_WINDOW, COPY));
    assert_int_equal(awake, 1);
    refusal = 0;
    rma_close();
    assert_false(rma_are_under_way());
    assert_int_equal(count_regions(), regions_at_rest);
    assert_int_equal(awake, 0);
    links[ONE].rma.parts = 0; /* nobody asks any more */
    links[ONE].rma.bytes = 0;
}

/* A read of a message that fails is reported, so that it comes another way; of a window the loss of the peer comes instead. */
static void failures_are_told_once(void **state)
{
    struct arrival a;

    (void)state;
    refusal = -FI_EIO;
    assert_true(begin(false, ONE, EXPOSED_MESSAGE, 100));
    assert_true(begin(false, OTHER, EXPOSED_WINDOW, 100));
    refusal = 0;
    check_end(ONE, MPI_ERR_OTHER);
    assert_false(poll_all(&a));
    assert_true(begin(false, ONE, EXPOSED_MESSAGE, 100));
    rma_fail(ofi_operation_of(taken[0].context), "a reason");
    check_end(ONE, MPI_ERR_OTHER);
    assert_false(poll_all(&a));
}

/* What the settings of this job keep from the provider. */
static void messages_may_be_left_to_packets(void **state)
{
    (void)state;
    hint_process.value[HINT_OFI_RMA] = 0;
    assert_false(begin(false, ONE, EXPOSED_MESSAGE, 100));
    assert_true(begin(false, ONE, EXPOSED_WINDOW, 100));
    complete(0);
    check_end(ONE, MPI_SUCCESS);
}

#define TRAFFIC(test) cmocka_unit_test_setup_teardown(test, traffic_open, traffic_close)

int main(void)
{
    const struct CMUnitTest tests[] = {TRAFFIC(a_lost_peers_packets_count_no_more),
                                       TRAFFIC(failed_packets_are_not_waited_for),
                                       TRAFFIC(each_peer_has_its_part_of_the_slots),
                                       TRAFFIC(byes_follow_what_is_injected),
                                       TRAFFIC(no_bye_goes_to_lost_peers),
                                       TRAFFIC(guests_packets_are_reported),
                                       TRAFFIC(only_what_leaves_is_counted),
                                       TRAFFIC(copies_go_in_parts),
                                       TRAFFIC(reads_go_on_when_another_peer_dies),
                                       TRAFFIC(writes_fail_when_another_peer_dies),
                                       TRAFFIC(nothing_ends_where_nothing_was_under_way),
                                       TRAFFIC(copies_wait_for_room),
                                       TRAFFIC(closing_ends_copies),
                                       TRAFFIC(failures_are_told_once),
                                       TRAFFIC(messages_may_be_left_to_packets)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
