#include "plan.h"

struct item_type item_types[TYPES];
static uint64_t state;

void plan_seed(uint64_t seed)
{
    const struct item_type types[TYPES] = {{MPI_UINT8_T, 1, false, false},  {MPI_INT8_T, 1, true, false},
                                           {MPI_UINT16_T, 2, false, false}, {MPI_INT16_T, 2, true, false},
                                           {MPI_UINT32_T, 4, false, false}, {MPI_INT, 4, true, false},
                                           {MPI_UINT64_T, 8, false, false}, {MPI_INT64_T, 8, true, false},
                                           {MPI_FLOAT, 4, true, true},      {MPI_DOUBLE, 8, true, true}};

    memcpy(item_types, types, sizeof types);
    state = seed;
}

int draw(int below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (unsigned)below);
}

static double get_real(const struct item_type *t, const unsigned char *at)
{
    double value;
    float single;

    if (t->bytes == 8) {
        memcpy(&value, at, 8);
        return value;
    }
    memcpy(&single, at, 4);
    return single;
}

static void set_real(const struct item_type *t, unsigned char *at, double value)
{
    float single = (float)value;

    memcpy(at, t->bytes == 8 ? (void *)&value : (void *)&single, (size_t)t->bytes);
}

static uint64_t get_whole(const struct item_type *t, const unsigned char *at)
{
    uint64_t value = 0;
    int bits = 64 - 8 * t->bytes;

    memcpy(&value, at, (size_t)t->bytes);
    return t->is_signed ? (uint64_t)((int64_t)(value << bits) >> bits) : value;
}

/* Small numbers around 0, so that signs matter: sums of a few rounds stay in all types but the unsigned ones, which may wrap. */
static void draw_item(const struct item_type *t, unsigned char *at, int below)
{
    int value = draw(below) - (t->is_signed ? below / 2 : 0);
    int64_t wide = value;

    if (t->is_real)
        set_real(t, at, value);
    else
        memcpy(at, &wide, (size_t)t->bytes);
}

static double combine_reals(MPI_Op op, double a, double b)
{
    if (op == MPI_SUM)
        return a + b;
    if (op == MPI_MAX)
        return a > b ? a : b;
    return a < b ? a : b;
}

