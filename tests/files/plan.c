#include "plan.h"

const char *const plan_names[KINDS] = {"independent", "collective", "ordered",     "race",      "conflict",
                                       "view",        "size",       "preallocate", "atomicity", "seek",
                                       "seek shared", "info",       "open"};

static struct touched touched;
static unsigned tags;

/* Files and views */

void plan_file(struct model *m, int size)
{
    static const int64_t bases[] = {
        0, 0, 4096, ((int64_t)1 << 31) - 1000, ((int64_t)1 << 32) - 20000, (int64_t)5 << 30};

    memset(m, 0, sizeof *m);
    m->size = size;
    m->base = bases[draw(6)];
    m->end = -m->base;
}

static void rewind_all(struct model *m, int64_t to)
{
    for (int r = 0; r < m->size; r++)
        m->pointer[r] = to;
    m->shared = to;
}

void plan_default_view(struct model *m, bool is_append)
{
    m->etype = (struct etype){.type = MPI_BYTE, .is_plain = true, .leaves = 1};
    m->etype.leaf[0] = (struct leaf){MPI_BYTE, 1, 0, 1, 0};
    m->etype.bytes = m->etype.extent = m->etype.file_bytes = m->etype.file_extent = 1;
    m->is_external = false;
    m->is_common = true;
    for (int r = 0; r < m->size; r++) {
        m->view[r].layout = layout_random(&m->etype, 0);
        m->view[r].begin = -m->base;
    }
    rewind_all(m, is_append ? m->base + m->end : 0);
}

void plan_free_view(struct model *m)
{
    for (int r = 0; r < m->size; r++)
        layout_free(&m->view[r].layout);
    etype_free(&m->etype);
}

static int64_t some_begin(void)
{
    return draw(3) ? draw(200) : draw(5000);
}

void plan_view(struct model *m)
{
    int style = draw(3), begin;
    int64_t common = some_begin();
    uint64_t seed = (uint64_t)draw(1 << 30);

    plan_free_view(m);
    m->is_external = MPI_VERSION >= 5 && draw(4) == 0; /* others write what lies beside the buffer */
    m->etype = etype_random(m->is_external);
    m->is_common = style == 0;
    for (int r = 0; r < m->size; r++) {
        struct view *v = &m->view[r];

        v->begin = common;
        if (style == 0) { /* the same draws again */
            layout_seed(seed);
            v->layout = layout_random(&m->etype, 3);
        } else if (style == 1) {
            v->layout = layout_part(&m->etype, m->size, r, seed, &begin);
            v->begin += (int64_t)begin * m->etype.file_extent;
        } else {
            v->layout = layout_random(&m->etype, 3);
            v->begin = some_begin();
        }
    }
    for (int r = 0; r < m->size; r++)
        for (int i = 1; i < m->view[r].layout.n; i++)
            CHECK(m->view[r].layout.slot[i] > m->view[r].layout.slot[i - 1]);
    rewind_all(m, 0);
}

/* Accesses */

static int some_count(void)
{
    switch (draw(12)) {
    case 0:
        return 0;
    case 1:
        return ETYPES_MAX;
    case 2:
    case 3:
        return 64 + draw(1000);
    case 4:
    case 5:
    case 6:
        return 8 + draw(56);
    default:
        return 1 + draw(8);
    }
}

static struct access some_access(int rank, enum position position, bool is_write)
{
    return (struct access){.rank = rank,
                           .position = position,
                           .is_write = is_write,
                           .is_large = draw(2),
                           .tag = tags++,
                           .memory = draw(8),
                           .argument = draw(1000)};
}

static void place_access(struct access *a, const struct model *m, int64_t shared)
{
    int64_t room;

    if (a->position == EXPLICIT) {
        room = model_room(m, a->rank, 0);
        a->offset = draw(4) && room ? draw((int)room) : draw(room < 8 ? 1 : 8);
    } else {
        a->offset = a->position == SHARED ? shared : m->pointer[a->rank];
    }
    a->count = some_count();
    room = model_room(m, a->rank, a->offset);
    if (a->count > room)
        a->count = (int)room;
    room = model_end(m, a->rank) - a->offset - 1;
    if (MPI_VERSION < 5 && !a->is_write && a->count > room) /* others count what is after the end too */
        a->count = room < 0 ? 0 : (int)room;
}

/* The pointer moves, and the model does what the access does. */
static void apply(struct plan *p, struct model *m, struct access *a)
{
    if (a->position == INDIVIDUAL)
        m->pointer[a->rank] += a->count;
    if (a->position == SHARED)
        m->shared += a->count;
    if (a->is_write)
        model_write(m, a);
    else
        model_read(m, a);
    /* A read that returns at the end of the file leaves the pointer there; one that is only begun cannot know. */
    if (!a->is_write && a->position == INDIVIDUAL && a->form == BLOCKING)
        m->pointer[a->rank] -= a->count - a->known / m->etype.bytes;
    p->access[p->count++] = *a;
}

