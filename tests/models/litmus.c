/* The outcomes that C11 and x86-64 allow and forbid. x and y are 0 at first; r0 to r3 are what was read. */
#include "litmus.h"

#include "plain/cpu.h"

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define STRICT  memory_order_seq_cst

static _Atomic int x, y;
static int r0, r1, r2, r3, data;

#define STORE(at, value, order) atomic_store_explicit(&(at), value, order)
#define LOAD(at, order)         atomic_load_explicit(&(at), order)
#define FENCE(order)            atomic_thread_fence(order)

/* clang-format off */

/* Store buffering: each thread stores, and reads what the other stores. */
static void sb_x(void) { STORE(x, 1, RELAXED); r0 = LOAD(y, RELAXED); }
static void sb_y(void) { STORE(y, 1, RELAXED); r1 = LOAD(x, RELAXED); }
static void sb_ordered_x(void) { STORE(x, 1, RELEASE); r0 = LOAD(y, ACQUIRE); }
static void sb_ordered_y(void) { STORE(y, 1, RELEASE); r1 = LOAD(x, ACQUIRE); }
static void sb_fenced_x(void) { STORE(x, 1, RELAXED); FENCE(STRICT); r0 = LOAD(y, RELAXED); }
static void sb_fenced_y(void) { STORE(y, 1, RELAXED); FENCE(STRICT); r1 = LOAD(x, RELAXED); }
static void sb_half_fenced_x(void) { STORE(x, 1, RELAXED); FENCE(memory_order_acq_rel); r0 = LOAD(y, RELAXED); }
static void sb_strict_x(void) { STORE(x, 1, STRICT); r0 = LOAD(y, STRICT); }
static void sb_strict_y(void) { STORE(y, 1, STRICT); r1 = LOAD(x, STRICT); }
static void sb_changed_x(void) { atomic_exchange_explicit(&x, 1, memory_order_acq_rel); r0 = LOAD(y, ACQUIRE); }
static void sb_changed_y(void) { atomic_exchange_explicit(&y, 1, memory_order_acq_rel); r1 = LOAD(x, ACQUIRE); }
static void sb_signal_x(void) { STORE(x, 1, RELAXED); atomic_signal_fence(STRICT); r0 = LOAD(y, RELAXED); }
static void sb_membarrier_y(void) { STORE(y, 1, RELAXED); cpu_membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED); r1 = LOAD(x, RELAXED); }
static void neither_is_seen(void) { OUTCOME(r0 == 0 && r1 == 0); }

/* Message passing: y tells that x has been stored. */
static void mp_send(void) { STORE(x, 1, RELAXED); STORE(y, 1, RELAXED); }
static void mp_send_released(void) { STORE(x, 1, RELAXED); STORE(y, 1, RELEASE); }
static void mp_send_fenced(void) { STORE(x, 1, RELAXED); FENCE(RELEASE); STORE(y, 1, RELAXED); }
static void mp_receive(void) { r0 = LOAD(y, RELAXED); r1 = LOAD(x, RELAXED); }
static void mp_receive_acquired(void) { r0 = LOAD(y, ACQUIRE); r1 = LOAD(x, RELAXED); }
static void mp_receive_fenced(void) { r0 = LOAD(y, RELAXED); FENCE(ACQUIRE); r1 = LOAD(x, RELAXED); }
static void mp_send_plain(void) { data = 1; STORE(y, 1, RELEASE); }
static void mp_receive_plain(void) { r1 = LOAD(y, ACQUIRE) ? data : 1; }
static void mp_send_race(void) { data = 1; STORE(y, 1, RELAXED); }
static void mp_pass_on(void) { atomic_fetch_add_explicit(&y, 1, RELAXED); }
static void mp_pass_stored(void) { if (LOAD(y, RELAXED) == 1) STORE(y, 2, RELAXED); }
static void mp_receive_passed(void) { r0 = LOAD(y, ACQUIRE) == 2; r1 = LOAD(x, RELAXED); }
static void told_too_early(void) { OUTCOME(r0 == 1 && r1 == 0); }
static void not_told(void) { OUTCOME(r1 == 0); }

/* Load buffering: each thread reads what the other stores behind its own read. */
static void lb_x(void) { r0 = LOAD(x, RELAXED); STORE(y, 1, RELAXED); }
static void lb_y(void) { r1 = LOAD(y, RELAXED); STORE(x, 1, RELAXED); }
static void both_are_seen(void) { OUTCOME(r0 == 1 && r1 == 1); }

