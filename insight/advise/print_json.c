#include "insight/advise/advise.h"

#include "plain/json.h"

typedef unsigned long long big;

static void print_text_member(const char *name, const char *text, FILE *out)
{
    fprintf(out, ", \"%s\": ", name);
    json_write_text(out, text);
}

static void print_numbers(const uint64_t *number, int count, FILE *out)
{
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%llu", i ? "," : "", (big)number[i]);
}

static void print_paste(const struct advice_list *list, const struct advice *a, FILE *out)
{
    static const char *const languages[] = {"C", "Fortran", "mpi4py"};

    fprintf(out, ", \"lines\": {");
    for (int i = 0; i < 3; i++) {
        char text[1024];

        advise_format_lines(list, a, languages[i], text, sizeof text);
        fprintf(out, "%s\"%s\": ", i ? ", " : "", languages[i]);
        json_write_text(out, text);
    }
    fputc('}', out);
}

static void print_advice(const struct advice_list *list, const struct advice *a, FILE *out)
{
    char object[900];

    advise_format_object(list, a->object, object, sizeof object);
    fprintf(out, "{\"kind\": \"%s\"", advice_names[a->kind]);
    print_text_member("object", object, out);
    print_text_member("where", a->object < 0 ? "" : list->where[a->object], out);
    if (a->key) {
        print_text_member("key", a->key, out);
        print_text_member("value", a->value, out);
    }
    print_text_member("evidence", a->text, out);
    print_text_member("gain", a->gain, out);
    fprintf(out, ", \"seconds\": %.9g, \"given\": %s", a->seconds, a->is_given ? "true" : "false");
    if (a->kind == ADVICE_HINT) {
        fprintf(out, ", \"gains\": %s", a->is_idle ? "false" : "true");
        print_paste(list, a, out);
    }
    fputc('}', out);
}

static void print_object(const struct advice_list *list, int i, FILE *out)
{
    const struct profile_object *o = &list->profile->object[i];
    char text[900];

    advise_format_object(list, i, text, sizeof text);
    fprintf(out, "{\"object\": ");
    json_write_text(out, text);
    fprintf(out,
            ", \"ranks\": %llu, \"made\": %llu, \"receives\": %llu, \"probes\": %llu, \"any_source\": %llu, "
            "\"any_tag\": %llu, "
            "\"exact\": %llu, \"inexact\": %llu, \"sends\": %llu, \"collectives\": %llu, \"in_mpi_memory\": "
            "%llu, "
            "\"in_other_memory\": %llu, \"puts\": %llu, \"gets\": %llu, \"accumulates\": %llu, \"locks\": "
            "%llu, \"reads\": %llu, "
            "\"writes\": %llu, \"sizes\": [",
            (big)o->ranks, (big)o->made, (big)o->receives, (big)o->probes, (big)o->any_source,
            (big)o->any_tag, (big)o->exact, (big)o->inexact, (big)o->sends, (big)o->collectives, (big)o->heap,
            (big)o->other, (big)o->puts, (big)o->gets, (big)o->accumulates, (big)o->locks, (big)o->reads,
            (big)o->writes);
    print_numbers(o->sizes, PROFILE_SIZES, out);
    fprintf(out, "]}");
}

static void print_site(const struct advice_list *list, int i, FILE *out)
{
    const struct profile_site *s = &list->profile->site[i];
    char place[600], object[900];

    advise_format_place(list, s->place, &list->site[i], place, sizeof place);
    advise_format_object(list, s->object, object, sizeof object);
    fprintf(out, "{\"call\": \"%s\", \"use\": \"%s\"", s->procedure, advice_uses[s->use]);
    print_text_member("place", place, out);
    print_text_member("object", s->object < 0 ? "" : object, out);
    fprintf(out,
            ", \"ranks\": %llu, \"calls\": %llu, \"bytes\": %llu, \"ns\": %llu, \"longest\": %llu, "
            "\"shortest\": %llu, \"last\": %d}",
            (big)s->ranks, (big)s->calls, (big)s->bytes, (big)s->time, (big)s->longest, (big)s->shortest,
            s->shortest_rank);
}

/* A bin's share of each use but the first, as two hexadecimal digits each: 00 to ff. */
static void print_lane(const struct profile *p, const struct profile_lane *lane, FILE *out)
{
    int bins = (int)((p->elapsed + p->bin_ns - 1) / p->bin_ns);
    double whole = (double)p->bin_ns * (double)lane->ranks;

    fprintf(out, "{\"ranks\": %llu, \"sent\": %llu, \"bytes\": %llu, \"unexpected\": %llu, \"ns\": [",
            (big)lane->ranks, (big)lane->sent, (big)lane->sent_bytes, (big)lane->unexpected);
    print_numbers(lane->time, USES, out);
    fprintf(out, "], \"bins\": \"");
    for (int i = 0; i < bins && i < PROFILE_BINS; i++)
        for (int use = 1; use < USES; use++) {
            double share = (double)lane->bin[i][use] / whole * 255;

            fprintf(out, "%02x", share > 255 ? 255 : (int)(share + 0.5));
        }
    fprintf(out, "\"}");
}

static void print_matrix(const char *name, const uint64_t (*row)[PROFILE_LANES], int lanes, FILE *out)
{
    fprintf(out, ",\n\"%s\": [", name);
    for (int i = 0; i < lanes; i++) {
        fputs(i ? ",\n  [" : "\n  [", out);
        print_numbers(row[i], lanes, out);
        fputc(']', out);
    }
    fputc(']', out);
}

void advise_print_json(const struct advice_list *list, FILE *out)
{
    const struct profile *p = list->profile;
    int lanes = p->size < PROFILE_LANES ? p->size : PROFILE_LANES;

    fprintf(out, "{\"program\": ");
    json_write_text(out, p->program);
    json_write_member(out, ", ", "gains_measured_on", list->gains->machine);
    json_write_member(out, ", ", "gains_measured_at", list->gains->date);
    print_text_member("library", p->library, out);
    fprintf(
        out,
        ", \"ranks\": %d, \"ns\": %llu, \"bin_ns\": %llu, \"knows_unexpected\": %s, \"bytes_per_rank\": %d",
        p->size, (big)p->elapsed, (big)p->bin_ns, p->knows_unexpected ? "true" : "false", PROFILE_BYTES);
    fprintf(out, ",\n\"uses\": [");
    for (int i = 0; i < USES; i++)
        fprintf(out, "%s\"%s\"", i ? ", " : "", advice_uses[i]);
    fprintf(out, "],\n\"advice\": [");
    for (int i = 0; i < list->count; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        print_advice(list, &list->advice[i], out);
    }
    fprintf(out, "],\n\"objects\": [");
    for (int i = 0; i < (int)p->objects; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        print_object(list, i, out);
    }
    fprintf(out, "],\n\"sites\": [");
    for (int i = 0; i < (int)p->sites; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        print_site(list, i, out);
    }
    fprintf(out, "]");
    print_matrix("messages", p->messages, lanes, out);
    print_matrix("bytes", p->message_bytes, lanes, out);
    fprintf(out, ",\n\"lanes\": [");
    for (int i = 0; i < lanes; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        print_lane(p, &p->lane[i], out);
    }
    fprintf(out, "]}\n");
}
