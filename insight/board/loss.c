#include "insight/board/loss.h"

enum {
    BITS = BOARD_OVER * 64
};

/* Whether it is new. Relaxed: what is counted is ordered by the count. */
static bool set_bit(_Atomic uint64_t *set, uint64_t bit)
{
    uint64_t mask = UINT64_C(1) << bit % 64;

    return !(atomic_fetch_or_explicit(&set[bit / 64], mask, memory_order_relaxed) & mask);
}

static bool has_bit(const _Atomic uint64_t *set, uint64_t bit)
{
    return atomic_load_explicit(&set[bit / 64], memory_order_relaxed) >> bit % 64 & 1;
}

/* Release: pairs with loss_news. */
static void loss_count(struct loss *loss)
{
    atomic_fetch_add_explicit(&loss->news, 1, memory_order_release);
}

void loss_add_dead(struct board *of, int world)
{
    if (world >= 0 && world < BOARD_RANKS && set_bit(of->loss.dead, (uint64_t)world))
        loss_count(&of->loss);
}

bool loss_is_dead(int world)
{
    return world >= 0 && world < BOARD_RANKS && loss_news() > 0 && has_bit(board->loss.dead, (uint64_t)world);
}

static uint64_t bit_of(uint64_t number)
{
    return (number * 0x9e3779b97f4a7c15u >> 32) % BITS;
}

void loss_add_over(uint64_t number)
{
    if (set_bit(board->loss.over, bit_of(number)))
        loss_count(&board->loss);
}

void loss_add_revoked(uint64_t number)
{
    loss_add_over(number);
    if (set_bit(board->loss.revoked, bit_of(number)))
        loss_count(&board->loss);
}

bool loss_is_over(uint64_t number)
{
    return loss_news() > 0 && has_bit(board->loss.over, bit_of(number));
}

bool loss_is_revoked(uint64_t number)
{
    return loss_news() > 0 && has_bit(board->loss.revoked, bit_of(number));
}

enum rank_state loss_state_of(int world)
{
    /* acquire: pairs with the release in publish, hang.c */
    int state = atomic_load_explicit(&board->rank[world].state, memory_order_acquire);

    return loss_is_dead(world) ? RANK_LOST : (enum rank_state)state;
}
