/* ranks: 2 4 8 timeout: 120 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Atomicity of accumulates while all ranks work on the same items, with more ranks than cores: tickets of
 * MPI_Fetch_and_op are each given once; what MPI_Compare_and_swap says of every size; sums made by
 * compare-and-swap loops; exchanged values that get neither lost nor doubled; vectors whose elements change
 * under MPI_Accumulate of others. */
#include "rma_types.h"

enum {
    TURNS = 400,
    ELEMENTS = 1000
};

/* Every old value is another one, and a rank's own ones rise. */
static void tickets(const struct window *w, int owner)
{
    int64_t one = 1, ticket, before = -1, sum = 0, all = 0, total = (int64_t)TURNS * size;
    signed char *taken = calloc((size_t)total, 1);

    CHECK(taken != NULL);
    if (rank == owner)
        memset(w->base, 0, 8);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, w->win));
    for (int i = 0; i < TURNS; i++) {
        OK(MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, owner, window_at(w, owner, 0), MPI_SUM, w->win));
        OK(MPI_Win_flush(owner, w->win));
        CHECK(ticket > before && ticket < total);
        before = ticket;
        taken[ticket] = 1;
        sum += ticket;
    }
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(all, total * (total - 1) / 2);
    OK(MPI_Allreduce(MPI_IN_PLACE, taken, (int)total, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD));
    for (int64_t i = 0; i < total; i++)
        CHECK_EQ(taken[i], 1);
    free(taken);
}

/* Each size: equal swaps, different does not, and the old value comes back; neighbours stay. */
static void swap_each_size(const struct window *w)
{
    int count, to = (rank + 1) % size;
    const struct predefined *types = predefined_types(&count);

    for (int i = 0; i < count; i++) {
        const struct predefined *t = &types[i];
        _Alignas(16) unsigned char three[16], five[16], result[16];
        MPI_Aint at = window_at(w, to, t->bytes);
        long double a, b;

        if (!(t->group & (INTEGER | FORTRAN_INTEGER | LOGICAL | BYTE | MULTI)))
            continue;
        store(t, three, t->group == LOGICAL ? 0 : 3, 0);
        store(t, five, t->group == LOGICAL ? 1 : -5, 0);
        memset(w->base, 0x77, 64);
        store(t, w->base + t->bytes, t->group == LOGICAL ? 0 : 3, 0);
        OK(MPI_Win_fence(0, w->win));
        OK(MPI_Compare_and_swap(three, five, result, t->type, to, at, w->win)); /* is not -5 */
        OK(MPI_Win_fence(0, w->win));
        CHECK(memcmp(result, three, (size_t)t->bytes) == 0);
        CHECK(memcmp(w->base + t->bytes, three, (size_t)t->bytes) == 0);
        OK(MPI_Win_fence(0, w->win));
        OK(MPI_Compare_and_swap(five, three, result, t->type, to, at, w->win)); /* is 3 */
        OK(MPI_Win_fence(0, w->win));
        CHECK(memcmp(result, three, (size_t)t->bytes) == 0);
        CHECK(memcmp(w->base + t->bytes, five, (size_t)t->bytes) == 0);
        load(t, w->base + t->bytes, &a, &b);
        CHECK(a == (t->group == LOGICAL ? 1 : -5));
        CHECK(w->base[t->bytes - 1] == 0x77 && w->base[2 * t->bytes] == 0x77);
        OK(MPI_Win_fence(0, w->win));
    }
}

