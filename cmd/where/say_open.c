/* The requests that a rank has open besides those that its threads wait for. */
#include "cmd/where/say.h"

#include "plain/json.h"
#include "request/request.h"

#include <string.h>

enum {
    TOLD_MOST = 4 /* groups that are told apart */
};

/* Requests of one kind that were posted at one place. */
struct open_group {
    const struct object_request *first;
    int count;
};

static const char *request_word(const struct objects *o, const struct object_request *r)
{
    static const char *const names[] = {"send",        "receive",     "collective", "communicator",
                                        "generalized", "partitioned", "file",       "several"};
    const struct object_request *part = r->kind == REQUEST_MULTI ? objects_part(o, r) : NULL;
    int kind = part ? part->kind : r->kind;

    return kind >= 0 && kind < (int)(sizeof names / sizeof *names) ? names[kind] : "?";
}

/* Whether the program has this request open, and no thread waits for it. */
static bool is_open_besides(const struct rank_view *v, const struct object_request *r)
{
    const struct object_comm *c = objects_comm(&v->objects, r->comm);

    for (int i = 0; i < v->threads; i++)
        if (v->thread[i].waits && v->thread[i].what == r->at)
            return false;
    return r->plane == 0 && !(c && c->is_hidden) && !objects_request(&v->objects, r->parent);
}

static bool is_of_group(const struct objects *o, const struct object_request *a,
                        const struct object_request *b)
{
    return strcmp(request_word(o, a), request_word(o, b)) == 0 && strcmp(a->place, b->place) == 0 &&
           strcmp(a->origin, b->origin) == 0;
}

/* Returns how many groups there are; *all: how many requests. */
static int group_open(const struct rank_view *v, struct open_group *group, int most, int *all)
{
    int groups = 0;

    *all = v->objects.requests_left;
    for (int i = 0; i < v->objects.requests; i++) {
        const struct object_request *r = &v->objects.request[i];
        int g = 0;

        if (!is_open_besides(v, r))
            continue;
        ++*all;
        while (g < groups && !is_of_group(&v->objects, group[g].first, r))
            g++;
        if (g == most)
            continue;
        if (g == groups)
            group[groups++] = (struct open_group){r, 0};
        group[g].count++;
    }
    return groups;
}

void say_open(const struct rank_view *v, char *to, size_t room)
{
    struct open_group group[TOLD_MOST];
    int all, groups = group_open(v, group, TOLD_MOST, &all), left = all;

    if (!all)
        return;
    say_more(to, room, "; %d %s open", all, all == 1 ? "request is" : "requests are");
    for (int g = 0; g < groups; g++) {
        const struct object_request *r = group[g].first;

        say_more(to, room, "%s%d %s", g ? ", " : " (", group[g].count, request_word(&v->objects, r));
        if (*r->place)
            say_more(to, room, " %s %s", *r->origin ? "started" : "posted", r->place);
        if (*r->origin)
            say_more(to, room, "%s made %s", *r->place ? "," : "", r->origin);
        left -= group[g].count;
    }
    if (groups && left)
        say_more(to, room, ", %d others", left);
    say_more(to, room, "%s", groups ? ")" : "");
}

void say_open_json(FILE *out, const struct rank_view *v)
{
    char name[OBJECTS_NAME + 64];
    bool is_first = true;

    fprintf(out, ", \"requests\": [");
    for (int i = 0; v->has_objects && i < v->objects.requests; i++) {
        const struct object_request *r = &v->objects.request[i];

        if (r->plane || objects_request(&v->objects, r->parent))
            continue;
        json_write_member(out, is_first ? "{" : ", {", "kind", request_word(&v->objects, r));
        if (objects_comm(&v->objects, r->comm)) {
            objects_name(&v->objects, r->comm, name, sizeof name);
            json_write_member(out, ", ", "on", name);
        }
        if (r->kind == REQUEST_RECV)
            fprintf(out, ", \"source\": %d, \"tag\": %d", r->source, r->tag);
        json_write_member(out, ", ", r->made ? "started" : "posted", *r->place ? r->place : NULL);
        if (r->made)
            json_write_member(out, ", ", "made", *r->origin ? r->origin : NULL);
        fprintf(out, "}");
        is_first = false;
    }
    fprintf(out, "]");
}
