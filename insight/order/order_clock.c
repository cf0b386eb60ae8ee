#include "insight/order/order_clock.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"

enum {
    CLOCKS_OF_ALL = 1, /* bits of the board's word */
    CLOCKS_BLIND = 2
};

static uint64_t mine[ORDER_RANKS], interval = 1;
static bool is_wanted;

uint64_t order_interval(void)
{
    return interval;
}

bool order_is_known(int rank, uint64_t then)
{
    return rank < 0 || rank >= ORDER_RANKS || mine[rank] >= then || order_is_given_up();
}

uint64_t order_known(int rank)
{
    return rank < ORDER_RANKS ? mine[rank] : 0;
}

void order_start(void)
{
    is_wanted = true;
}

/* Release: who hears of what comes after it finds the bit set. */
static void set_for_all(uint32_t bit)
{
    if (!(atomic_load_explicit(&board->clocks, memory_order_relaxed) & bit))
        atomic_fetch_or_explicit(&board->clocks, bit, memory_order_release);
}

/* Acquire: pairs with set_for_all. */
static bool is_set_for_all(uint32_t bit)
{
    return atomic_load_explicit(&board->clocks, memory_order_acquire) & bit;
}

void order_start_all(void)
{
    set_for_all(CLOCKS_OF_ALL);
}

void order_give_up(void)
{
    set_for_all(CLOCKS_BLIND);
}

bool order_is_given_up(void)
{
    return is_set_for_all(CLOCKS_BLIND);
}

static bool is_followed(void)
{
    return (is_wanted || is_set_for_all(CLOCKS_OF_ALL)) && process.is_shared && process.size <= ORDER_RANKS;
}

/* Release: who reads the clock sees what went before. */
static void publish_clock(void)
{
    struct board_rank *r = &board->rank[process.rank];

    for (int i = 0; i < process.size && is_followed(); i++)
        atomic_store_explicit(&r->clock[i], mine[i], memory_order_release);
}

__attribute__((noinline)) static void tell_followed(void)
{
    mine[process.rank] = interval++;
    publish_clock();
}

void order_tell(void)
{
    if (is_followed())
        tell_followed();
}

void order_tell_receive(void)
{
    if (is_set_for_all(CLOCKS_OF_ALL))
        order_tell();
}

/* Release: pairs with order_learn_kept. */
void order_keep(_Atomic uint64_t *clock)
{
    for (int i = 0; i < process.size && is_followed(); i++)
        atomic_store_explicit(&clock[i], mine[i], memory_order_release);
}

/* Release: pairs with order_learn_kept. Relaxed: the board's lock is held by whoever writes. */
void order_add(_Atomic uint64_t *clock)
{
    for (int i = 0; i < process.size && is_followed(); i++)
        if (atomic_load_explicit(&clock[i], memory_order_relaxed) < mine[i])
            atomic_store_explicit(&clock[i], mine[i], memory_order_release);
}

/* Acquire: pairs with order_keep, order_add and publish_clock. */
void order_learn_kept(_Atomic uint64_t *clock)
{
    for (int i = 0; i < process.size && is_followed(); i++) {
        uint64_t then = atomic_load_explicit(&clock[i], memory_order_acquire);

        if (mine[i] < then)
            mine[i] = then;
    }
}

void order_learn(int rank)
{
    if (rank >= 0 && rank != process.rank && is_followed())
        order_learn_kept(board->rank[rank].clock);
}

void order_learn_all(const struct comm_record *comm)
{
    for (int i = 0; comm && comm->world && i < comm->targets; i++)
        order_learn(comm->world[i]);
}

/* Never 0. */
static uint64_t name_of_call(uint64_t number, uint64_t turn)
{
    return (number * 0x9e3779b97f4a7c15u + turn) | 1u << 31;
}

/* Release: pairs with read_entered, which sees that the clock is being written if it sees any of it. */
void order_enter(uint64_t number, uint64_t turn)
{
    static uint64_t count;
    struct board_entered *e;

    if (!is_followed())
        return;
    e = &board->entered[process.rank][count++ % BOARD_ENTERED];
    atomic_store_explicit(&e->call, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    order_keep(e->clock);
    atomic_store_explicit(&e->call, name_of_call(number, turn), memory_order_release);
}

/* Whether it was still there when all of it had been read. */
static bool read_entered(struct board_entered *e, uint64_t call, uint64_t *clock)
{
    /* acquire: pairs with order_enter */
    if (atomic_load_explicit(&e->call, memory_order_acquire) != call)
        return false;
    for (int i = 0; i < process.size; i++)
        clock[i] = atomic_load_explicit(&e->clock[i], memory_order_acquire);
    return atomic_load_explicit(&e->call, memory_order_relaxed) == call;
}

static bool learn_clock_of(int rank, uint64_t call)
{
    uint64_t clock[ORDER_RANKS];
    int slot = 0;

    while (slot < BOARD_ENTERED && !read_entered(&board->entered[rank][slot], call, clock))
        slot++;
    for (int i = 0; slot < BOARD_ENTERED && i < process.size; i++)
        if (mine[i] < clock[i])
            mine[i] = clock[i];
    return slot < BOARD_ENTERED;
}

void order_leave(const struct comm_record *comm, uint64_t number, uint64_t turn)
{
    uint64_t call = name_of_call(number, turn);

    for (int i = 0; comm && comm->world && is_followed() && i < comm->targets; i++)
        if (comm->world[i] >= 0 && comm->world[i] != process.rank && !learn_clock_of(comm->world[i], call))
            order_learn(comm->world[i]);
}