/* A sum, by a loop round MPI_Compare_and_swap, on a value of `bytes` bytes among others' of that size. */
static void sum_by_swaps(const struct window *w, MPI_Datatype type, int bytes)
{
    int64_t old, seen, next, turns = TURNS / 8, owner = size - 1;
    MPI_Aint at = window_at(w, (int)owner, 3 * bytes);

    memset(w->base, 0, 64);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, w->win));
    for (int i = 0; i < turns; i++) {
        old = 0;
        for (;;) {
            seen = 0;
            next = old + 1;
            OK(MPI_Compare_and_swap(&next, &old, &seen, type, (int)owner, at, w->win));
            OK(MPI_Win_flush((int)owner, w->win));
            if (memcmp(&seen, &old, (size_t)bytes) == 0)
                break;
            old = seen;
        }
    }
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    if (rank == owner) {
        seen = turns * size;
        CHECK(memcmp(w->base + 3 * bytes, &seen, (size_t)bytes) == 0);
    }
    for (int i = 0; i < 3 * bytes; i++)
        CHECK_EQ(w->base[i], 0);
    OK(MPI_Win_unlock(rank, w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Values wander through one place by MPI_REPLACE: what went in came out once, or is the last. */
static void exchanged_values(const struct window *w)
{
    int64_t in, out, sums[2] = {0, 0}, all[2];

    memset(w->base, 0, 8);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, w->win));
    for (int i = 0; i < TURNS; i++) {
        in = ((int64_t)rank << 32) + i + 1;
        OK(MPI_Fetch_and_op(&in, &out, MPI_INT64_T, 0, window_at(w, 0, 0), MPI_REPLACE, w->win));
        OK(MPI_Win_flush(0, w->win));
        sums[0] += in;
        sums[1] += out;
    }
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Allreduce(sums, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
    OK(MPI_Get(&out, 8, MPI_BYTE, 0, window_at(w, 0, 0), 8, MPI_BYTE, w->win));
    OK(MPI_Win_unlock(0, w->win));
    CHECK_EQ(all[0], all[1] + out);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Long vectors of all ranks at once, two types of access: each element of the sum is right, and what
 * MPI_Get_accumulate returns for an element is a value that it once had. */
static void vectors(const struct window *w)
{
    double *ones = malloc(ELEMENTS * sizeof *ones), *old = malloc(ELEMENTS * sizeof *old);

    CHECK(ones && old);
    for (int i = 0; i < ELEMENTS; i++)
        ones[i] = 1 + i % 3;
    memset(w->base, 0, ELEMENTS * sizeof(double));
    OK(MPI_Win_fence(0, w->win));
    for (int round = 0; round < 10; round++)
        for (int to = 0; to < size; to++) {
            OK(MPI_Accumulate(ones, ELEMENTS, MPI_DOUBLE, to, window_at(w, to, 0), ELEMENTS, MPI_DOUBLE,
                              MPI_SUM, w->win));
            OK(MPI_Accumulate(ones, 1, MPI_DOUBLE, to, window_at(w, to, 0), 1, MPI_DOUBLE, MPI_SUM, w->win));
        }
    OK(MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, old, ELEMENTS, MPI_DOUBLE, 0, window_at(w, 0, 0), ELEMENTS,
                          MPI_DOUBLE, MPI_NO_OP, w->win));
    OK(MPI_Win_fence(0, w->win));
    for (int i = 0; i < ELEMENTS; i++) {
        double each = ones[i], got = ((double *)(void *)w->base)[i], times = i ? 1 : 2;

        CHECK(got == 10 * size * each * times);
        CHECK(old[i] >= 10 * each * times && old[i] <= got && (int)old[i] % (int)each == 0);
    }
    OK(MPI_Win_fence(0, w->win));
    free(ones), free(old);
}

/* The owner works on its own memory by the same calls as the others. */
static void owner_takes_part(const struct window *w)
{
    int zero = 0, mine = rank + 1, seen, swapped;

    memset(w->base, 0, 4);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
    OK(MPI_Compare_and_swap(&mine, &zero, &seen, MPI_INT, 0, window_at(w, 0, 0), w->win));
    OK(MPI_Win_unlock(0, w->win));
    mine = seen == 0 ? rank + 1 : 0;
    swapped = seen == 0;
    OK(MPI_Allreduce(MPI_IN_PLACE, &swapped, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(swapped, 1); /* one rank found 0, */
    OK(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
    OK(MPI_Fetch_and_op(NULL, &seen, MPI_INT, 0, window_at(w, 0, 0), MPI_NO_OP, w->win));
    OK(MPI_Win_unlock(0, w->win));
    CHECK_EQ(seen, mine); /* and its value stays */
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, ELEMENTS * sizeof(double), 1, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        tickets(&w, 0);
        tickets(&w, size - 1);
        swap_each_size(&w);
        sum_by_swaps(&w, MPI_INT16_T, 2);
        sum_by_swaps(&w, MPI_INT32_T, 4);
        sum_by_swaps(&w, MPI_INT64_T, 8);
        exchanged_values(&w);
        vectors(&w);
        owner_takes_part(&w);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
