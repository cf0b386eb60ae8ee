#include "coll/choice.h"

#include "base/json.h"
#include "hint/hint.h"

#include <limits.h>
#include <stdint.h>

#define COUNT_OF(rows) ((int)(sizeof(rows) / sizeof *(rows)))

enum {
    KIB = 1024,
    MIB = 1024 * 1024
};

/* The algorithms of each collective, in the order of the choices of its hint row; the last one is possible
 * wherever none before it is. Then its rules, tuned by bench/coll.c and bench/forms.c. Where ranks outnumber
 * cores, wake-ups cost more than messages: stars have the fewest. Rules for 17 to 64 ranks are from two
 * cores, but where mailboxes are only a little slower than a star they are used, since a star gets slower
 * than they are where each rank has a core. */
static const struct choice_algorithm barrier_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_STAR, 0, "rank 0 hears from all and tells all"},
    {ALGORITHM_TREE, 0, "up a binomial tree and down again"},
    {ALGORITHM_HOSTS, TRAIT_HOSTS, "a star in each host, dissemination between their leaders"},
    {ALGORITHM_DISSEMINATION, 0, "log2(ranks) rounds of exchanges"},
};
static const struct choice_rule barrier_rules[] = {
    {ALGORITHM_SHM, 0, SIZE_MAX, 2, 64},
    {ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {ALGORITHM_DISSEMINATION, 0, SIZE_MAX, 1, INT_MAX},
};

static const struct choice_algorithm bcast_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_SINGLE_COPY, TRAIT_DIRECT, "ranks of a host copy out of the root's buffer"},
    {ALGORITHM_SCATTER, 0, "scatters pieces, then gathers them everywhere round a ring"},
    {ALGORITHM_PIPELINE, 0, "portions travel along a chain of ranks"},
    {ALGORITHM_HOSTS, TRAIT_HOSTS, "a tree between hosts, then a tree in each"},
    {ALGORITHM_TREE, 0, "a binomial tree"},
};
static const struct choice_rule bcast_rules[] = {
    {ALGORITHM_SHM, 0, 32 * KIB, 2, 2},
    {ALGORITHM_SHM, 0, SIZE_MAX, 3, 64},
    {ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {ALGORITHM_TREE, 0, SIZE_MAX, 1, INT_MAX},
};

static const struct choice_algorithm reduce_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_SINGLE_COPY, TRAIT_DIRECT,
     "each rank of a host combines a piece of all vectors where they are, for the root"},
    {ALGORITHM_STAR, 0, "the root receives and combines all vectors"},
    {ALGORITHM_PIECES, TRAIT_COMMUTATIVE | TRAIT_ITEMS, "each rank combines a piece, the root gathers them"},
    {ALGORITHM_HOSTS, TRAIT_HOSTS | TRAIT_COMMUTATIVE, "a tree in each host, then one between them"},
    {ALGORITHM_TREE, 0, "a binomial tree"},
};
static const struct choice_rule reduce_rules[] = {
    {ALGORITHM_SHM, 0, 64 * KIB, 2, 2},
    {ALGORITHM_SHM, 0, 128 * KIB, 3, 5},
    {ALGORITHM_SHM, 0, 64 * KIB, 6, 16},
    {ALGORITHM_SHM, 0, 4 * KIB, 17, 64},
    {ALGORITHM_SINGLE_COPY, 128 * KIB, SIZE_MAX, 2, 2},
    {ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {ALGORITHM_PIECES, 64 * KIB, SIZE_MAX, 3, INT_MAX},
    {ALGORITHM_TREE, 0, SIZE_MAX, 1, INT_MAX},
};

static const struct choice_algorithm allreduce_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_SINGLE_COPY, TRAIT_DIRECT,
     "each rank of a host combines a piece of all vectors where they are, for all"},
    {ALGORITHM_STAR, 0, "rank 0 combines all vectors and sends the result"},
    {ALGORITHM_TREE, 0, "reduces to rank 0 and broadcasts, both along binomial trees"},
    {ALGORITHM_PIECES, TRAIT_COMMUTATIVE | TRAIT_ITEMS,
     "each rank combines a piece; they are gathered round a ring"},
    {ALGORITHM_HOSTS, TRAIT_HOSTS | TRAIT_COMMUTATIVE,
     "a tree in each host, doubling between their leaders, a tree back"},
    {ALGORITHM_DOUBLING, 0, "log2(ranks) exchanges of whole vectors"},
};
static const struct choice_rule allreduce_rules[] = {
    {ALGORITHM_SHM, 0, 8 * KIB, 2, 2},
    {ALGORITHM_SHM, 0, 16 * KIB, 3, 5},
    {ALGORITHM_SHM, 0, 64 * KIB, 6, 32},
    {ALGORITHM_SHM, 0, 16 * KIB, 33, 64},
    {ALGORITHM_SINGLE_COPY, 8 * KIB, SIZE_MAX, 2, 5},
    {ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 6, 64},
    {ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {ALGORITHM_STAR, 0, 2 * KIB, 3, 16},
    {ALGORITHM_STAR, 0, 256, 17, 64},
    {ALGORITHM_PIECES, 8 * KIB, SIZE_MAX, 2, 2},
    {ALGORITHM_PIECES, 64 * KIB, SIZE_MAX, 3, INT_MAX},
    {ALGORITHM_DOUBLING, 0, SIZE_MAX, 1, INT_MAX},
};

static const struct choice_algorithm allgather_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_SINGLE_COPY, TRAIT_DIRECT, "ranks of a host copy out of each other's buffers"},
    {ALGORITHM_STAR, 0, "rank 0 gathers and sends everything to all"},
    {ALGORITHM_BRUCK, TRAIT_EQUAL, "log2(ranks) rounds that double what a rank has"},
    {ALGORITHM_NEIGHBOUR, TRAIT_EVEN, "exchanges with the neighbours in turn, two blocks at a time"},
    {ALGORITHM_LINEAR, 0, "everybody sends to everybody at once"},
    {ALGORITHM_HOSTS, TRAIT_HOSTS, "leaders gather their host's blocks, exchange and broadcast them"},
    {ALGORITHM_RING, 0, "blocks travel round a ring"},
};
static const struct choice_rule allgather_rules[] = {
    {ALGORITHM_SHM, 0, 4 * KIB, 2, 2},
    {ALGORITHM_SHM, 0, 64 * KIB, 3, 5},
    {ALGORITHM_SHM, 0, 512 * KIB, 6, 16},
    {ALGORITHM_SHM, 0, 2 * MIB, 17, 64},
    {ALGORITHM_SINGLE_COPY, 16 * KIB, SIZE_MAX, 2, 2},
    {ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {ALGORITHM_RING, 0, SIZE_MAX, 1, 2},
    {ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {ALGORITHM_STAR, 0, 8 * KIB, 3, 16},
    {ALGORITHM_BRUCK, 0, 256 * KIB, 3, INT_MAX},
    {ALGORITHM_LINEAR, 0, 8 * KIB, 3, INT_MAX},
    {ALGORITHM_RING, 0, SIZE_MAX, 3, INT_MAX},
};

static const struct choice_algorithm alltoall_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_SINGLE_COPY, TRAIT_DIRECT, "ranks of a host copy out of each other's buffers"},
    {ALGORITHM_BRUCK, TRAIT_EQUAL | TRAIT_OUT_OF_PLACE, "log2(ranks) rounds of packed blocks"},
    {ALGORITHM_PAIRWISE, 0, "in round i with the i-th ranks behind and before"},
};
static const struct choice_rule alltoall_rules[] = {
    {ALGORITHM_SHM, 0, 4 * KIB, 2, 2},
    {ALGORITHM_SHM, 0, 32 * KIB, 3, 5},
    {ALGORITHM_SHM, 0, 64 * KIB, 6, 16},
    {ALGORITHM_SHM, 0, 256 * KIB, 17, 64},
    {ALGORITHM_SINGLE_COPY, 16 * KIB, SIZE_MAX, 2, 5},
    {ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 6, 64},
    {ALGORITHM_PAIRWISE, 0, SIZE_MAX, 1, INT_MAX},
};

