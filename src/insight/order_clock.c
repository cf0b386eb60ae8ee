#include "insight/order_clock.h"

#include "insight/board.h"
#include "insight/process_state.h"

static uint64_t mine[ORDER_RANKS], interval = 1;

uint64_t order_interval(void)
{
    return interval;
}

bool order_is_known(int rank, uint64_t then)
{
    return rank < 0 || rank >= ORDER_RANKS || mine[rank] >= then;
}

static bool is_wanted;

void order_start(void)
{
    is_wanted = true;
}

static bool is_followed(void)
{
    return is_wanted && process.is_shared && process.size <= ORDER_RANKS;
}

/* Release: who reads the clock sees what went before. */
void order_tell(void)
{
    struct board_rank *r = &board->rank[process.rank];

    if (!is_followed())
        return;
    mine[process.rank] = interval++;
    for (int i = 0; i < process.size; i++)
        atomic_store_explicit(&r->clock[i], mine[i], memory_order_release);
}

void order_learn(int rank)
{
    if (!is_followed() || rank < 0 || rank == process.rank)
        return;
    for (int i = 0; i < process.size; i++) {
        uint64_t then = atomic_load_explicit(&board->rank[rank].clock[i], memory_order_acquire);

        if (mine[i] < then)
            mine[i] = then;
    }
}

void order_learn_all(const struct comm_record *comm)
{
    for (int i = 0; comm && comm->world && i < comm->targets; i++)
        order_learn(comm->world[i]);
}
