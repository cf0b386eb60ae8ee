#include "coll/choice.h"

#include "hint/hint.h"

#include <limits.h>
#include <stdint.h>

enum {
    KIB = 1024,
    MIB = 1024 * 1024
};

/* For each collective in the order of the choices of its hint row; the last one is possible wherever none
 * before it is. */
const struct choice_algorithm choice_algorithms[] = {
    {COLL_BARRIER, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_BARRIER, ALGORITHM_STAR, 0, "rank 0 hears from all and tells all"},
    {COLL_BARRIER, ALGORITHM_TREE, 0, "up a binomial tree and down again"},
    {COLL_BARRIER, ALGORITHM_HOSTS, TRAIT_HOSTS, "a star in each host, dissemination between their leaders"},
    {COLL_BARRIER, ALGORITHM_DISSEMINATION, 0, "log2(ranks) rounds of exchanges"},

    {COLL_BCAST, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_BCAST, ALGORITHM_SINGLE_COPY, TRAIT_SHM, "ranks of a host copy out of the root's buffer"},
    {COLL_BCAST, ALGORITHM_SCATTER, 0, "scatters pieces, then gathers them everywhere round a ring"},
    {COLL_BCAST, ALGORITHM_PIPELINE, 0, "portions travel along a chain of ranks"},
    {COLL_BCAST, ALGORITHM_HOSTS, TRAIT_HOSTS, "a tree between hosts, then a tree in each"},
    {COLL_BCAST, ALGORITHM_TREE, 0, "a binomial tree"},

    {COLL_REDUCE, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_REDUCE, ALGORITHM_SINGLE_COPY, TRAIT_SHM,
     "each rank of a host combines a piece of all vectors where they are, for the root"},
    {COLL_REDUCE, ALGORITHM_STAR, 0, "the root receives and combines all vectors"},
    {COLL_REDUCE, ALGORITHM_PIECES, TRAIT_COMMUTATIVE | TRAIT_ITEMS,
     "each rank combines a piece, the root gathers them"},
    {COLL_REDUCE, ALGORITHM_HOSTS, TRAIT_HOSTS | TRAIT_COMMUTATIVE,
     "a tree in each host, then one between them"},
    {COLL_REDUCE, ALGORITHM_TREE, 0, "a binomial tree"},

    {COLL_ALLREDUCE, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_ALLREDUCE, ALGORITHM_SINGLE_COPY, TRAIT_SHM,
     "each rank of a host combines a piece of all vectors where they are, for all"},
    {COLL_ALLREDUCE, ALGORITHM_STAR, 0, "rank 0 combines all vectors and sends the result"},
    {COLL_ALLREDUCE, ALGORITHM_TREE, 0, "reduces to rank 0 and broadcasts, both along binomial trees"},
    {COLL_ALLREDUCE, ALGORITHM_PIECES, TRAIT_COMMUTATIVE | TRAIT_ITEMS,
     "each rank combines a piece; they are gathered round a ring"},
    {COLL_ALLREDUCE, ALGORITHM_HOSTS, TRAIT_HOSTS | TRAIT_COMMUTATIVE,
     "a tree in each host, doubling between their leaders, a tree back"},
    {COLL_ALLREDUCE, ALGORITHM_DOUBLING, 0, "log2(ranks) exchanges of whole vectors"},

    {COLL_ALLGATHER, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_ALLGATHER, ALGORITHM_SINGLE_COPY, TRAIT_SHM, "ranks of a host copy out of each other's buffers"},
    {COLL_ALLGATHER, ALGORITHM_STAR, 0, "rank 0 gathers and sends everything to all"},
    {COLL_ALLGATHER, ALGORITHM_BRUCK, TRAIT_EQUAL, "log2(ranks) rounds that double what a rank has"},
    {COLL_ALLGATHER, ALGORITHM_NEIGHBOUR, TRAIT_EVEN,
     "exchanges with the neighbours in turn, two blocks at a time"},
    {COLL_ALLGATHER, ALGORITHM_LINEAR, 0, "everybody sends to everybody at once"},
    {COLL_ALLGATHER, ALGORITHM_HOSTS, TRAIT_HOSTS,
     "leaders gather their host's blocks, exchange and broadcast them"},
    {COLL_ALLGATHER, ALGORITHM_RING, 0, "blocks travel round a ring"},

    {COLL_ALLTOALL, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_ALLTOALL, ALGORITHM_SINGLE_COPY, TRAIT_SHM, "ranks of a host copy out of each other's buffers"},
    {COLL_ALLTOALL, ALGORITHM_BRUCK, TRAIT_EQUAL | TRAIT_OUT_OF_PLACE, "log2(ranks) rounds of packed blocks"},
    {COLL_ALLTOALL, ALGORITHM_PAIRWISE, 0, "in round i with the i-th ranks behind and before"},

    {COLL_REDUCE_SCATTER, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_REDUCE_SCATTER, ALGORITHM_SINGLE_COPY, TRAIT_SHM,
     "each rank of a host combines its piece of all vectors where they are"},
    {COLL_REDUCE_SCATTER, ALGORITHM_TREE, 0, "reduces to rank 0, which scatters"},
    {COLL_REDUCE_SCATTER, ALGORITHM_PAIRWISE, TRAIT_COMMUTATIVE,
     "each piece to its owner, one after the other"},
    {COLL_REDUCE_SCATTER, ALGORITHM_LINEAR, 0, "each piece to its owner, all at once"},

    {COLL_GATHER, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_GATHER, ALGORITHM_STAR, 0, "the root receives from all"},

    {COLL_SCATTER, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_SCATTER, ALGORITHM_STAR, 0, "the root sends to all"},

    {COLL_SCAN, ALGORITHM_SHM, TRAIT_SHM, "through memory that the ranks of a host share"},
    {COLL_SCAN, ALGORITHM_PIPELINE, 0, "portions travel along a chain of ranks"},
};
const int choice_algorithm_count = sizeof choice_algorithms / sizeof *choice_algorithms;