/* Adds it, with a count of 0 where it would touch what others do. */
static void add(struct plan *p, struct model *m, struct access *a)
{
    for (int tries = 0; tries < 3; tries++) {
        place_access(a, m, m->shared);
        if (touched_add(&touched, m, a)) {
            apply(p, m, a);
            return;
        }
    }
    a->count = 0;
    apply(p, m, a);
}

static void independent(struct plan *p, struct model *m)
{
    int sharer = m->is_common ? draw(m->size) : -1, most = 1 + draw(3);

    for (int r = 0; r < m->size; r++)
        for (int i = draw(most + 1); i > 0; i--) {
            enum position position = r == sharer && draw(2) ? SHARED : draw(2) ? EXPLICIT : INDIVIDUAL;
            struct access a = some_access(r, position, draw(5) < 3);

            a.form = draw(2) ? BLOCKING : NONBLOCKING;
            add(p, m, &a);
        }
}

static void collective(struct plan *p, struct model *m)
{
    enum form form = draw(2) ? BLOCKING : draw(2) ? NONBLOCKING : SPLIT;
    int calls = form == SPLIT ? 1 : 1 + draw(2);

    if (MPI_VERSION < 5 && form == NONBLOCKING) /* others lose bytes */
        calls = 1;
    for (int i = 0; i < calls; i++) {
        bool is_write = draw(5) < 3;
        enum position position = draw(2) ? EXPLICIT : INDIVIDUAL;

        for (int r = 0; r < m->size; r++) {
            struct access a = some_access(r, position, is_write);

            a.form = form;
            a.is_collective = true;
            add(p, m, &a);
        }
    }
    for (int r = 0; r < m->size && form == SPLIT; r++) /* between begin and end */
        if (draw(3) == 0) {
            struct access a = some_access(r, draw(2) ? EXPLICIT : INDIVIDUAL, draw(2));

            add(p, m, &a);
        }
}

static void ordered(struct plan *p, struct model *m)
{
    bool is_write = draw(5) < 3, is_split = draw(3) == 0;

    for (int r = 0; r < m->size; r++) {
        struct access a = some_access(r, SHARED, is_write);

        a.form = is_split ? SPLIT : BLOCKING;
        a.is_collective = true;
        add(p, m, &a);
    }
}

/* Races: the model follows when the outcome is known. */

static void race(struct plan *p, struct model *m)
{
    bool is_write = draw(2);
    int64_t room = model_room(m, 0, m->shared), each = room / m->size;
    int same = 1 + draw(30);

    if (each < 1)
        return;
    if (same > each)
        same = (int)each;
    if (!is_write && (m->base + m->end <= 0 || model_end(m, 0) <= m->shared + same * m->size))
        return;
    for (int r = 0; r < m->size; r++) {
        struct access a = some_access(r, SHARED, is_write);

        a.form = draw(2) ? BLOCKING : NONBLOCKING;
        a.count = is_write ? 1 + draw((int)(each < 40 ? each : 40)) : same;
        a.offset = m->shared;
        p->access[p->count++] = a;
    }
    for (int r = 0; r < m->size; r++)
        m->shared += p->access[r].count;
}

void plan_race_written(struct plan *p, struct model *m, const unsigned char *bytes)
{
    int64_t at = p->access[0].offset;
    bool is_done[RANKS] = {false};

    for (int turn = 0; turn < m->size; turn++) {
        /* The model never ends before the place that a race has written. */
        int r = bytes[model_place(m, 0, at)] & 7;

        CHECK(r < m->size);
        CHECK(!is_done[r]);
        is_done[r] = true;
        p->access[r].offset = at;
        model_write(m, &p->access[r]);
        at += p->access[r].count;
    }
}

/* Writes in atomic mode: of two that conflict, one is as if after the other, everywhere. */

static void conflict(struct plan *p, struct model *m)
{
    bool is_collective = draw(2);
    enum position position = draw(2) ? EXPLICIT : INDIVIDUAL;

    for (int r = 0; r < m->size; r++) {
        struct access a = some_access(r, position, true);

        a.is_collective = is_collective;
        place_access(&a, m, m->shared);
        if (position == EXPLICIT && a.offset > 8)
            a.offset = draw(8);
        if (position == INDIVIDUAL)
            m->pointer[r] += a.count;
        p->access[p->count++] = a;
    }
}

static unsigned char written[RANKS][SPAN];
static bool is_written[RANKS][SPAN];

/* What the file would be with this access alone. */
static void write_alone(const struct model *m, const struct access *a)
{
    static struct model alone, other;

    alone = *m;
    other = *m;
    memset(alone.file, 0x07, SPAN); /* nobody's bytes: nobody is rank 7 */
    memset(other.file, 0x0f, SPAN);
    model_write(&alone, a);
    model_write(&other, a);
    for (int b = 0; b < SPAN; b++) {
        is_written[a->rank][b] = alone.file[b] == other.file[b];
        written[a->rank][b] = alone.file[b];
    }
}

