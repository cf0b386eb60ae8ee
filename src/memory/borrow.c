#include "memory/borrow.h"

#include "base/lock.h"

#include <string.h>

struct borrowed {
    struct loan loan;
    void *at;      /* NULL: it was refused */
    uint64_t used; /* when, last; 0: this place is empty */
    int owner;
    int users; /* under way */
};

static struct borrowed place[BORROWED_MAX]; /* guarded by lock, and so is what follows */
static uint64_t now;
static unsigned long asked;
static struct lock lock = LOCK_INIT;

static void borrow_empty(struct borrowed *b)
{
    if (b->at)
        kind_table[b->loan.kind].device->give_back(b->at);
    *b = (struct borrowed){0};
}

static bool overlaps(const struct loan *a, const struct loan *b)
{
    return a->base < b->base + b->bytes && b->base < a->base + a->bytes;
}

/* What the owner has freed, since something else lies there now. */
static void drop_stale(int owner, const struct loan *loan)
{
    for (struct borrowed *b = place; b < place + BORROWED_MAX; b++)
        if (b->used && !b->users && b->owner == owner && b->loan.kind == loan->kind &&
            b->loan.id != loan->id && overlaps(&b->loan, loan))
            borrow_empty(b);
}

static struct borrowed *borrow_find(int owner, const struct loan *loan)
{
    for (struct borrowed *b = place; b < place + BORROWED_MAX; b++)
        if (b->used && b->owner == owner && memcmp(&b->loan, loan, sizeof *loan) == 0)
            return b;
    return NULL;
}

/* An empty place, or that of the one that was not used for longest; NULL: all are in use. */
static struct borrowed *borrow_make_room(void)
{
    struct borrowed *oldest = NULL;

    for (struct borrowed *b = place; b < place + BORROWED_MAX; b++)
        if (!b->users && (!oldest || b->used < oldest->used))
            oldest = b;
    if (oldest)
        borrow_empty(oldest);
    return oldest;
}

static struct borrowed *borrow_ask(int owner, const struct loan *loan, const void *beside)
{
    struct borrowed *b;

    drop_stale(owner, loan);
    b = borrow_make_room();
    if (!b)
        return NULL;
    asked++;
    *b = (struct borrowed){.loan = *loan, .owner = owner};
    b->at = kind_table[loan->kind].device->borrow(loan, beside);
    return b;
}

struct borrowed *borrow_begin(int owner, const struct loan *loan, uint64_t address, size_t bytes,
                              const void *beside, const void **at)
{
    uint64_t from = address - loan->base;
    struct borrowed *b;

    if (from > loan->bytes || bytes > loan->bytes - from)
        return NULL;
    lock_always_take(&lock);
    b = borrow_find(owner, loan);
    if (!b)
        b = borrow_ask(owner, loan, beside);
    if (b) {
        b->used = ++now;
        if (b->at)
            b->users++;
        else
            b = NULL;
    }
    if (b)
        *at = (const char *)b->at + from;
    lock_always_release(&lock);
    return b;
}

void borrow_end(struct borrowed *b)
{
    lock_always_take(&lock);
    b->users--;
    lock_always_release(&lock);
}

static void forget_if(bool all, int owner)
{
    lock_always_take(&lock);
    for (struct borrowed *b = place; b < place + BORROWED_MAX; b++)
        if (b->used && !b->users && (all || b->owner == owner))
            borrow_empty(b);
    lock_always_release(&lock);
}

void borrow_forget(int owner)
{
    forget_if(false, owner);
}

void borrow_forget_all(void)
{
    forget_if(true, 0);
}

int borrow_count(void)
{
    int count = 0;

    lock_always_take(&lock);
    for (const struct borrowed *b = place; b < place + BORROWED_MAX; b++)
        count += b->at != NULL;
    lock_always_release(&lock);
    return count;
}

unsigned long borrow_asked(void)
{
    unsigned long times;

    lock_always_take(&lock);
    times = asked;
    lock_always_release(&lock);
    return times;
}
