#include "cmd/inkling.h"

#include "coll/choice.h"
#include "hint/coll_rules.h"
#include "plain/json.h"

#include <limits.h>
#include <stdint.h>

/* This command has copies of the lists, which gen/coll_rows.py makes. */
static void format_range(char *text, size_t size, size_t from, size_t to, size_t lowest, size_t highest)
{
    const char *unit = from % KIB == 0 && (to == highest || to % KIB == 0) && highest == SIZE_MAX ? "K" : "";
    size_t divisor = *unit ? KIB : 1;

    if (from <= lowest && to == highest)
        snprintf(text, size, "any");
    else if (from == SIZE_MAX)
        snprintf(text, size, "unequal blocks"); /* whose bytes no rank knows */
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

    snprintf(
        text, sizeof text, "%s%s%s%s%s%s%s%s", needs & TRAIT_COMMUTATIVE ? " commutative operations" : "",
        needs & TRAIT_ITEMS ? " an item for each rank" : "", needs & TRAIT_EQUAL ? " equal blocks" : "",
        needs & TRAIT_OUT_OF_PLACE ? " not in place" : "",
        needs & TRAIT_EVEN ? " an even number of ranks" : "", needs & TRAIT_HOSTS ? " several hosts" : "",
        needs & TRAIT_IN_ORDER ? " each host's ranks in a row" : "", needs & TRAIT_SHM ? " one host" : "");
    return text;
}

static void print_rule(FILE *out, const struct choice_list *list, const struct rule *r, const char *source)
{
    char bytes[32], ranks[32], hosts[32];

    format_range(bytes, sizeof bytes, r->from_bytes, r->to_bytes, 0, SIZE_MAX);
    format_range(ranks, sizeof ranks, (size_t)r->from_ranks, (size_t)r->to_ranks, 1, INT_MAX);
    format_range(hosts, sizeof hosts, (size_t)r->from_hosts, (size_t)r->to_hosts, 1, INT_MAX);
    fprintf(out, "%-16s%-16s%-16s%-8s%-16s%s\n", list->name, bytes, ranks, hosts,
            list->algorithm[r->algorithm].word, source);
}

/* A rule that is built in, as those of files are. */
static struct rule rule_of(const struct choice_list *list, const struct choice_rule *r)
{
    return (struct rule){.collective = (int)list->collective,
                         .algorithm = r->algorithm,
                         .from_bytes = r->from_bytes,
                         .to_bytes = r->to_bytes,
                         .from_ranks = r->from_ranks,
                         .to_ranks = r->to_ranks,
                         .to_hosts = INT_MAX};
}

static void print_rules(FILE *out, const struct choice_list *list, const struct rules *given)
{
    for (int i = 0; given && i < given->count; i++)
        if (given->rule[i].collective == (int)list->collective)
            print_rule(out, list, &given->rule[i], "file");
    for (const struct choice_rule *r = list->rule; r < list->rule + list->rules; r++) {
        struct rule rule = rule_of(list, r);

        print_rule(out, list, &rule, coll_rules_built_in);
    }
}

static void print_algorithms(FILE *out, const struct choice_list *list)
{
    for (const struct choice_algorithm *a = list->algorithm; a < list->algorithm + list->algorithms; a++)
        fprintf(out, "%-16s%-16s%s%s%s\n", list->name, a->word, a->text, a->needs ? "; needs" : "",
                describe_needs(a->needs));
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
static const char *print_json_rule(FILE *out, const struct rule *r, const char *source, const char *before)
{
    const struct choice_list *list = choice_lists[r->collective];

    fprintf(out, "%s\n  ", before);
    json_write_member(out, "{", "collective", list->name);
    json_write_member(out, ", ", "algorithm", list->algorithm[r->algorithm].word);
    print_json_range(out, "bytes", r->from_bytes, r->to_bytes, SIZE_MAX);
    print_json_range(out, "ranks", (uint64_t)r->from_ranks, (uint64_t)r->to_ranks, INT_MAX);
    print_json_range(out, "hosts", (uint64_t)r->from_hosts, (uint64_t)r->to_hosts, INT_MAX);
    json_write_member(out, ", ", "from", source);
    fprintf(out, "}");
    return ",";
}

static const char *print_json_rules(FILE *out, const struct choice_list *list, const struct rules *given,
                                    const char *before)
{
    for (int i = 0; given && i < given->count; i++)
        if (given->rule[i].collective == (int)list->collective)
            before = print_json_rule(out, &given->rule[i], given->path, before);
    for (const struct choice_rule *r = list->rule; r < list->rule + list->rules; r++) {
        struct rule rule = rule_of(list, r);

        before = print_json_rule(out, &rule, coll_rules_built_in, before);
    }
    return before;
}

static const char *print_json_algorithms(FILE *out, const struct choice_list *list, const char *before)
{
    for (const struct choice_algorithm *a = list->algorithm; a < list->algorithm + list->algorithms; a++) {
        fprintf(out, "%s\n  ", before);
        json_write_member(out, "{", "collective", list->name);
        json_write_member(out, ", ", "algorithm", a->word);
        json_write_member(out, ", ", "text", a->text);
        json_write_member(out, ", ", "needs", a->needs ? describe_needs(a->needs) + 1 : "");
        fprintf(out, "}");
        before = ",";
    }
    return before;
}

void coll_table_print_json(FILE *out, const struct rules *given)
{
    const char *before = "";

    json_write_member(out, "{", "file", given ? given->path : NULL);
    json_write_member(out, ", ", "machine", given ? given->machine : NULL);
    json_write_member(out, ", ", "date", given ? given->date : NULL);
    fprintf(out, ",\n\"rules\": [");
    for (int c = 0; c < COLL_COUNT; c++)
        before = print_json_rules(out, choice_lists[c], given, before);
    fprintf(out, "],\n\"algorithms\": [");
    before = "";
    for (int c = 0; c < COLL_COUNT; c++)
        before = print_json_algorithms(out, choice_lists[c], before);
    fprintf(out, "]}\n");
}

static void print_source(FILE *out, const struct rules *given)
{
    if (!given) {
        fprintf(out, "The rules are those that are built in; INKLING_RULES=FILE takes others first.\n");
        return;
    }
    fprintf(out, "The file is %s (%s%s%s).\n", given->path,
            *given->machine ? given->machine : "of an unknown machine", *given->date ? ", " : "",
            given->date);
    for (int i = 0; i < given->settings; i++)
        fprintf(out, "It sets %s=%s.\n", hint_table[given->setting[i].id].key, given->setting[i].value);
}

void coll_table_print(FILE *out, const struct rules *given)
{
    print_source(out, given);
    fprintf(out, "What is taken: the first row that fits and is possible.\n\n%-16s%-16s%-16s%-8s%-16s%s\n",
            "collective", "bytes", "ranks", "hosts", "algorithm", "from");
    for (int c = 0; c < COLL_COUNT; c++)
        print_rules(out, choice_lists[c], given);
    fprintf(
        out,
        "\nWhat there is; INKLING_ALLREDUCE=tree and the like take another one where it is possible.\n\n");
    for (int c = 0; c < COLL_COUNT; c++)
        print_algorithms(out, choice_lists[c]);
    fprintf(out,
            "\nBytes are those of the largest buffer of a rank: the whole vector, or all blocks together.\n");
}
