/* ranks: 1 2 timeout: 120 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_EAGER_LIMIT=0 */
/* Random nested datatypes in messages, compared with their byte maps. One type sends, and another with the
 * same values elsewhere receives; short and long; posted, probed or unexpected. Also messages that end within
 * an item or a value or are too long, and the answers of MPI_Get_count and MPI_Get_elements. Every byte that
 * is not the message's must stay. */
#include "check.h"
#include "random_type.h"

#include <stdlib.h>
#include <string.h>

enum {
    TAG = 5,
    ORDER_TAG = 6,
    UNTOUCHED = 0x55,
    MEMORY_MAX = 1 << 20
};

enum order {
    POSTED,     /* the receive is there when the message comes */
    UNEXPECTED, /* the message is there when the receive comes */
    RACING,
    ORDERS
};

static int rank, size;

/* Items of a subject in memory. */
struct items {
    const struct subject *subject;
    int64_t count, begin, span;
    unsigned char *memory, *base; /* base: what goes to MPI */
    bool is_shared;               /* memory that other processes can map */
};

static unsigned char content(int64_t at)
{
    return (unsigned char)(at * 31 + (at >> 7) + 11);
}

static struct items lay_out(const struct subject *s, int64_t count)
{
    struct items i = {.subject = s, .count = count};

    i.span = span_of(s, count, &i.begin);
    i.is_shared = i.span / 64 % 3 == 0;
    if (i.is_shared)
        HOLDS(MPI_Alloc_mem((MPI_Aint)i.span + 1, MPI_INFO_NULL, &i.memory) == MPI_SUCCESS);
    else
        i.memory = malloc((size_t)i.span + 1);
    i.base = i.memory - i.begin;
    return i;
}

static void clear_away(struct items *i)
{
    if (i->is_shared)
        MPI_Free_mem(i->memory);
    else
        free(i->memory);
}

static struct items lay_out_source(const struct subject *s, int64_t count)
{
    struct items i = lay_out(s, count);

    for (int64_t at = 0; at < i.span; at++)
        i.memory[at] = content(at + i.begin);
    return i;
}

static struct items lay_out_target(const struct subject *s, int64_t count)
{
    struct items i = lay_out(s, count);

    memset(i.memory, UNTOUCHED, (size_t)i.span + 1);
    return i;
}

static void check_source(const struct items *i)
{
    for (int64_t at = 0; at < i->span; at++)
        HOLDS(i->memory[at] == content(at + i->begin));
}

/* Whether a byte of the message belongs at this place and is there: of several that belong there, any may be. */
static bool is_of_message(const struct items *to, int64_t at, const struct subject *from, int64_t bytes)
{
    for (int64_t k = 0; k < bytes; k++)
        if (&to->base[byte_place(to->subject, k)] == &to->memory[at] &&
            to->memory[at] == content(byte_place(from, k)))
            return true;
    return false;
}

/* The first `bytes` bytes of what `from` sends are in the places of `to`, and nothing else was written. Where places are the
 * same, 16 are looked at that have another byte than the last one. */
static void check_arrival(const struct items *to, const struct subject *from, int64_t bytes)
{
    struct items expected = lay_out_target(to->subject, to->count);
    int looked_at = 0;

    for (int64_t k = 0; k < bytes; k++)
        expected.base[byte_place(to->subject, k)] = content(byte_place(from, k));
    for (int64_t at = 0; at <= to->span && looked_at < 16; at++) {
        if (to->memory[at] == expected.memory[at])
            continue;
        HOLDS(is_of_message(to, at, from, bytes));
        looked_at++;
    }
    clear_away(&expected);
}

static void check_counts(MPI_Status *status, const struct subject *s, int64_t bytes)
{
    int64_t items = s->n == 0 ? (bytes ? MPI_UNDEFINED : 0) : bytes % s->n ? MPI_UNDEFINED : bytes / s->n;
    int count, elements;
    MPI_Count wide_count, wide_elements, all;

    MPI_Get_count(status, s->type, &count);
    MPI_Get_count_c(status, s->type, &wide_count);
    MPI_Get_elements(status, s->type, &elements);
    MPI_Get_elements_c(status, s->type, &wide_elements);
    MPI_Get_count_c(status, MPI_BYTE, &all);
    HOLDS(count == items && wide_count == items);
    HOLDS(elements == elements_in(s, bytes) && wide_elements == elements);
    HOLDS(all == bytes);
}

