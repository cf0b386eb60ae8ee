#include "insight/board/loss.h"
#include "insight/board/process_record.h"
#include "insight/wrap/wrap.h"
#include "plain/clock.h"

bool circle_awaits(const struct board_rank *r, int target)
{
    return r->targets[target / 64] >> target % 64 & 1;
}

static bool can_go_on(const struct board_rank *r, const bool *goes)
{
    bool any = false, all = true;

    for (int t = 0; t < process.size; t++) {
        if (!circle_awaits(r, t))
            continue;
        any |= goes[t];
        all &= goes[t];
    }
    return r->is_any ? any : all;
}

/* When each wrote what is read behind this, or something later: read afterwards, a watchdog that comes late would vouch for an entry that it has
 * just replaced. */
static void read_looked(uint64_t *looked)
{
    for (int i = 0; i < process.size; i++) /* acquire: pairs with the release in publish */
        looked[i] = atomic_load_explicit(&board->rank[i].looked, memory_order_acquire);
}

/* Marks who waits, and who can go on; returns who is the first that waits. */
static int read_states(bool *waits, bool *goes)
{
    int first = process.size;

    for (int i = process.size - 1; i >= 0; i--) {
        enum rank_state state = loss_state_of(i); /* who waits for one that is lost is told so */

        waits[i] = state == RANK_WAITING;
        goes[i] = !waits[i] && state != RANK_ENDED;
        if (waits[i])
            first = i;
    }
    return first;
}

/* Marks also those that wait for one that can go on; returns the first that cannot, -1: none. */
static int find_stuck(const bool *waits, bool *goes)
{
    bool changed = true;
    int first = 0;

    while (changed) {
        changed = false;
        for (int i = 0; i < process.size; i++) {
            if (goes[i] || !waits[i] || !can_go_on(&board->rank[i], goes))
                continue;
            goes[i] = changed = true;
        }
    }
    while (first < process.size && (goes[first] || !waits[first]))
        first++;
    return first < process.size ? first : -1;
}

static uint64_t sum_up(const bool *goes)
{
    uint64_t sum = 0;

    for (int i = 0; i < process.size; i++)
        sum += atomic_load_explicit(&board->rank[i].progress, memory_order_relaxed) +
               (uint64_t)goes[i] * 1000003;
    return sum;
}

/* On a crowded machine a watchdog may come late: what it said before is no proof. */
static bool have_looked(const bool *waits, const bool *goes, const uint64_t *looked, uint64_t since)
{
    for (int i = 0; i < process.size; i++)
        if (!goes[i] && waits[i] && looked[i] < since + PATIENCE_MS / 4)
            return false;
    return true;
}

int circle_find(struct circle *c, bool *goes)
{
    bool waits[BOARD_RANKS];
    uint64_t looked[BOARD_RANKS], sum, now;
    int waiting, stuck;

    read_looked(looked);
    waiting = read_states(waits, goes);
    stuck = find_stuck(waits, goes);
    atomic_thread_fence(memory_order_acquire); /* pairs with the fence in withdraw_entry */
    sum = sum_up(goes);
    now = clock_ns() / 1000000;
    if (stuck < 0 || waiting != process.rank || sum != c->sum) {
        *c = (struct circle){sum, now};
        return -1;
    }
    return now - c->since >= PATIENCE_MS / 2 && have_looked(waits, goes, looked, c->since) ? stuck : -1;
}