static const struct choice_algorithm reduce_scatter_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_SINGLE_COPY, TRAIT_DIRECT,
     "each rank of a host combines its piece of all vectors where they are"},
    {ALGORITHM_TREE, 0, "reduces to rank 0, which scatters"},
    {ALGORITHM_PAIRWISE, TRAIT_COMMUTATIVE, "each piece to its owner, one after the other"},
    {ALGORITHM_LINEAR, 0, "each piece to its owner, all at once"},
};
static const struct choice_rule reduce_scatter_rules[] = {
    {ALGORITHM_SHM, 0, 8 * KIB, 2, 2},
    {ALGORITHM_SHM, 0, 64 * KIB, 3, 64},
    {ALGORITHM_SINGLE_COPY, 8 * KIB, SIZE_MAX, 2, 2},
    {ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {ALGORITHM_PAIRWISE, 0, SIZE_MAX, 1, 2},
    {ALGORITHM_LINEAR, 0, 8 * KIB, 2, 32},
    {ALGORITHM_PAIRWISE, 4 * KIB, SIZE_MAX, 2, INT_MAX},
    {ALGORITHM_TREE, 0, SIZE_MAX, 1, INT_MAX},
};

static const struct choice_algorithm gather_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_STAR, 0, "the root receives from all"},
};
static const struct choice_rule gather_rules[] = {
    {ALGORITHM_SHM, 0, 4 * KIB, 2, 64},
    {ALGORITHM_STAR, 0, SIZE_MAX, 1, INT_MAX},
};

