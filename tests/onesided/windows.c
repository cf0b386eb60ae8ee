#include "windows.h"

static const char *const ways[] = {"create", "create over MPI_Alloc_mem", "allocate", "allocate_shared",
                                   "dynamic"};

static void hint(struct tested *t, MPI_Info info, const char *key, const char *value)
{
    size_t used = strlen(t->description);

    OK(MPI_Info_set(info, key, value));
    snprintf(t->description + used, sizeof t->description - used, " %s=%s", key, value);
}

/* Sizes and units are the same where that is promised. */
static MPI_Info draw_hints(struct tested *t)
{
    static const char *const orders[] = {"none", "rar,waw", "raw", "rar,raw,war,waw"};
    static const char *const granularities[] = {"1", "4", "8", "64", "4096", "1000000"};
    static const char *const alignments[] = {"8", "256", "4096"};
    int order = draw(8), granularity = draw(12), unit = 1 << draw(3);
    MPI_Info info;

    OK(MPI_Info_create(&info));
    t->without_locks = draw(4) == 0;
    t->model.is_ordered = order > 2;
    t->model.fetches_with_no_op = draw(4) != 0;
    t->guard = 64 * (t->rank + 1);
    for (int r = 0; r < t->model.ranks; r++)
        t->units[r] = t->way == DYNAMIC ? 1 : 1 << draw(3);
    if (t->without_locks)
        hint(t, info, "no_locks", "true");
    if (order < 4)
        hint(t, info, "accumulate_ordering", orders[order]);
    if (!t->model.fetches_with_no_op)
        hint(t, info, "accumulate_ops", "same_op");
    if (granularity < 6)
        hint(t, info, "mpi_accumulate_granularity", granularities[granularity]);
    if (draw(3) == 0) {
        hint(t, info, "same_size", "true");
        t->guard = 64;
    }
    if (draw(3) == 0) {
        hint(t, info, "same_disp_unit", "true");
        for (int r = 0; r < t->model.ranks && t->way != DYNAMIC; r++)
            t->units[r] = unit;
    }
    if (draw(3) == 0)
        hint(t, info, "alloc_shared_noncontig", "true");
    for (int r = 0; r < t->model.ranks; r++) {
        int alignment = draw(6);

        if (alignment < 3 && r == t->rank)
            hint(t, info, "mpi_minimum_memory_alignment", alignments[alignment]);
    }
    return info;
}

/* In up to three parts, side by side, that may begin anywhere. */
static void attach_half(struct tested *t, int half)
{
    int bytes = BYTES / 2 + t->guard, at = 0, end;

    for (int part = 0; part < 3; part++, at = end) {
        end = part < 2 ? draw(2) * draw(BYTES / 2) : bytes;
        end = end > at ? end : at;
        if (end == at)
            continue;
        OK(MPI_Win_attach(t->win, t->half[half] + at, end - at));
        t->part[half][part] = t->half[half] + at;
    }
}

static void attach(struct tested *t)
{
    MPI_Aint mine[2];

    for (int i = 0; i < 2; i++) {
        if (i)
            OK(MPI_Alloc_mem(BYTES / 2 + t->guard, MPI_INFO_NULL, &t->half[i]));
        else
            CHECK((t->half[i] = malloc((size_t)(BYTES / 2 + t->guard))) != NULL);
        attach_half(t, i);
        OK(MPI_Get_address(t->half[i], &mine[i]));
    }
    OK(MPI_Allgather(mine, 2, MPI_AINT, t->address, 2, MPI_AINT, t->comm));
}