/* An empty message, so that what `from` did before comes before what `to` does after it. */
static void tell(int from, int to)
{
    if (from == to)
        return;
    if (rank == from)
        MPI_Send(NULL, 0, MPI_BYTE, to, ORDER_TAG, MPI_COMM_WORLD);
    if (rank == to)
        MPI_Recv(NULL, 0, MPI_BYTE, from, ORDER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void start_send(const void *buffer, int64_t count, MPI_Datatype type, int way, int to,
                       MPI_Request *request)
{
    if (way == 0)
        HOLDS(MPI_Isend(buffer, (int)count, type, to, TAG, MPI_COMM_WORLD, request) == MPI_SUCCESS);
    else if (way == 1)
        HOLDS(MPI_Issend_c(buffer, count, type, to, TAG, MPI_COMM_WORLD, request) == MPI_SUCCESS);
    else {
        HOLDS(MPI_Send_init(buffer, (int)count, type, to, TAG, MPI_COMM_WORLD, request) == MPI_SUCCESS);
        HOLDS(MPI_Start(request) == MPI_SUCCESS);
    }
}

static void start_receive(const struct items *to, int way, int from, MPI_Request *request)
{
    MPI_Message message;

    if (way == 0)
        HOLDS(MPI_Irecv(to->base, (int)to->count, to->subject->type, from, TAG, MPI_COMM_WORLD, request) ==
              MPI_SUCCESS);
    else if (way == 1) {
        HOLDS(MPI_Recv_init_c(to->base, to->count, to->subject->type, from, TAG, MPI_COMM_WORLD, request) ==
              MPI_SUCCESS);
        HOLDS(MPI_Start(request) == MPI_SUCCESS);
    } else {
        HOLDS(MPI_Mprobe(from, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        HOLDS(MPI_Imrecv(to->base, (int)to->count, to->subject->type, &message, request) == MPI_SUCCESS);
    }
}

static int finish(MPI_Request *request, MPI_Status *status)
{
    int class = MPI_SUCCESS, error = MPI_Wait(request, status);

    MPI_Error_class(error, &class);
    if (*request != MPI_REQUEST_NULL) /* persistent */
        MPI_Request_free(request);
    return class;
}

/* Moves `count` items of `type` at `buffer`, `bytes` bytes of data, which are those of `from`, into `to`. */
static void move(const void *buffer, int64_t count, MPI_Datatype type, const struct subject *from,
                 struct items *to, int64_t bytes)
{
    int sender = (int)pick(0, size - 1), receiver = size - 1 - sender;
    int send_way = (int)pick(0, 2), receive_way = (int)pick(0, 2);
    enum order order = (enum order)pick(0, ORDERS - 1);
    bool is_first = receive_way < 2 && (order == POSTED || (order == RACING && sender != receiver));
    MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
    int64_t room = to->count * to->subject->n;
    MPI_Status status;

    if (rank == receiver && is_first)
        start_receive(to, receive_way, sender, &receive);
    if (order == POSTED && is_first)
        tell(receiver, sender);
    if (rank == sender)
        start_send(buffer, count, type, send_way, receiver, &send);
    if (order == UNEXPECTED)
        tell(sender, receiver);
    if (rank == receiver && !is_first)
        start_receive(to, receive_way, sender, &receive);
    if (rank == receiver) {
        HOLDS(finish(&receive, &status) == (bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
        check_arrival(to, from, bytes < room ? bytes : room);
        if (bytes <= room)
            check_counts(&status, to->subject, bytes);
    }
    if (rank == sender)
        HOLDS(finish(&send, &status) == MPI_SUCCESS);
}

static void move_whole(const struct subject *from, int64_t from_count, const struct subject *to,
                       int64_t to_count)
{
    struct items source = lay_out_source(from, from_count), target = lay_out_target(to, to_count);

    move(source.base, from_count, from->type, from, &target, from_count * from->n);
    check_source(&source);
    clear_away(&source);
    clear_away(&target);
}

/* A message of packed data of any length, for room of any length. */
static void move_part(const struct subject *from, int64_t from_count, const struct subject *to,
                      int64_t to_count)
{
    struct items source = lay_out_source(from, from_count), target;
    MPI_Count all = 0, position = 0, bytes;
    void *packed;

    target = lay_out_target(to, pick(0, 3) ? to_count : pick(0, to_count));
    MPI_Pack_size_c(from_count, from->type, MPI_COMM_WORLD, &all);
    packed = malloc((size_t)all + 1);
    HOLDS(MPI_Pack_c(source.base, from_count, from->type, packed, all, &position, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    HOLDS(position == from_count * from->n);
    bytes = pick(0, position);
    move(packed, bytes, MPI_PACKED, from, &target, bytes);
    free(packed);
    clear_away(&source);
    clear_away(&target);
}

/* How many items of so many bytes: mostly a short message, now and then a long one. */
static int64_t random_count(const struct subject *a, const struct subject *b, int items)
{
    static const int limits[] = {500, 4096, 4096, 8192, 32 * 1024, 100 * 1024};
    int64_t most = b->n ? limits[pick(0, 5)] / b->n : 3, count = most ? pick(0, most) : 1, begin;

    if (pick(0, 49) == 0 && b->n)
        count = pick(1, 700 * 1024 / b->n);
    while (count > 1 &&
           (span_of(a, count * items, &begin) > MEMORY_MAX || span_of(b, count, &begin) > MEMORY_MAX))
        count /= 2;
    return count;
}

static void try_one(void)
{
    struct subject a = random_subject((int)pick(1, 4)), b;
    int items = (int)pick(1, 3);
    int64_t count;

    b = random_scatter(&a, items);
    HOLDS(MPI_Type_commit(&a.type) == MPI_SUCCESS);
    HOLDS(MPI_Type_commit(&b.type) == MPI_SUCCESS);
    count = random_count(&a, &b, items);
    move_whole(&a, count * items, &b, count);
    move_part(&a, count * items, &b, count);
    move_whole(&b, count, &a, count * items);
    move_part(&b, count, &a, count * items);
    move_whole(&a, count * items, &a, count * items);
    subject_free(&a);
    subject_free(&b);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for_each_seed(1000, try_one);
    MPI_Finalize();
    return 0;
}