/* Two stores each, in opposite order. */
static void ww_x(void) { STORE(x, 1, RELAXED); STORE(y, 2, RELAXED); }
static void ww_y(void) { STORE(y, 1, RELAXED); STORE(x, 2, RELAXED); }
static void first_ones_stay(void) { OUTCOME(LOAD(x, RELAXED) == 1 && LOAD(y, RELAXED) == 1); }

/* Coherence: one word has one order. */
static void co_store(void) { STORE(x, 1, RELAXED); }
static void co_store_two(void) { STORE(x, 1, RELAXED); STORE(x, 2, RELAXED); }
static void co_read_two(void) { r0 = LOAD(x, RELAXED); r1 = LOAD(x, RELAXED); }
static void co_read_two_others(void) { r2 = LOAD(x, RELAXED); r3 = LOAD(x, RELAXED); }
static void co_store_other(void) { STORE(x, 2, RELAXED); }
static void co_store_and_read(void) { STORE(x, 1, RELAXED); r0 = LOAD(x, RELAXED); }
static void co_store_and_read_other(void) { STORE(x, 2, RELAXED); r1 = LOAD(x, RELAXED); }
static void co_read_and_store(void) { r0 = LOAD(x, RELAXED); STORE(x, 2, RELAXED); }
static void goes_back(void) { OUTCOME(r0 > r1); }
static void goes_forward(void) { OUTCOME(r0 == 1 && r1 == 2); }
static void own_is_behind(void) { OUTCOME(r0 == 2 && r1 == 1); }
static void sees_its_own(void) { OUTCOME(r0 == 2); }
static void two_orders(void) { OUTCOME(r0 == 1 && r1 == 2 && r2 == 2 && r3 == 1); }

/* Write to read causality: a third thread hears of the first one's store from the second. */
static void wrc_pass(void) { r0 = LOAD(x, RELAXED); STORE(y, 1, RELAXED); }
static void wrc_pass_ordered(void) { r0 = LOAD(x, ACQUIRE); STORE(y, 1, RELEASE); }
static void wrc_read(void) { r1 = LOAD(y, RELAXED); r2 = LOAD(x, RELAXED); }
static void wrc_read_acquired(void) { r1 = LOAD(y, ACQUIRE); r2 = LOAD(x, RELAXED); }
static void wrc_store_released(void) { STORE(x, 1, RELEASE); }
static void cause_is_missed(void) { OUTCOME(r0 == 1 && r1 == 1 && r2 == 0); }

/* Independent reads of independent writes: two readers see two stores in different orders. */
static void iriw_y(void) { STORE(y, 1, RELAXED); }
static void iriw_x_released(void) { STORE(x, 1, RELEASE); }
static void iriw_y_released(void) { STORE(y, 1, RELEASE); }
static void iriw_x_strict(void) { STORE(x, 1, STRICT); }
static void iriw_y_strict(void) { STORE(y, 1, STRICT); }
static void iriw_xy(void) { r0 = LOAD(x, ACQUIRE); r1 = LOAD(y, ACQUIRE); }
static void iriw_yx(void) { r2 = LOAD(y, ACQUIRE); r3 = LOAD(x, ACQUIRE); }
static void iriw_xy_strict(void) { r0 = LOAD(x, STRICT); r1 = LOAD(y, STRICT); }
static void iriw_yx_strict(void) { r2 = LOAD(y, STRICT); r3 = LOAD(x, STRICT); }
static void iriw_xy_fenced(void) { r0 = LOAD(x, RELAXED); FENCE(STRICT); r1 = LOAD(y, RELAXED); }
static void iriw_yx_fenced(void) { r2 = LOAD(y, RELAXED); FENCE(STRICT); r3 = LOAD(x, RELAXED); }
static void orders_differ(void) { OUTCOME(r0 == 1 && r1 == 0 && r2 == 1 && r3 == 0); }

/* Read-modify-writes are whole. */
static void add_one(void) { r0 = atomic_fetch_add_explicit(&x, 1, RELAXED); }
static void add_another(void) { r1 = atomic_fetch_add_explicit(&x, 1, RELAXED); }
static void take(void) { int none = 0; r0 = atomic_compare_exchange_strong_explicit(&x, &none, 1, RELAXED, RELAXED); }
static void take_as_well(void) { int none = 0; r1 = atomic_compare_exchange_strong_explicit(&x, &none, 2, RELAXED, RELAXED); }
static void both_were_first(void) { OUTCOME(r0 == r1); }
static void one_is_lost(void) { OUTCOME(LOAD(x, RELAXED) != 2); }