static void make(struct tested *t, MPI_Info info)
{
    MPI_Aint bytes = BYTES + t->guard;
    int unit = t->units[t->rank];

    if (t->way == IN_HEAP)
        OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &t->half[0]));
    if (t->way == CREATED)
        CHECK((t->half[0] = malloc((size_t)bytes)) != NULL);
    if (t->way == CREATED || t->way == IN_HEAP)
        OK(MPI_Win_create(t->half[0], bytes, unit, info, t->comm, &t->win));
    if (t->way == ALLOCATED)
        OK(MPI_Win_allocate(bytes, unit, info, t->comm, &t->half[0], &t->win));
    if (t->way == SHARED)
        OK(MPI_Win_allocate_shared(bytes, unit, info, t->comm, &t->half[0], &t->win));
    if (t->way == DYNAMIC) {
        OK(MPI_Win_create_dynamic(info, t->comm, &t->win));
        attach(t);
    } else {
        t->half[1] = t->half[0] + BYTES / 2;
    }
}

void tested_open(struct tested *t)
{
    int is_reversed = draw(2);
    MPI_Info info;

    memset(t, 0, sizeof *t);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, is_reversed ? -rank : rank, &t->comm));
    OK(MPI_Comm_rank(t->comm, &t->rank));
    t->model.ranks = size;
    t->way = (enum way)draw(WAYS);
    if (t->way == SHARED && !shares_memory(MPI_COMM_WORLD))
        t->way = ALLOCATED;
    snprintf(t->description, sizeof t->description, "%s%s", ways[t->way], is_reversed ? ", reversed" : "");
    info = draw_hints(t);
    make(t, info);
    OK(MPI_Info_free(&info));
    memset(t->half[1] + BYTES / 2, 0xa5, (size_t)t->guard);
    if (t->way == DYNAMIC)
        memset(t->half[0] + BYTES / 2, 0xa5, (size_t)t->guard);
    plan_fill(&t->model, t->units);
    tested_fill(t);
}

void tested_close(struct tested *t)
{
    if (t->way == DYNAMIC && draw(2))
        for (int i = 0; i < 6; i++)
            if (t->part[i / 3][i % 3])
                OK(MPI_Win_detach(t->win, t->part[i / 3][i % 3]));
    OK(MPI_Win_free(&t->win));
    OK(MPI_Comm_free(&t->comm));
    if (t->way == CREATED || t->way == DYNAMIC)
        free(t->half[0]);
    if (t->way == IN_HEAP)
        OK(MPI_Free_mem(t->half[0]));
    if (t->way == DYNAMIC)
        OK(MPI_Free_mem(t->half[1]));
}

MPI_Aint tested_at(const struct tested *t, int target, int slot, int byte)
{
    int at = slot * SLOT + byte, half = at >= BYTES / 2;

    if (t->way == DYNAMIC)
        return MPI_Aint_add(t->address[target][half], at - half * (BYTES / 2));
    return at / t->units[target];
}

void tested_fill(struct tested *t)
{
    for (int i = 0; i < 2; i++)
        memcpy(t->half[i], t->model.memory[t->rank] + i * (BYTES / 2), BYTES / 2);
    OK(MPI_Barrier(t->comm));
}

static void differs(const struct tested *t, int byte)
{
    const struct slot *slot = &t->model.slot[t->rank][byte / SLOT];

    fprintf(stderr, "window: %s; rank %d, slot %d, byte %d, item of %d bytes, use %d, owner %d\n",
            t->description, t->rank, byte / SLOT, byte % SLOT, item_types[slot->type].bytes, (int)slot->use,
            slot->owner);
    CHECK(!"the memory differs from the model's");
}

void tested_check(const struct tested *t)
{
    const unsigned char *want = t->model.memory[t->rank];

    for (int i = 0; i < BYTES; i++)
        if (t->half[i >= BYTES / 2][i % (BYTES / 2)] != want[i])
            differs(t, i);
    for (int i = 0; i < t->guard; i++)
        CHECK_EQ(t->half[1][BYTES / 2 + i], 0xa5);
    for (int i = 0; i < t->guard && t->way == DYNAMIC; i++)
        CHECK_EQ(t->half[0][BYTES / 2 + i], 0xa5);
}