static bool is_less(const struct item_type *t, uint64_t a, uint64_t b)
{
    return t->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t combine_whole(const struct item_type *t, MPI_Op op, uint64_t a, uint64_t b)
{
    if (op == MPI_SUM)
        return a + b;
    if (op == MPI_PROD)
        return a * b;
    if (op == MPI_MAX)
        return is_less(t, a, b) ? b : a;
    if (op == MPI_MIN)
        return is_less(t, b, a) ? b : a;
    if (op == MPI_BAND)
        return a & b;
    if (op == MPI_BOR)
        return a | b;
    if (op == MPI_BXOR)
        return a ^ b;
    if (op == MPI_LAND)
        return a && b;
    if (op == MPI_LOR)
        return a || b;
    return !a != !b;
}

static void combine(const struct item_type *t, MPI_Op op, unsigned char *at, const unsigned char *with)
{
    uint64_t value;

    if (op == MPI_NO_OP)
        return;
    if (op == MPI_REPLACE) {
        memcpy(at, with, (size_t)t->bytes);
    } else if (t->is_real) {
        set_real(t, at, combine_reals(op, get_real(t, at), get_real(t, with)));
    } else {
        value = combine_whole(t, op, get_whole(t, at), get_whole(t, with));
        memcpy(at, &value, (size_t)t->bytes);
    }
}

/* Room for one more sum of small numbers in every element of the slot. */
static bool may_add(const struct item_type *t, const unsigned char *at)
{
    for (int i = 0; i < SLOT; i += t->bytes) {
        double value = t->is_real ? get_real(t, at + i) : (double)(int64_t)get_whole(t, at + i);

        if (t->is_signed && (value > 60 || value < -60) && t->bytes == 1)
            return false;
        if (t->is_signed && (value > 15000 || value < -15000))
            return false;
    }
    return true;
}

static MPI_Op draw_op(const struct item_type *t, const unsigned char *at)
{
    const MPI_Op ops[] = {MPI_SUM,  MPI_SUM,  MPI_MAX, MPI_MIN,  MPI_BAND, MPI_BOR,
                          MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_PROD};
    MPI_Op op = ops[draw(t->is_real ? 4 : t->is_signed ? 10 : 11)];

    return op == MPI_SUM && !may_add(t, at) ? MPI_MIN : op;
}

void plan_fill(struct model *m, const int units[RANKS])
{
    for (int r = 0; r < m->ranks; r++)
        for (int s = 0; s < SLOTS; s++) {
            struct slot *slot = &m->slot[r][s];

            do
                slot->type = draw(TYPES);
            while (item_types[slot->type].bytes % units[r]);
            for (int i = 0; i < SLOT; i += item_types[slot->type].bytes)
                draw_item(&item_types[slot->type], &m->memory[r][s * SLOT + i], 8);
        }
}

static void draw_uses(struct plan *p, struct model *m)
{
    p->has_tickets = false;
    for (int r = 0; r < m->ranks; r++)
        for (int s = 0; s < SLOTS; s++) {
            struct slot *slot = &m->slot[r][s];
            const struct item_type *t = &item_types[slot->type];

            slot->touched = 0;
            slot->tickets = 0;
            slot->owner = draw(m->ranks);
            slot->use = (enum use)draw(USES);
            slot->op = draw_op(t, &m->memory[r][s * SLOT]);
            if (slot->use == COMMON && slot->op == MPI_SUM && t->bytes == 1 && t->is_signed)
                slot->op = MPI_MAX; /* too many sums for 7 bits */
            if (slot->use == COUNTER && (p->sync != LOCK_EXCLUSIVE || t->bytes < 2 || t->is_real))
                slot->use = OWN;
            if (slot->use != TICKETS)
                continue;
            if (p->has_tickets || t->bytes < 2 || t->is_real)
                slot->use = PLACE;
            else
                p->has_tickets = true, p->ticket_target = r, p->ticket_slot = s;
        }
}

static bool overlaps(const struct operation *o, const struct slot *slot)
{
    for (int i = 0; i < o->count; i++)
        if (slot->touched >> ((o->first + i * o->step) % 64) & 1)
            return true;
    return false;
}

/* What the model's memory has there, dense. */
static void read_items(const struct model *m, const struct operation *o, unsigned char *to)
{
    int bytes = item_types[o->type].bytes;

    for (int i = 0; i < o->count; i++)
        memcpy(to + i * bytes, &m->memory[o->target][o->slot * SLOT + (o->first + i * o->step) * bytes],
               (size_t)bytes);
}

static void apply(struct model *m, struct operation *o)
{
    const struct item_type *t = &item_types[o->type];
    unsigned char *slot = &m->memory[o->target][o->slot * SLOT];

    read_items(m, o, o->want);
    if (o->kind == GET)
        return;
    if (o->kind == INCREMENT) {
        combine(t, MPI_SUM, slot, o->data);
        return;
    }
    if (o->kind == COMPARE_AND_SWAP) {
        if (memcmp(slot + o->first * t->bytes, o->compare, (size_t)t->bytes) == 0)
            memcpy(slot + o->first * t->bytes, o->data, (size_t)t->bytes);
        return;
    }
    for (int i = 0; i < o->count; i++)
        combine(t, o->kind == PUT ? MPI_REPLACE : o->op, slot + (o->first + i * o->step) * t->bytes,
                o->data + i * t->bytes);
}

static void draw_place(struct operation *o, int elements)
{
    o->step = draw(3) ? 1 : 1 + draw(3);
    o->first = draw(elements);
    o->count = 1 + (draw(3) ? draw(PER_SLOT) : 0);
    while (o->first + (o->count - 1) * o->step >= elements)
        o->count = 1 + (o->count - 1) / 2;
}

static void only_one(struct operation *o)
{
    o->count = 1;
    o->step = 1;
}

/* What may be done in a slot that this origin has alone. */
static void draw_own(struct operation *o, const struct slot *slot, const unsigned char *at)
{
    const enum kind kinds[] = {ACCUMULATE, ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, COMPARE_AND_SWAP};
    const struct item_type *t = &item_types[slot->type];

    o->kind = kinds[draw(t->is_real ? 4 : 5)];
    o->op = draw(4) ? draw_op(t, at) : MPI_REPLACE;
    if ((o->kind == GET_ACCUMULATE || o->kind == FETCH_AND_OP) && draw(4) == 0)
        o->op = MPI_NO_OP;
    if (o->kind >= FETCH_AND_OP)
        only_one(o);
    if (o->kind == COMPARE_AND_SWAP) {
        memcpy(o->compare, at + o->first * t->bytes, (size_t)t->bytes);
        if (draw(3) == 0)
            o->compare[0] ^= 1;
    }
    o->is_known = true;
}

static void draw_common(const struct model *m, struct operation *o, const struct slot *slot)
{
    o->kind = draw(3) ? ACCUMULATE : draw(2) ? GET_ACCUMULATE : FETCH_AND_OP;
    o->op = slot->op;
    if (o->kind != ACCUMULATE && m->fetches_with_no_op && draw(3) == 0)
        o->op = MPI_NO_OP;
    if (o->kind == FETCH_AND_OP)
        only_one(o);
}

static void draw_tickets(struct operation *o, const struct item_type *t)
{
    o->kind = draw(2) ? FETCH_AND_OP : GET_ACCUMULATE;
    o->op = MPI_SUM;
    o->first = draw(4);
    o->count = o->kind == FETCH_AND_OP ? 1 : 1 + draw(4 - o->first);
    o->step = 1;
    for (int i = 0; i < 4; i++)
        memset(o->data + i * t->bytes, 0, (size_t)t->bytes), o->data[i * t->bytes] = 1;
}

static void draw_increment(struct operation *o)
{
    o->kind = INCREMENT;
    o->first = 0;
    only_one(o);
    memset(o->data, 0, 8);
    o->data[0] = 1;
}

/* Gets alone, or accumulates alone: those conflict. */
static void draw_reading(const struct model *m, struct operation *o, const struct slot *slot)
{
    bool is_got = (slot->owner + o->slot) % 2 || !m->fetches_with_no_op;

    o->kind = is_got ? GET : draw(2) ? GET_ACCUMULATE : FETCH_AND_OP;
    o->op = MPI_NO_OP;
    if (o->kind == FETCH_AND_OP)
        only_one(o);
    o->is_known = true;
}

/* Accumulates without order, and puts and gets, may not touch an element twice unless a flush is between; an
 * active target epoch has none. False: this operation cannot be. */
static bool keep_apart(const struct plan *p, const struct model *m, struct operation *o, struct slot *slot)
{
    if (slot->use != PLACE && (slot->use != OWN || m->is_ordered))
        return true;
    if (overlaps(o, slot)) {
        if (p->sync < LOCK)
            return false;
        o->flush_first = true;
        slot->touched = 0;
    }
    for (int i = 0; i < o->count; i++)
        slot->touched |= (uint64_t)1 << ((o->first + i * o->step) % 64);
    return true;
}

static bool draw_operation(struct plan *p, struct model *m, struct operation *o)
{
    struct slot *slot;
    const struct item_type *t;

    o->origin = draw(m->ranks);
    o->target = draw(m->ranks);
    o->slot = draw(SLOTS);
    slot = &m->slot[o->target][o->slot];
    t = &item_types[o->type = slot->type];
    o->use = slot->use;
    o->is_known = o->flush_first = false;
    if (o->use == OWN || o->use == PLACE)
        o->origin = slot->owner;
    if (p->sync == PSCW && !p->reaches[o->origin][o->target])
        return false;
    draw_place(o, SLOT / t->bytes);
    for (int i = 0; i < o->count; i++)
        draw_item(t, o->data + i * t->bytes, 4);
    if (o->use == READ)
        draw_reading(m, o, slot);
    else if (o->use == OWN)
        draw_own(o, slot, &m->memory[o->target][o->slot * SLOT]);
    else if (o->use == PLACE)
        o->kind = draw(2) ? PUT : GET, o->is_known = true;
    else if (o->use == COMMON)
        draw_common(m, o, slot);
    else if (o->use == TICKETS)
        draw_tickets(o, t);
    else
        draw_increment(o);
    o->origin_layout = draw(2) ? 0 : draw(3);
    o->is_large = draw(4) == 0;
    o->is_absolute = draw(4) == 0;
    o->is_request = p->sync >= LOCK && o->kind <= GET_ACCUMULATE && draw(4) == 0;
    return keep_apart(p, m, o, slot);
}

void plan_round(struct plan *p, struct model *m, int most, bool without_locks)
{
    p->sync = (enum sync)draw(without_locks ? PSCW + 1 : SYNCS);
    memcpy(m->before, m->memory, sizeof m->memory);
    for (int a = 0; a < RANKS; a++)
        for (int b = 0; b < RANKS; b++)
            p->reaches[a][b] = draw(2);
    draw_uses(p, m);
    p->variant = draw(1 << 16);
    p->count = 0;
    for (int i = 0; i < most; i++)
        if (draw_operation(p, m, &p->operation[p->count]))
            apply(m, &p->operation[p->count++]);
}
