/* advert: the writer writes only into the buffer of an advert that it has claimed, which is the earliest one that is open, and whose
 * fields belong together. The owner has a buffer back once it has withdrawn or freed its advert.
 *
 * Thread 0 is the owner, thread 1 the writer. */
#include "net/advert.h"

#include "checker.h"

enum {
    BUFFERS = 2,
    CONTEXT = 7,
    TAG = 5,
    BYTES_OF_ONE = 100
};

static struct advert_table table;
static int buffer[BUFFERS];       /* plain memory */
static _Atomic int told[BUFFERS]; /* the message that says that the data is there */

/* The fields of a buffer's advert. */
static struct advert advert_of(int number)
{
    return (struct advert){.context = CONTEXT,
                           .address = (uint64_t)number,
                           .bytes = BYTES_OF_ONE,
                           .receiver = (uint64_t)number + 10,
                           .seen = (uint64_t)number + 20,
                           .tag = TAG};
}

static int post(int number)
{
    struct advert a = advert_of(number);
    int slot = advert_post(&table, &a);

    CHECK(slot >= 0);
    return slot;
}

/* The slot, -1: there is nothing to claim. */
static int claim(int *number)
{
    struct advert a;
    int slot = advert_claim(&table, CONTEXT, TAG, BYTES_OF_ONE, 0, &a);

    if (slot < 0)
        return -1;
    *number = (int)a.address;
    CHECK(a.receiver == a.address + 10 && a.seen == a.address + 20);
    return slot;
}

static void put(void)
{
    int number, slot = claim(&number);

    if (slot < 0)
        return;
    buffer[number] = 1;
    atomic_store_explicit(&told[number], 1, memory_order_release);
}

static void put_two(void)
{
    put();
    put();
}

static void put_and_decline(void)
{
    int number, slot = claim(&number);

    if (slot < 0)
        return;
    buffer[number] = 1;
    advert_decline(&table, slot);
    atomic_store_explicit(&told[number], 1, memory_order_release); /* the message comes as usual */
}

/* The owner needs the buffer, or what the writer has written there. */
static void get_back(int slot, int number)
{
    if (advert_withdraw(&table, slot)) {
        buffer[number] = 2;
        return;
    }
    AWAIT(atomic_load_explicit(&told[number], memory_order_acquire));
    CHECK(advert_free(&table, slot));
    CHECK(buffer[number] == 1);
    buffer[number] = 2;
}

static void post_and_get_back(void)
{
    int first = post(0), second = post(1);

    get_back(first, 0);
    get_back(second, 1);
}

/* The second advert lies where the first one was. */
static void post_in_one_slot(void)
{
    get_back(post(0), 0);
    get_back(post(1), 1);
}

static void post_and_receive(void)
{
    int slot = post(0);

    if (!advert_withdraw(&table, slot)) {
        AWAIT(atomic_load_explicit(&told[0], memory_order_acquire));
        CHECK(advert_withdraw(&table, slot));
    }
    buffer[0] = 2;
}

static void post_two(void)
{
    post(0);
    post(1);
}

/* The slot of the second is the lower one: it is looked at first. */
static void post_two_backward(void)
{
    int lower = post(1);

    post(0);
    if (advert_withdraw(&table, lower))
        post(1);
}

static void claim_earliest(void)
{
    int first, second;

    if (claim(&first) < 0)
        return;
    CHECK(first == 0);
    if (claim(&second) >= 0)
        CHECK(second == 1);
}

static void claim_backward(void)
{
    int first, second;

    if (claim(&first) >= 0 && first == 0 && claim(&second) >= 0)
        CHECK(second == 1);
}

const struct scenario scenarios[] = {
    {"two adverts", NULL, {post_and_get_back, put_two}},
    {"a slot is used again", NULL, {post_in_one_slot, put}},
    {"the writer declines", NULL, {post_and_receive, put_and_decline}},
    {"the earliest first", NULL, {post_two, claim_earliest}},
    {"the earliest first, from the last slot", NULL, {post_two_backward, claim_backward}},
    {0}};
const char *const weakened_files[] = {"net/advert.c", NULL};
const struct spare spares[] = {{0}};
