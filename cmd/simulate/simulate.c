/* inkling simulate: what the algorithms of collectives cost on a cluster that need not exist. The verb `simulate` of inkling runs this
 * program (cmd/helper.c). */
#include "cmd/simulate/count.h"
#include "cmd/simulate/pretend.h"
#include "hint/coll_rules.h"
#include "plain/fail.h"
#include "plain/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_RANKS = 1 << 20,
    MOST_HOSTS = 1 << 13,
    MOST_SIZES = 32
};

static struct {
    int ranks, hosts, sizes;
    size_t size[MOST_SIZES];
    bool as_json, only_chosen;
    unsigned wanted; /* collectives, bits; 0: all */
    const char *algorithm, *model;
} asked = {.ranks = 64, .hosts = 8, .sizes = 3, .size = {8, 65536, 1 << 20}};

static int simulate_complain(const char *what, const char *word, const char *mend)
{
    fprintf(stderr, "inkling: simulate: %s '%s'; %s\n", what, word, mend);
    return 1;
}

static const char help[] =
    "inkling simulate [OPTION...] [COLLECTIVE...]: what the algorithms of collectives cost on a cluster that "
    "need not exist.\n\n"
    "  --ranks N          ranks, up to 1048576 (64)\n"
    "  --hosts H          hosts that they are spread over, up to 8192 (8)\n"
    "  --bytes LIST       sizes like 8,64K,1M: of the vector, or of a block where each rank has one "
    "(8,64K,1M)\n"
    "  --algorithm WORD   this one alone; `inkling coll` lists them\n"
    "  --chosen           only the one that the library takes\n"
    "  --model FILE       a file that inkling tune wrote has the parameters of the network\n"
    "  --json             the answer as JSON\n\n"
    "The schedules are those of the library, built for each rank; shared memory is not simulated. Where they "
    "are too long for all ranks,\n"
    "three hosts are counted and no rank waits for another (~). Bound: no algorithm takes less.\n";

/* A number with K or M behind it; false: it is none, or too large. */
static bool simulate_read_number(const char *text, size_t length, unsigned long long least,
                                 unsigned long long most, unsigned long long *number)
{
    char *end;

    *number = strtoull(text, &end, 10);
    if (end == text || *text == '-')
        return false;
    if (*end == 'K' || *end == 'M')
        *number *= *end++ == 'K' ? 1 << 10 : 1 << 20;
    return end == text + length && *number >= least && *number <= most;
}

static bool simulate_read_sizes(const char *list)
{
    asked.sizes = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        unsigned long long number;

        if (asked.sizes == MOST_SIZES ||
            !simulate_read_number(at, length, 0, (unsigned long long)1 << 40, &number))
            return false;
        asked.size[asked.sizes++] = (size_t)number;
        at += length;
        if (!*at)
            return true;
    }
}

static bool simulate_read_collective(const char *word)
{
    for (int c = 0; c < COLL_COUNT; c++)
        if (strcmp(choice_lists[c]->name, word) == 0) {
            asked.wanted |= 1u << c;
            return true;
        }
    return false;
}

static int read_count(const char *option, const char *text, int most, int *count)
{
    unsigned long long number;
    char mend[64];

    snprintf(mend, sizeof mend, "give a number from 1 to %d", most);
    if (!simulate_read_number(text, strlen(text), 1, (unsigned long long)most, &number))
        return simulate_complain(option, text, mend);
    *count = (int)number;
    return 0;
}

/* An option with a value. */
static int read_option(const char *option, const char *value)
{
    if (strcmp(option, "--ranks") == 0)
        return read_count("--ranks is", value, MOST_RANKS, &asked.ranks);
    if (strcmp(option, "--hosts") == 0)
        return read_count("--hosts is", value, MOST_HOSTS, &asked.hosts);
    if (strcmp(option, "--bytes") == 0)
        return simulate_read_sizes(value)
                   ? 0
                   : simulate_complain("--bytes is", value, "give sizes like 8,64K,1M, 32 at most");
    if (strcmp(option, "--model") == 0)
        asked.model = value;
    else if (strcmp(option, "--algorithm") == 0)
        asked.algorithm = value;
    else
        return simulate_complain("there is no option", option, "see inkling simulate --help");
    return 0;
}

static int simulate_read_words(char **words)
{
    for (; *words; words++) {
        int error = 0;

        if (strcmp(*words, "--json") == 0)
            asked.as_json = true;
        else if (strcmp(*words, "--chosen") == 0)
            asked.only_chosen = true;
        else if (**words == '-' && !words[1])
            error = simulate_complain("nothing stands behind", *words, "see inkling simulate --help");
        else if (**words == '-')
            error = read_option(words[0], words[1]);
        else if (!simulate_read_collective(*words))
            error = simulate_complain("there is no collective", *words, "`inkling coll` lists them");
        if (error)
            return error;
        words += **words == '-' && strcmp(*words, "--json") != 0 && strcmp(*words, "--chosen") != 0;
    }
    if (asked.hosts > asked.ranks)
        asked.hosts = asked.ranks;
    return 0;
}