static const struct choice_algorithm scatter_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_STAR, 0, "the root sends to all"},
};
static const struct choice_rule scatter_rules[] = {
    {ALGORITHM_SHM, 0, 8 * KIB, 2, 2},
    {ALGORITHM_SHM, 0, 32 * KIB, 3, 64},
    {ALGORITHM_STAR, 0, SIZE_MAX, 1, INT_MAX},
};

static const struct choice_algorithm scan_algorithms[] = {
    {ALGORITHM_SHM, TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    {ALGORITHM_PIPELINE, 0, "portions travel along a chain of ranks"},
};
static const struct choice_rule scan_rules[] = {
    {ALGORITHM_SHM, 0, 4 * KIB, 2, 4},
    {ALGORITHM_PIPELINE, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list choice_lists[COLL_COUNT] = {
    [COLL_BARRIER] = {"barrier", barrier_algorithms, COUNT_OF(barrier_algorithms), barrier_rules,
                      COUNT_OF(barrier_rules)},
    [COLL_BCAST] = {"bcast", bcast_algorithms, COUNT_OF(bcast_algorithms), bcast_rules,
                    COUNT_OF(bcast_rules)},
    [COLL_REDUCE] = {"reduce", reduce_algorithms, COUNT_OF(reduce_algorithms), reduce_rules,
                     COUNT_OF(reduce_rules)},
    [COLL_ALLREDUCE] = {"allreduce", allreduce_algorithms, COUNT_OF(allreduce_algorithms), allreduce_rules,
                        COUNT_OF(allreduce_rules)},
    [COLL_ALLGATHER] = {"allgather", allgather_algorithms, COUNT_OF(allgather_algorithms), allgather_rules,
                        COUNT_OF(allgather_rules)},
    [COLL_ALLTOALL] = {"alltoall", alltoall_algorithms, COUNT_OF(alltoall_algorithms), alltoall_rules,
                       COUNT_OF(alltoall_rules)},
    [COLL_REDUCE_SCATTER] = {"reduce_scatter", reduce_scatter_algorithms, COUNT_OF(reduce_scatter_algorithms),
                             reduce_scatter_rules, COUNT_OF(reduce_scatter_rules)},
    [COLL_GATHER] = {"gather", gather_algorithms, COUNT_OF(gather_algorithms), gather_rules,
                     COUNT_OF(gather_rules)},
    [COLL_SCATTER] = {"scatter", scatter_algorithms, COUNT_OF(scatter_algorithms), scatter_rules,
                      COUNT_OF(scatter_rules)},
    [COLL_SCAN] = {"scan", scan_algorithms, COUNT_OF(scan_algorithms), scan_rules, COUNT_OF(scan_rules)},
};

static const char *const algorithm_names[ALGORITHM_COUNT] = {[ALGORITHM_STAR] = "star",
                                                             [ALGORITHM_TREE] = "tree",
                                                             [ALGORITHM_DISSEMINATION] = "dissemination",
                                                             [ALGORITHM_SCATTER] = "scatter",
                                                             [ALGORITHM_PIPELINE] = "pipeline",
                                                             [ALGORITHM_DOUBLING] = "doubling",
                                                             [ALGORITHM_PIECES] = "pieces",
                                                             [ALGORITHM_RING] = "ring",
                                                             [ALGORITHM_BRUCK] = "bruck",
                                                             [ALGORITHM_NEIGHBOUR] = "neighbour",
                                                             [ALGORITHM_PAIRWISE] = "pairwise",
                                                             [ALGORITHM_LINEAR] = "direct",
                                                             [ALGORITHM_HOSTS] = "hosts",
                                                             [ALGORITHM_SHM] = "slots",
                                                             [ALGORITHM_SINGLE_COPY] = "reach"};

bool choice_synchronizes(enum collective collective)
{
    return collective != COLL_BCAST && collective != COLL_REDUCE && collective != COLL_GATHER &&
           collective != COLL_SCATTER && collective != COLL_SCAN;
}

const char *choice_algorithm_name(enum algorithm algorithm)
{
    return algorithm_names[algorithm];
}

/* The algorithm that the collective's row names, NULL for auto. */
static const struct choice_algorithm *choice_forced(const struct hints *h, enum collective collective)
{
    int64_t number = hint_value_here(h, (enum hint_id)(HINT_BARRIER + (int)collective));

    return number ? &choice_lists[collective].algorithm[number - 1] : NULL;
}

static bool choice_rule_fits(const struct choice_list *list, const struct choice_rule *r, size_t bytes,
                             int ranks, unsigned traits)
{
    const struct choice_algorithm *a = list->algorithm;

    if (bytes < r->from_bytes || bytes > r->to_bytes || ranks < r->from_ranks || ranks > r->to_ranks)
        return false;
    while (a->algorithm != r->algorithm)
        a++;
    return (a->needs & ~traits) == 0;
}

/* A row that names an algorithm of messages, even an impossible one, rules out shared memory. */
enum algorithm choice_make(const struct hints *h, enum collective collective, size_t bytes, int ranks,
                           unsigned traits)
{
    const struct choice_algorithm *forced = choice_forced(h, collective);
    const struct choice_list *list = &choice_lists[collective];
    const struct choice_rule *r = list->rule;

    if (forced && (forced->needs & ~traits) == 0)
        return forced->algorithm;
    if (forced)
        traits &= ~TRAIT_SHM;
    while (!choice_rule_fits(list, r, bytes, ranks, traits))
        r++;
    return r->algorithm;
}

size_t choice_bytes_below(const struct hints *h, enum collective collective, enum algorithm algorithm,
                          int ranks, unsigned traits)
{
    const struct choice_list *list = &choice_lists[collective];
    size_t below = 0;

    if (choice_forced(h, collective))
        return choice_make(h, collective, 0, ranks, traits) == algorithm ? SIZE_MAX : 0;
    for (int i = 0; i < list->rules && below < SIZE_MAX; i++) {
        const struct choice_rule *r = &list->rule[i];

        if (!choice_rule_fits(list, r, r->from_bytes, ranks, traits))
            continue;
        if (r->algorithm != algorithm || r->from_bytes > below)
            break;
        below = r->to_bytes == SIZE_MAX ? SIZE_MAX : r->to_bytes + 1;
    }
    return below;
}

static void format_range(char *text, size_t size, size_t from, size_t to, size_t lowest, size_t highest)
{
    const char *unit = from % KIB == 0 && (to == highest || to % KIB == 0) && highest == SIZE_MAX ? "K" : "";
    size_t divisor = *unit ? KIB : 1;

    if (from <= lowest && to == highest)
        snprintf(text, size, "any");
    else if (from == to)
        snprintf(text, size, "%zu%s", to / divisor, unit);
    else if (to == highest)
        snprintf(text, size, "from %zu%s", from / divisor, unit);
    else if (from <= lowest)
        snprintf(text, size, "to %zu%s", to / divisor, unit);
    else
        snprintf(text, size, "%zu%s to %zu%s", from / divisor, unit, to / divisor, unit);
}

static const char *describe_needs(unsigned needs)
{
    static char text[160];

    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", needs & TRAIT_COMMUTATIVE ? " commutative operations" : "",
             needs & TRAIT_ITEMS ? " an item for each rank" : "", needs & TRAIT_EQUAL ? " equal blocks" : "",
             needs & TRAIT_OUT_OF_PLACE ? " not in place" : "",
             needs & TRAIT_EVEN ? " an even number of ranks" : "",
             needs & TRAIT_HOSTS ? " several hosts" : "", needs & TRAIT_SHM ? " one host" : "");
    return text;
}

static void print_rules(FILE *out, const struct choice_list *list)
{
    for (const struct choice_rule *r = list->rule; r < list->rule + list->rules; r++) {
        char bytes[32], ranks[32];

        format_range(bytes, sizeof bytes, r->from_bytes, r->to_bytes, 0, SIZE_MAX);
        format_range(ranks, sizeof ranks, (size_t)r->from_ranks, (size_t)r->to_ranks, 1, INT_MAX);
        fprintf(out, "%-16s%-16s%-16s%s\n", list->name, bytes, ranks, algorithm_names[r->algorithm]);
    }
}

static void print_algorithms(FILE *out, const struct choice_list *list)
{
    for (const struct choice_algorithm *a = list->algorithm; a < list->algorithm + list->algorithms; a++)
        fprintf(out, "%-16s%-16s%s%s%s\n", list->name, algorithm_names[a->algorithm], a->text,
                a->needs ? "; needs" : "", describe_needs(a->needs));
}

static void print_json_range(FILE *out, const char *name, uint64_t from, uint64_t to, uint64_t highest)
{
    fprintf(out, ", \"from_%s\": %llu, \"to_%s\": ", name, (unsigned long long)from, name);
    if (to == highest)
        fprintf(out, "null");
    else
        fprintf(out, "%llu", (unsigned long long)to);
}

/* before: what stands before the next one. */
static const char *print_json_rules(FILE *out, const struct choice_list *list, const char *before)
{
    for (const struct choice_rule *r = list->rule; r < list->rule + list->rules; r++) {
        fprintf(out, "%s\n  ", before);
        json_write_member(out, "{", "collective", list->name);
        json_write_member(out, ", ", "algorithm", algorithm_names[r->algorithm]);
        print_json_range(out, "bytes", r->from_bytes, r->to_bytes, SIZE_MAX);
        print_json_range(out, "ranks", (uint64_t)r->from_ranks, (uint64_t)r->to_ranks, INT_MAX);
        fprintf(out, "}");
        before = ",";
    }
    return before;
}

static const char *print_json_algorithms(FILE *out, const struct choice_list *list, const char *before)
{
    for (const struct choice_algorithm *a = list->algorithm; a < list->algorithm + list->algorithms; a++) {
        fprintf(out, "%s\n  ", before);
        json_write_member(out, "{", "collective", list->name);
        json_write_member(out, ", ", "algorithm", algorithm_names[a->algorithm]);
        json_write_member(out, ", ", "text", a->text);
        json_write_member(out, ", ", "needs", a->needs ? describe_needs(a->needs) + 1 : "");
        fprintf(out, "}");
        before = ",";
    }
    return before;
}

void choice_print_json(FILE *out)
{
    const char *before = "";

    fprintf(out, "{\"rules\": [");
    for (int c = 0; c < COLL_COUNT; c++)
        before = print_json_rules(out, &choice_lists[c], before);
    fprintf(out, "],\n\"algorithms\": [");
    before = "";
    for (int c = 0; c < COLL_COUNT; c++)
        before = print_json_algorithms(out, &choice_lists[c], before);
    fprintf(out, "]}\n");
}

void choice_print(FILE *out)
{
    fprintf(out, "What is taken: the first row that fits and is possible.\n\n%-16s%-16s%-16s%s\n",
            "collective", "bytes", "ranks", "algorithm");
    for (int c = 0; c < COLL_COUNT; c++)
        print_rules(out, &choice_lists[c]);
    fprintf(
        out,
        "\nWhat there is; INKLING_ALLREDUCE=tree and the like take another one where it is possible.\n\n");
    for (int c = 0; c < COLL_COUNT; c++)
        print_algorithms(out, &choice_lists[c]);
    fprintf(out,
            "\nBytes are those of the largest buffer of a rank: the whole vector, or all blocks together.\n");
}