/* Tuned by bench/coll.c and bench/forms.c. Where ranks outnumber cores, wake-ups cost more than messages:
 * stars have the fewest. Rules for 17 to 64 ranks are from two cores, but where mailboxes are only a little
 * slower than a star they are used, since a star gets slower than they do where each rank has a core. */
const struct choice_rule choice_rules[] = {
    {COLL_BARRIER, ALGORITHM_SHM, 0, SIZE_MAX, 2, 64},
    {COLL_BARRIER, ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {COLL_BARRIER, ALGORITHM_DISSEMINATION, 0, SIZE_MAX, 1, INT_MAX},

    {COLL_BCAST, ALGORITHM_SHM, 0, 32 * KIB, 2, 2},
    {COLL_BCAST, ALGORITHM_SHM, 0, SIZE_MAX, 3, 64},
    {COLL_BCAST, ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {COLL_BCAST, ALGORITHM_TREE, 0, SIZE_MAX, 1, INT_MAX},

    {COLL_REDUCE, ALGORITHM_SHM, 0, 64 * KIB, 2, 2},
    {COLL_REDUCE, ALGORITHM_SHM, 0, 128 * KIB, 3, 5},
    {COLL_REDUCE, ALGORITHM_SHM, 0, 64 * KIB, 6, 16},
    {COLL_REDUCE, ALGORITHM_SHM, 0, 4 * KIB, 17, 64},
    {COLL_REDUCE, ALGORITHM_SINGLE_COPY, 128 * KIB, SIZE_MAX, 2, 2},
    {COLL_REDUCE, ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {COLL_REDUCE, ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {COLL_REDUCE, ALGORITHM_PIECES, 64 * KIB, SIZE_MAX, 3, INT_MAX},
    {COLL_REDUCE, ALGORITHM_TREE, 0, SIZE_MAX, 1, INT_MAX},

    {COLL_ALLREDUCE, ALGORITHM_SHM, 0, 8 * KIB, 2, 2},
    {COLL_ALLREDUCE, ALGORITHM_SHM, 0, 16 * KIB, 3, 5},
    {COLL_ALLREDUCE, ALGORITHM_SHM, 0, 64 * KIB, 6, 32},
    {COLL_ALLREDUCE, ALGORITHM_SHM, 0, 16 * KIB, 33, 64},
    {COLL_ALLREDUCE, ALGORITHM_SINGLE_COPY, 8 * KIB, SIZE_MAX, 2, 5},
    {COLL_ALLREDUCE, ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 6, 64},
    {COLL_ALLREDUCE, ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {COLL_ALLREDUCE, ALGORITHM_STAR, 0, 2 * KIB, 3, 16},
    {COLL_ALLREDUCE, ALGORITHM_STAR, 0, 256, 17, 64},
    {COLL_ALLREDUCE, ALGORITHM_PIECES, 8 * KIB, SIZE_MAX, 2, 2},
    {COLL_ALLREDUCE, ALGORITHM_PIECES, 64 * KIB, SIZE_MAX, 3, INT_MAX},
    {COLL_ALLREDUCE, ALGORITHM_DOUBLING, 0, SIZE_MAX, 1, INT_MAX},

    {COLL_ALLGATHER, ALGORITHM_SHM, 0, 4 * KIB, 2, 2},
    {COLL_ALLGATHER, ALGORITHM_SHM, 0, 64 * KIB, 3, 5},
    {COLL_ALLGATHER, ALGORITHM_SHM, 0, 512 * KIB, 6, 16},
    {COLL_ALLGATHER, ALGORITHM_SHM, 0, 2 * MIB, 17, 64},
    {COLL_ALLGATHER, ALGORITHM_SINGLE_COPY, 16 * KIB, SIZE_MAX, 2, 2},
    {COLL_ALLGATHER, ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {COLL_ALLGATHER, ALGORITHM_RING, 0, SIZE_MAX, 1, 2},
    {COLL_ALLGATHER, ALGORITHM_HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {COLL_ALLGATHER, ALGORITHM_STAR, 0, 8 * KIB, 3, 16},
    {COLL_ALLGATHER, ALGORITHM_BRUCK, 0, 256 * KIB, 3, INT_MAX},
    {COLL_ALLGATHER, ALGORITHM_LINEAR, 0, 8 * KIB, 3, INT_MAX},
    {COLL_ALLGATHER, ALGORITHM_RING, 0, SIZE_MAX, 3, INT_MAX},

    {COLL_ALLTOALL, ALGORITHM_SHM, 0, 4 * KIB, 2, 2},
    {COLL_ALLTOALL, ALGORITHM_SHM, 0, 32 * KIB, 3, 5},
    {COLL_ALLTOALL, ALGORITHM_SHM, 0, 64 * KIB, 6, 16},
    {COLL_ALLTOALL, ALGORITHM_SHM, 0, 256 * KIB, 17, 64},
    {COLL_ALLTOALL, ALGORITHM_SINGLE_COPY, 16 * KIB, SIZE_MAX, 2, 5},
    {COLL_ALLTOALL, ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 6, 64},
    {COLL_ALLTOALL, ALGORITHM_PAIRWISE, 0, SIZE_MAX, 1, INT_MAX},

    {COLL_REDUCE_SCATTER, ALGORITHM_SHM, 0, 8 * KIB, 2, 2},
    {COLL_REDUCE_SCATTER, ALGORITHM_SHM, 0, 64 * KIB, 3, 64},
    {COLL_REDUCE_SCATTER, ALGORITHM_SINGLE_COPY, 8 * KIB, SIZE_MAX, 2, 2},
    {COLL_REDUCE_SCATTER, ALGORITHM_SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {COLL_REDUCE_SCATTER, ALGORITHM_PAIRWISE, 0, SIZE_MAX, 1, 2},
    {COLL_REDUCE_SCATTER, ALGORITHM_LINEAR, 0, 8 * KIB, 2, 32},
    {COLL_REDUCE_SCATTER, ALGORITHM_PAIRWISE, 4 * KIB, SIZE_MAX, 2, INT_MAX},
    {COLL_REDUCE_SCATTER, ALGORITHM_TREE, 0, SIZE_MAX, 1, INT_MAX},

    {COLL_GATHER, ALGORITHM_SHM, 0, 4 * KIB, 2, 64},
    {COLL_GATHER, ALGORITHM_STAR, 0, SIZE_MAX, 1, INT_MAX},

    {COLL_SCATTER, ALGORITHM_SHM, 0, 4 * KIB, 2, 64},
    {COLL_SCATTER, ALGORITHM_STAR, 0, SIZE_MAX, 1, INT_MAX},

    {COLL_SCAN, ALGORITHM_SHM, 0, 4 * KIB, 2, 4},
    {COLL_SCAN, ALGORITHM_PIPELINE, 0, SIZE_MAX, 1, INT_MAX},
};
const int choice_rule_count = sizeof choice_rules / sizeof *choice_rules;

static const char *const collective_names[COLL_COUNT] = {[COLL_BARRIER] = "barrier",
                                                         [COLL_BCAST] = "bcast",
                                                         [COLL_REDUCE] = "reduce",
                                                         [COLL_ALLREDUCE] = "allreduce",
                                                         [COLL_ALLGATHER] = "allgather",
                                                         [COLL_ALLTOALL] = "alltoall",
                                                         [COLL_REDUCE_SCATTER] = "reduce_scatter",
                                                         [COLL_GATHER] = "gather",
                                                         [COLL_SCATTER] = "scatter",
                                                         [COLL_SCAN] = "scan"};

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

const char *choice_collective_name(enum collective collective)
{
    return collective_names[collective];
}

const char *choice_algorithm_name(enum algorithm algorithm)
{
    return algorithm_names[algorithm];
}

static bool algorithm_is_possible(const struct choice_algorithm *a, unsigned traits)
{
    return (a->needs & ~traits) == 0;
}

static const struct choice_algorithm *find_algorithm(enum collective collective, enum algorithm algorithm)
{
    const struct choice_algorithm *a = choice_algorithms;

    while (a->collective != collective || a->algorithm != algorithm)
        a++;
    return a;
}

/* The algorithm that the collective's process row names, NULL for auto. */
static const struct choice_algorithm *forced_algorithm(enum collective collective)
{
    int64_t number = hint_process.value[HINT_BARRIER + (int)collective];
    const struct choice_algorithm *a = choice_algorithms;

    if (number == 0)
        return NULL;
    while (a->collective != collective)
        a++;
    return a + number - 1;
}

static bool rule_fits(const struct choice_rule *r, size_t bytes, int ranks)
{
    return bytes >= r->from_bytes && bytes <= r->to_bytes && ranks >= r->from_ranks && ranks <= r->to_ranks;
}

enum algorithm choice_make(enum collective collective, size_t bytes, int ranks, unsigned traits)
{
    const struct choice_algorithm *forced = forced_algorithm(collective);
    const struct choice_rule *r = choice_rules;

    if (forced && algorithm_is_possible(forced, traits))
        return forced->algorithm;
    while (r->collective != collective || !rule_fits(r, bytes, ranks) ||
           !algorithm_is_possible(find_algorithm(collective, r->algorithm), traits))
        r++;
    return r->algorithm;
}

/* Rules about mailboxes begin at no bytes. */
size_t choice_shm_limit(enum collective collective, int ranks, size_t most)
{
    const struct choice_algorithm *forced = forced_algorithm(collective);

    if (forced)
        return forced->algorithm == ALGORITHM_SHM ? most + 1 : 0;
    for (int i = 0; i < choice_rule_count; i++) {
        const struct choice_rule *r = &choice_rules[i];

        if (r->collective == collective && r->algorithm == ALGORITHM_SHM && rule_fits(r, 0, ranks))
            return (r->to_bytes < most ? r->to_bytes : most) + 1;
    }
    return 0;
}

bool choice_is_single_copy(enum collective collective, size_t bytes, int ranks)
{
    const struct choice_algorithm *forced = forced_algorithm(collective);

    return (forced ? forced->algorithm : choice_make(collective, bytes, ranks, TRAIT_SHM)) ==
           ALGORITHM_SINGLE_COPY;
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

void choice_print(FILE *out)
{
    fprintf(out, "What is taken: the first row that fits and is possible.\n\n%-16s%-16s%-16s%s\n",
            "collective", "bytes", "ranks", "algorithm");
    for (int i = 0; i < choice_rule_count; i++) {
        const struct choice_rule *r = &choice_rules[i];
        char bytes[32], ranks[32];

        format_range(bytes, sizeof bytes, r->from_bytes, r->to_bytes, 0, SIZE_MAX);
        format_range(ranks, sizeof ranks, (size_t)r->from_ranks, (size_t)r->to_ranks, 1, INT_MAX);
        fprintf(out, "%-16s%-16s%-16s%s\n", collective_names[r->collective], bytes, ranks,
                algorithm_names[r->algorithm]);
    }
    fprintf(
        out,
        "\nWhat there is; INKLING_ALLREDUCE=tree and the like take another one where it is possible.\n\n");
    for (int i = 0; i < choice_algorithm_count; i++) {
        const struct choice_algorithm *a = &choice_algorithms[i];

        fprintf(out, "%-16s%-16s%s%s%s\n", collective_names[a->collective], algorithm_names[a->algorithm],
                a->text, a->needs ? "; needs" : "", describe_needs(a->needs));
    }
    fprintf(out,
            "\nBytes are those of the largest buffer of a rank: the whole vector, or all blocks together.\n");
}