static void simulate_print_row(const struct pretended_call *call, const struct call_cost *cost, double bound,
                               bool is_chosen)
{
    printf("%-15s%10zu  %-14s%c %s%-11.5g %-9.3g %12llu %14llu %12llu %14llu\n", call->list->name,
           call->bytes, call->list->algorithm[call->algorithm].word, is_chosen ? '*' : ' ',
           cost->is_sample ? "~" : " ", cost->seconds * 1e6, bound > 0 ? cost->seconds / bound : 0,
           (unsigned long long)cost->rank_messages, (unsigned long long)cost->rank_bytes,
           (unsigned long long)cost->host_messages, (unsigned long long)cost->host_bytes);
}

static void simulate_print_json_row(const struct pretended_call *call, const struct call_cost *cost,
                                    double bound, bool is_chosen)
{
    static const char *before = "";

    printf("%s\n  ", before);
    before = ",";
    json_write_member(stdout, "{", "collective", call->list->name);
    json_write_member(stdout, ", ", "algorithm", call->list->algorithm[call->algorithm].word);
    printf(", \"ranks\": %d, \"hosts\": %d, \"bytes\": %zu, \"chosen\": %s, \"sample\": %s, \"seconds\": "
           "%.9g, \"bound\": %.9g, "
           "\"rank_messages\": %llu, \"rank_bytes\": %llu, \"sent_most\": %llu, \"host_messages\": %llu, "
           "\"host_bytes\": %llu, "
           "\"all_messages\": %llu, \"all_bytes\": %llu}",
           asked.ranks, asked.hosts, call->bytes, is_chosen ? "true" : "false",
           cost->is_sample ? "true" : "false", cost->seconds, bound, (unsigned long long)cost->rank_messages,
           (unsigned long long)cost->rank_bytes, (unsigned long long)cost->sent_most,
           (unsigned long long)cost->host_messages, (unsigned long long)cost->host_bytes,
           (unsigned long long)cost->all_messages, (unsigned long long)cost->all_bytes);
}

static void simulate_one(struct pretended *world, const struct loggp *model, struct pretended_call call)
{
    const char *word = call.list->algorithm[call.algorithm].word;
    bool is_chosen = pretend_choice(world, call.list, call.bytes) == call.algorithm;
    double bound = count_bound(world, &call, model);
    struct call_cost cost;

    if (!pretend_is_possible(world, &call) || (asked.algorithm && strcmp(asked.algorithm, word) != 0) ||
        (asked.only_chosen && !is_chosen))
        return;
    if (!count_cost(world, &call, model, &cost))
        fprintf(stderr, "inkling: simulate: %s of %s with %zu bytes needs more memory than there is\n", word,
                call.list->name, call.bytes);
    else if (asked.as_json)
        simulate_print_json_row(&call, &cost, bound, is_chosen);
    else
        simulate_print_row(&call, &cost, bound, is_chosen);
    fflush(stdout);
}

static void simulate_all(struct pretended *world, const struct loggp *model)
{
    for (int c = 0; c < COLL_COUNT; c++)
        for (int i = 0; i < (c == COLL_BARRIER ? 1 : asked.sizes); i++)
            for (int a = 0; a < choice_lists[c]->algorithms; a++)
                if (!asked.wanted || asked.wanted >> c & 1)
                    simulate_one(world, model,
                                 (struct pretended_call){.list = choice_lists[c],
                                                         .algorithm = a,
                                                         .bytes = c == COLL_BARRIER ? 0 : asked.size[i]});
}

static void print_head(const struct loggp *model)
{
    if (asked.as_json) {
        json_write_member(stdout, "{", "model", model->source);
        printf(", \"measured\": %s, \"rows\": [", model->is_measured ? "true" : "false");
        return;
    }
    printf("%d ranks on %d hosts; the model is %s%s.\n* the library takes it; ~ counted on three hosts, no "
           "rank waits for another.\n\n",
           asked.ranks, asked.hosts, model->source, model->is_measured ? ", measured" : "");
    printf("%-15s%10s  %-16s%-12s %-9s %12s %14s %12s %14s\n", "collective", "bytes", "algorithm", " us",
           "x bound", "rank: msgs", "bytes", "host: msgs", "bytes");
}

int main(int argc, char **argv)
{
    struct loggp model = loggp_given();
    struct pretended world;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf("%s", help);
        return 0;
    }
    if (simulate_read_words(argv + 1))
        return 1;
    if (hint_process_init() || (asked.model && loggp_read(asked.model, &model))) {
        fprintf(stderr, "inkling: simulate: %s\n", fail_note());
        return 1;
    }
    if (!pretend_world(&world, asked.ranks, asked.hosts)) {
        fprintf(stderr, "inkling: simulate: no memory for %d ranks\n", asked.ranks);
        return 1;
    }
    print_head(&model);
    simulate_all(&world, &model);
    if (asked.as_json)
        printf("\n]}\n");
    pretend_end(&world);
    return 0;
}
