#include "coll/choice.h"

#include "hint/hint.h"

#include <stdint.h>

bool choice_synchronizes(enum collective collective)
{
    return collective != COLL_BCAST && collective != COLL_REDUCE && collective != COLL_GATHER &&
           collective != COLL_SCATTER && collective != COLL_SCAN;
}

/* The algorithm that the collective's row names, NULL for auto. */
static const struct choice_algorithm *choice_forced(const struct hints *h, const struct choice_list *list)
{
    int64_t number = hint_value_here(h, (enum hint_id)(HINT_BARRIER + (int)list->collective));

    return number ? &list->algorithm[number - 1] : NULL;
}

static bool choice_rule_fits(const struct choice_list *list, const struct choice_rule *r, size_t bytes,
                             int ranks, unsigned traits)
{
    return bytes >= r->from_bytes && bytes <= r->to_bytes && ranks >= r->from_ranks && ranks <= r->to_ranks &&
           (list->algorithm[r->algorithm].needs & ~traits) == 0;
}

/* A row that names an algorithm of messages, even an impossible one, rules out shared memory. */
const struct choice_algorithm *choice_make(const struct hints *h, const struct choice_list *list,
                                           size_t bytes, int ranks, unsigned traits)
{
    const struct choice_algorithm *forced = choice_forced(h, list);
    const struct choice_rule *r = list->rule;

    if (forced && (forced->needs & ~traits) == 0)
        return forced;
    if (forced)
        traits &= ~TRAIT_SHM;
    while (!choice_rule_fits(list, r, bytes, ranks, traits))
        r++;
    return &list->algorithm[r->algorithm];
}

size_t choice_mailbox_below(const struct hints *h, const struct choice_list *list, int ranks, unsigned traits)
{
    size_t below = 0;

    if (choice_forced(h, list))
        return choice_make(h, list, 0, ranks, traits) == list->algorithm ? SIZE_MAX : 0;
    for (int i = 0; i < list->rules && below < SIZE_MAX; i++) {
        const struct choice_rule *r = &list->rule[i];

        if (!choice_rule_fits(list, r, r->from_bytes, ranks, traits))
            continue;
        if (r->algorithm != 0 || r->from_bytes > below)
            break;
        below = r->to_bytes == SIZE_MAX ? SIZE_MAX : r->to_bytes + 1;
    }
    return below;
}
