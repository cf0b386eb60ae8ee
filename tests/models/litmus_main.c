/* Each of litmus.c in both memory models: fails where an outcome is found that is forbidden, or none that is allowed. */
#include "engine.h"
#include "litmus.h"

#include <stdio.h>

void model_fail(const char *what)
{
    snprintf(engine->finding, sizeof engine->finding, "%s", what);
    threads_end(RUN_FOUND);
}

memory_order site_order(const struct site *site, bool is_failure)
{
    return (memory_order)(is_failure ? site->failure : site->order);
}

bool site_is_dropped(const struct site *site)
{
    (void)site;
    return false;
}

static bool is_as_known(const struct litmus *l, bool is_tso)
{
    bool wanted = is_tso ? l->tso : l->weak, found = explore(&l->scenario, is_tso) == RUN_FOUND;

    if (found != wanted)
        printf("%s, %s: an outcome that is %s is %s: %s\n", l->scenario.name, is_tso ? "tso" : "weak",
               wanted ? "allowed" : "forbidden", found ? "found" : "not found", found ? engine->finding : "");
    return found == wanted;
}

int main(void)
{
    int count = 0, wrong = 0;

    threads_open();
    for (const struct litmus *l = litmus; l->scenario.name; l++, count++) {
        wrong += !is_as_known(l, false);
        wrong += !is_as_known(l, true);
    }
    printf("%d programs in two memory models, %d outcomes not as known\n", count, wrong);
    return wrong != 0;
}