const struct litmus litmus[] = {
    {{"store buffering", NULL, {sb_x, sb_y}, neither_is_seen}, true, true},
    {{"store buffering, release and acquire", NULL, {sb_ordered_x, sb_ordered_y}, neither_is_seen}, true, true},
    {{"store buffering, fences", NULL, {sb_fenced_x, sb_fenced_y}, neither_is_seen}, false, false},
    {{"store buffering, a fence of one thread", NULL, {sb_fenced_x, sb_y}, neither_is_seen}, true, true},
    {{"store buffering, a fence of one is acq_rel", NULL, {sb_half_fenced_x, sb_fenced_y}, neither_is_seen}, true, true},
    {{"store buffering, seq_cst", NULL, {sb_strict_x, sb_strict_y}, neither_is_seen}, false, false},
    {{"store buffering, exchanges", NULL, {sb_changed_x, sb_changed_y}, neither_is_seen}, true, false},
    {{"store buffering, membarrier", NULL, {sb_signal_x, sb_membarrier_y}, neither_is_seen}, false, false},
    {{"store buffering, membarrier, no order of the compiler's", NULL, {sb_x, sb_membarrier_y}, neither_is_seen}, true, false},
    {{"message passing", NULL, {mp_send, mp_receive}, told_too_early}, true, false},
    {{"message passing, no release", NULL, {mp_send, mp_receive_acquired}, told_too_early}, true, false},
    {{"message passing, no acquire", NULL, {mp_send_released, mp_receive}, told_too_early}, true, false},
    {{"message passing, release and acquire", NULL, {mp_send_released, mp_receive_acquired}, told_too_early}, false, false},
    {{"message passing, fences", NULL, {mp_send_fenced, mp_receive_fenced}, told_too_early}, false, false},
    {{"message passing, a fence and an acquire", NULL, {mp_send_fenced, mp_receive_acquired}, told_too_early}, false, false},
    {{"message passing, of plain data", NULL, {mp_send_plain, mp_receive_plain}, not_told}, false, false},
    {{"message passing, of plain data, no release", NULL, {mp_send_race, mp_receive_plain}}, true, false},
    {{"message passing, through a change", NULL, {mp_send_released, mp_pass_on, mp_receive_passed}, told_too_early}, false, false},
    {{"message passing, through a store", NULL, {mp_send_released, mp_pass_stored, mp_receive_passed}, told_too_early}, true, false},
    {{"load buffering", NULL, {lb_x, lb_y}, both_are_seen}, false, false}, /* C11 allows it: not explored */
    {{"two stores each", NULL, {ww_x, ww_y}, first_ones_stay}, false, false}, /* C11 allows it: not explored */
    {{"coherence of reads", NULL, {co_store_two, co_read_two}, goes_back}, false, false},
    {{"coherence of reads, in order", NULL, {co_store_two, co_read_two}, goes_forward}, true, true},
    {{"coherence of stores and reads", NULL, {co_store_and_read, co_store_and_read_other}, own_is_behind}, false, false},
    {{"coherence of a read and a store", NULL, {co_read_and_store}, sees_its_own}, false, false},
    {{"coherence of four", NULL, {co_store, co_store_other, co_read_two, co_read_two_others}, two_orders}, false, false},
    {{"causality", NULL, {co_store, wrc_pass, wrc_read}, cause_is_missed}, true, false},
    {{"causality, the last orders nothing", NULL, {wrc_store_released, wrc_pass_ordered, wrc_read}, cause_is_missed}, true, false},
    {{"causality, release and acquire", NULL, {wrc_store_released, wrc_pass_ordered, wrc_read_acquired}, cause_is_missed}, false, false},
    {{"independent writes", NULL, {co_store, iriw_y, iriw_xy, iriw_yx}, orders_differ}, true, false},
    {{"independent writes, release and acquire", NULL, {iriw_x_released, iriw_y_released, iriw_xy, iriw_yx}, orders_differ}, true, false},
    {{"independent writes, fences of readers", NULL, {co_store, iriw_y, iriw_xy_fenced, iriw_yx_fenced}, orders_differ}, false, false},
    {{"independent writes, seq_cst", NULL, {iriw_x_strict, iriw_y_strict, iriw_xy_strict, iriw_yx_strict}, orders_differ}, false, false},
    {{"additions", NULL, {add_one, add_another}, both_were_first}, false, false},
    {{"no addition is lost", NULL, {add_one, add_another}, one_is_lost}, false, false},
    {{"compare-exchanges", NULL, {take, take_as_well}, both_were_first}, false, false},
    {{0}},
};
