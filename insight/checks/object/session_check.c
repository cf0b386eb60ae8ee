#include "insight/checks/object/object_check.h"

#include "insight/call/tracked.h"
#include "insight/findings/finding.h"

static enum tracked_kind kind_of_letter(char letter)
{
    switch (letter) {
    case 'C':
        return TRACKED_COMM;
    case 'G':
        return TRACKED_GROUP;
    case 'W':
        return TRACKED_WIN;
    default:
        return TRACKED_KINDS;
    }
}

/* The next object among the arguments from `*at` on; NULL: there is none. */
static const struct tracked *next_object(const struct intercept *call, const char **letter, int *at)
{
    for (; **letter; ++*letter, ++*at) {
        const struct tracked *object;

        if (**letter == '&' || **letter == '+') { /* a handle through a pointer */
            ++*letter;
            continue;
        }
        object = tracked_find(kind_of_letter(**letter), (uint64_t)call->argument[*at]);
        if (kind_of_letter(**letter) == TRACKED_KINDS || !object)
            continue;
        ++*letter, ++*at;
        return object;
    }
    return NULL;
}

bool session_check_is_of_session(const struct intercept *call)
{
    const char *letter = call->procedure->letters;
    int at = 0;
    const struct tracked *first = next_object(call, &letter, &at);

    return first && first->session;
}

void session_check_mixed(struct intercept *call)
{
    const char *letter = call->procedure->letters;
    int at = 0;
    const struct tracked *first = next_object(call, &letter, &at), *other;

    while (first && (other = next_object(call, &letter, &at))) {
        if (other->session == first->session)
            continue;
        finding_add(
            &(struct finding_about){.class = FINDING_ARGUMENT,
                                    .call = call,
                                    .made = other->site,
                                    .made_by = "the other object",
                                    .fix = "derive both from one session, or both from MPI_COMM_WORLD"},
            "%s gets objects of two sessions, or of a session and of MPI_COMM_WORLD", call->procedure->name);
        return;
    }
}

void session_check_inherit(const struct intercept *call)
{
    const char *letter = call->procedure->letters;
    int at = 0;
    enum family family = call->procedure->family;
    enum tracked_kind kind = family == FAMILY_GROUP_MAKE ? TRACKED_GROUP
                             : family == FAMILY_WIN_MAKE ? TRACKED_WIN
                                                         : TRACKED_COMM;
    const struct tracked *from = next_object(call, &letter, &at);
    struct tracked *new;

    if (kind == TRACKED_COMM && family != FAMILY_COMM_MAKE && family != FAMILY_COMM_IMAKE &&
        family != FAMILY_COMM_GROUP_MAKE && family != FAMILY_COMM_SHRINK && family != FAMILY_COMM_ISHRINK)
        return;
    new = tracked_find(kind, *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW));
    if (new)
        new->session = from ? from->session : (uint64_t)intercept_argument(call, AT_SESSION);
}