/* Which rank wrote the byte that is there; -1: none should. */
static int writer_of(const struct model *m, int b, unsigned char byte)
{
    bool is_anyones = false;

    for (int r = 0; r < m->size; r++) {
        is_anyones = is_anyones || is_written[r][b];
        if (is_written[r][b] && written[r][b] == byte)
            return r;
    }
    if (is_anyones)
        fprintf(stderr, "byte %d of the file is %#x, which nobody wrote\n", b, byte);
    CHECK(!is_anyones);
    return -1;
}

void plan_conflict_written(struct plan *p, struct model *m, const unsigned char *bytes)
{
    bool is_after[RANKS][RANKS] = {{false}};

    for (int r = 0; r < m->size; r++)
        write_alone(m, &p->access[r]);
    for (int b = 0; b < SPAN; b++) {
        int last = writer_of(m, b, bytes[b]);

        for (int r = 0; r < m->size && last >= 0; r++)
            if (r != last && is_written[r][b])
                is_after[last][r] = true;
    }
    for (int k = 0; k < m->size; k++)
        for (int i = 0; i < m->size; i++)
            for (int j = 0; j < m->size; j++)
                is_after[i][j] = is_after[i][j] || (is_after[i][k] && is_after[k][j]);
    for (int r = 0; r < m->size; r++)
        CHECK(!is_after[r][r]);
    for (int r = 0; r < m->size; r++)
        model_write(m, &p->access[r]); /* for the file's size */
    for (int b = 0; b < SPAN; b++)
        for (int r = 0; r < m->size; r++)
            if (is_written[r][b])
                m->file[b] = bytes[b];
}

/* Everything else */

static void resize(struct plan *p, struct model *m)
{
    int64_t end = draw(3) ? draw(SPAN) : draw(300);

    p->value = end;
    if (p->kind == PREALLOCATE && end <= m->end)
        return;
    for (int64_t b = end; b < SPAN; b++)
        m->file[b] = 0;
    m->end = end;
}

static int64_t seek_to(const struct model *m, int rank, int64_t pointer, int *whence, int64_t *offset)
{
    int64_t room = model_room(m, rank, 0), to = room && draw(8) ? draw((int)room) : draw(2000);

    *whence = draw(3) == 0 ? MPI_SEEK_SET : draw(2) ? MPI_SEEK_CUR : MPI_SEEK_END;
    *offset = *whence == MPI_SEEK_SET ? to : to - (*whence == MPI_SEEK_CUR ? pointer : model_end(m, rank));
    return to;
}

static void seek(struct plan *p, struct model *m)
{
    for (int r = 0; r < m->size; r++)
        m->pointer[r] = seek_to(m, r, m->pointer[r], &p->whence[r], &p->offset[r]);
}

static enum kind some_kind(const struct model *m)
{
    static const enum kind kinds[] = {INDEPENDENT, INDEPENDENT, INDEPENDENT, INDEPENDENT, COLLECTIVE,
                                      COLLECTIVE,  COLLECTIVE,  COLLECTIVE,  COLLECTIVE,  ORDERED,
                                      ORDERED,     RACE,        CONFLICT,    CONFLICT,    VIEW,
                                      VIEW,        VIEW,        SIZE,        PREALLOCATE, ATOMICITY,
                                      SEEK,        SEEK,        SEEK_SHARED, INFO,        OPEN};
    enum kind k = kinds[draw((int)(sizeof kinds / sizeof *kinds))];

    if ((k == ORDERED || k == RACE || k == SEEK_SHARED) && !m->is_common)
        return COLLECTIVE;
    if (k == CONFLICT && !m->is_atomic)
        return INDEPENDENT;
    return k == PREALLOCATE && m->base ? SIZE : k; /* the base is not to take room */
}

void plan_round(struct plan *p, struct model *m)
{
    p->kind = some_kind(m);
    p->count = 0;
    touched_begin(&touched, m);
    switch (p->kind) {
    case INDEPENDENT:
        independent(p, m);
        break;
    case COLLECTIVE:
        collective(p, m);
        break;
    case ORDERED:
        ordered(p, m);
        break;
    case RACE:
        race(p, m);
        break;
    case CONFLICT:
        conflict(p, m);
        break;
    case SIZE:
    case PREALLOCATE:
        resize(p, m);
        break;
    case ATOMICITY:
        m->is_atomic = draw(2);
        break;
    case SEEK:
        seek(p, m);
        break;
    case SEEK_SHARED:
        m->shared = seek_to(m, 0, m->shared, &p->whence[0], &p->offset[0]);
        break;
    default:
        break;
    }
}

void plan_free(struct plan *p)
{
    for (int i = 0; i < p->count; i++)
        free(p->access[i].data);
}
