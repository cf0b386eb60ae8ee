#include "model.h"

int64_t model_place(const struct model *m, int rank, int64_t k)
{
    const struct view *v = &m->view[rank];

    return v->begin + layout_slot(&v->layout, k) * m->etype.file_extent;
}

/* Where what etype k occupies ends. */
static int64_t place_after(const struct model *m, int rank, int64_t k)
{
    const struct leaf *last = &m->etype.leaf[m->etype.leaves - 1];

    return model_place(m, rank, k) + last->file_at + last->file_size;
}

int64_t model_room(const struct model *m, int rank, int64_t offset)
{
    int64_t low = 0, high = SPAN + 1;

    while (low < high - 1) { /* places grow with k */
        int64_t middle = (low + high) / 2;

        if (place_after(m, rank, offset + middle - 1) <= SPAN)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t model_end(const struct model *m, int rank)
{
    int64_t low = -1, high = 4 * SPAN;

    while (low < high - 1) {
        int64_t middle = (low + high) / 2;

        if (model_place(m, rank, middle) + m->etype.leaf[0].file_at >= m->end)
            high = middle;
        else
            low = middle;
    }
    return high;
}

unsigned char model_byte(const struct access *a, int i)
{
    uint32_t x = ((uint32_t)i + 1) * 2654435761u ^ a->tag * 40503u;

    x ^= x >> 15;
    x *= 2246822519u;
    return (unsigned char)((x >> 13 & 0xf8u) | (unsigned)a->rank);
}

/* The bytes of one leaf in the file, from memory, and the other way. */
static void leaf_out(const struct leaf *l, bool is_external, const unsigned char *memory, unsigned char *file)
{
    for (int i = 0; i < l->file_size; i++)
        file[i] = is_external ? memory[l->file_size - 1 - i] : memory[i];
}

static void leaf_in(const struct leaf *l, bool is_external, const unsigned char *file, unsigned char *memory)
{
    for (int i = 0; i < l->size; i++)
        if (i < l->file_size)
            memory[i] = is_external ? file[l->file_size - 1 - i] : file[i];
        else
            memory[i] = memory[l->file_size - 1] & 0x80 ? 0xff : 0; /* a sign */
}

void model_write(struct model *m, const struct access *a)
{
    unsigned char memory[16];
    int at = 0;

    for (int k = 0; k < a->count; k++) {
        int64_t place = model_place(m, a->rank, a->offset + k);

        for (int l = 0; l < m->etype.leaves; l++) {
            const struct leaf *leaf = &m->etype.leaf[l];

            for (int i = 0; i < leaf->size; i++)
                memory[i] = model_byte(a, at + i);
            leaf_out(leaf, m->is_external, memory, m->file + place + leaf->file_at);
            at += leaf->size;
            if (place + leaf->file_at + leaf->file_size > m->end)
                m->end = place + leaf->file_at + leaf->file_size;
        }
    }
}

void model_read(const struct model *m, struct access *a)
{
    int at = 0;

    a->known = -1;
    a->data = malloc((size_t)a->count * (size_t)m->etype.bytes + 1);
    CHECK(a->data != NULL);
    for (int k = 0; k < a->count; k++) {
        int64_t place = model_place(m, a->rank, a->offset + k);

        for (int l = 0; l < m->etype.leaves; l++) {
            const struct leaf *leaf = &m->etype.leaf[l];

            leaf_in(leaf, m->is_external, m->file + place + leaf->file_at, a->data + at);
            if (a->known < 0 && place + leaf->file_at + leaf->file_size > m->end)
                a->known = k * m->etype.bytes; /* data is accessed in whole etypes */
            at += leaf->size;
        }
    }
    if (a->known < 0)
        a->known = at;
}

void touched_begin(struct touched *t, const struct model *m)
{
    memset(t, 0, sizeof *t);
    t->end = m->end;
    memset(t->writer, -1, sizeof t->writer);
}

static bool byte_is_free(const struct touched *t, const struct access *a, int64_t b)
{
    if (t->writer[b] >= 0 && t->writer[b] != a->rank)
        return false;
    if (a->is_write && (t->readers[b] & ~(1u << a->rank)))
        return false;
    return t->is_pending[b] == 0 || (t->is_pending[b] == 1 && !a->is_write);
}

static void byte_take(struct touched *t, const struct access *a, int64_t b)
{
    if (a->is_write)
        t->writer[b] = (signed char)a->rank;
    else
        t->readers[b] |= (unsigned char)(1u << a->rank);
    if (a->form != BLOCKING)
        t->is_pending[b] |= a->is_write ? 2 : 1;
}

/* Takes every byte of the access, or asks whether each is free. */
static bool each_byte(struct touched *t, const struct model *m, const struct access *a, bool take)
{
    for (int k = 0; k < a->count; k++) {
        int64_t place = model_place(m, a->rank, a->offset + k);

        for (int l = 0; l < m->etype.leaves; l++)
            for (int i = 0; i < m->etype.leaf[l].file_size; i++) {
                int64_t b = place + m->etype.leaf[l].file_at + i;

                if (take)
                    byte_take(t, a, b);
                else if (!byte_is_free(t, a, b))
                    return false;
            }
    }
    return true;
}

bool touched_add(struct touched *t, const struct model *m, const struct access *a)
{
    int64_t after = a->count ? place_after(m, a->rank, a->offset + a->count - 1) : 0;
    bool is_past_end = after > t->end;

    /* What a read finds at the end depends on who comes first. */
    if (is_past_end && (a->is_write ? t->has_open_read : t->has_growth))
        return false;
    if (!each_byte(t, m, a, false))
        return false;
    each_byte(t, m, a, true);
    if (is_past_end)
        *(a->is_write ? &t->has_growth : &t->has_open_read) = true;
    return true;
}
