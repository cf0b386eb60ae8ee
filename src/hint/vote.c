#include "hint/vote.h"

#include "hint/coll_rules.h"
#include "hint/parse.h"
#include "hint/warn.h"

#include <stdio.h>

static struct vote vote_of_row(const struct hints *h, enum hint_id id, int rank)
{
    return (struct vote){.party[0] = {.word = (uint64_t)h->value[id], .ranks = 1, .first = rank}};
}

struct vote vote_of(const struct hints *h, int rank)
{
    struct vote v = {.party[0] = {.ranks = 1, .first = rank}, .rules_digest = coll_rules_digest(h)};
    int shift = 0;

    for (int id = hint_agreed_from(h, 0); id < HINT_COUNT; id = hint_agreed_from(h, id + 1)) {
        v.party[0].word |= (uint64_t)(h->value[id] + 1) << shift;
        shift += VOTE_BITS;
    }
    return v;
}

struct vote_rows vote_rows_of(const struct hints *h, int rank)
{
    struct vote_rows v = {0};
    int row = 0;

    for (int id = hint_agreed_from(h, 0); id < HINT_COUNT; id = hint_agreed_from(h, id + 1))
        v.row[row++] = vote_of_row(h, (enum hint_id)id, rank);
    return v;
}

static void add_party(struct vote *v, const struct vote_party *p)
{
    for (int i = 0; i < 2; i++) {
        struct vote_party *mine = &v->party[i];

        if (mine->ranks && mine->word != p->word)
            continue;
        if (!mine->ranks || p->first < mine->first)
            mine->first = p->first;
        mine->word = p->word;
        mine->ranks += p->ranks;
        return;
    }
    v->others += p->ranks;
}

void vote_add(struct vote *v, const struct vote *other)
{
    v->differs |= other->differs;
    v->rules_differ |= other->rules_differ;
    if (v->party[0].ranks && other->party[0].ranks && v->rules_digest != other->rules_digest)
        v->rules_differ = 1;
    if (!v->party[0].ranks)
        v->rules_digest = other->rules_digest;
    if (v->party[0].ranks && other->party[0].ranks)
        v->differs |= v->party[0].word ^ other->party[0].word;
    for (int i = 0; i < 2; i++)
        if (other->party[i].ranks)
            add_party(v, &other->party[i]);
    v->others += other->others;
}

void vote_rows_add(struct vote_rows *v, const struct vote_rows *other)
{
    for (int row = 0; row < VOTE_ROWS; row++)
        vote_add(&v->row[row], &other->row[row]);
}

bool vote_is_split(const struct vote *v)
{
    return v->party[0].ranks && v->party[1].ranks;
}

/* The smaller party; of two equal ones the one without the lowest rank. */
static int odd_party(const struct vote *v)
{
    const struct vote_party *a = &v->party[0], *b = &v->party[1];

    if (a->ranks != b->ranks)
        return a->ranks > b->ranks;
    return a->first < b->first;
}

const struct vote_party *vote_winner(const struct vote *v)
{
    return &v->party[vote_is_split(v) && odd_party(v) == 0];
}

/* "rank 2 has "true"", "3 ranks (the first is 0) have "false"" */
static void format_party(enum hint_id id, const struct vote_party *p, char *buffer, size_t size)
{
    int64_t word = (int64_t)p->word;
    char value[64];

    if (hint_table[id].on & ON_PROCESS && word == HINT_FOLLOWS)
        word = hint_process.value[id];
    hint_format_value(&hint_table[id], word, value, sizeof value);
    if (p->ranks == 1)
        snprintf(buffer, size, "rank %d has \"%s\"", p->first, value);
    else
        snprintf(buffer, size, "%d ranks (the first is %d) have \"%s\"", p->ranks, p->first, value);
}

/* `now`: the value in force. */
static void warn_of_split(const struct vote *v, const struct hints *h, enum hint_id id, const char *now)
{
    char odd[128], rest[128], others[64] = "", all[384] = "it is not";
    int which = odd_party(v);

    format_party(id, &v->party[which], odd, sizeof odd);
    format_party(id, &v->party[!which], rest, sizeof rest);
    if (v->others)
        snprintf(others, sizeof others, " and %d other values", v->others);
    if (vote_is_split(v))
        snprintf(all, sizeof all, "%s and %s%s", odd, rest, others);
    warn_of_key(h, hint_table[id].key,
                "info key \"%s\" must be the same on all ranks, but %s; it is \"%s\" now on all of them",
                hint_table[id].key, all, now);
}

static void settle_row(const struct vote *v, struct hints *h, enum hint_id id, int rank)
{
    char now[64] = "";

    if (!v->differs)
        return;
    hint_disagreed(h, id);
    if (rank != v->party[vote_is_split(v) ? odd_party(v) : 0].first)
        return;
    hint_format(h, id, now, sizeof now);
    warn_of_split(v, h, id, now);
}

/* What the ranks' words say about one row. The two parties may be at one about it while others differ. */
static struct vote vote_about(const struct vote *v, int shift)
{
    uint64_t mask = ((uint64_t)1 << VOTE_BITS) - 1;
    struct vote row = {.others = v->others, .differs = v->differs >> shift & mask};

    for (int i = 0; i < 2; i++) {
        struct vote_party p = v->party[i];

        p.word = (p.word >> shift & mask) - 1;
        if (p.ranks)
            add_party(&row, &p);
    }
    return row;
}

void vote_settle(const struct vote *v, struct hints *h, int rank)
{
    int shift = 0;

    if (v->rules_differ)
        coll_rules_disagreed(h, rank);
    if (!v->differs)
        return;
    for (int id = hint_agreed_from(h, 0); id < HINT_COUNT; id = hint_agreed_from(h, id + 1)) {
        struct vote row = vote_about(v, shift);

        settle_row(&row, h, (enum hint_id)id, rank);
        shift += VOTE_BITS;
    }
}

void vote_rows_settle(const struct vote_rows *v, struct hints *h, int rank)
{
    const struct vote *vote = v->row;

    for (int id = hint_agreed_from(h, 0); id < HINT_COUNT; id = hint_agreed_from(h, id + 1))
        settle_row(vote++, h, (enum hint_id)id, rank);
}
