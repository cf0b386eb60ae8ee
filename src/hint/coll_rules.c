#include "hint/coll_rules.h"

#include "hint/parse.h"
#include "hint/warn.h"
#include "plain/fail.h"
#include "plain/json.h"
#include "plain/log.h"
#include "plain/spelling.h"

#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    RULES_LARGEST = 4 << 20, /* bytes of a file */
    COLLECTIVES = HINT_SCAN - HINT_BARRIER + 1
};

const char coll_rules_built_in[] = "built-in";

static struct lock lock = LOCK_INIT;          /* guards adding to: */
static const struct rules *kept[RULES_FILES]; /* entry i has the number i + 1 */
static int kept_count;
static const enum hint_id may_set[RULES_SETTINGS] = {HINT_EAGER_LIMIT, HINT_JOINT_LIMIT, HINT_OFI_EAGER_LIMIT,
                                                     HINT_NETWORK};
static const int may_set_count = 4;

/* A file that is being read. */
struct reading {
    const char *path;
    struct json_tree tree;
    struct rules *rules;
};

/* "FILE:LINE:COLUMN: " and what is wrong there. */
__attribute__((format(printf, 3, 4))) static int wrong(const struct reading *r, const struct json_value *at,
                                                       const char *format, ...)
{
    char text[256];
    int line, column;
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    json_place(&r->tree, at->name.at ? at->name.at : at->text.at, &line, &column);
    return fail(MPI_ERR_OTHER, "%.80s:%d:%d: %s", r->path, line, column, text);
}

/* The value as it stands in the file. */
static const char *shown(const struct json_value *value)
{
    static _Thread_local char text[48];

    if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
        return value->kind == JSON_OBJECT ? "an object" : "an array";
    snprintf(text, sizeof text, value->kind == JSON_TEXT ? "\"%.*s\"" : "%.*s",
             (int)(value->text.length < 40 ? value->text.length : 40), value->text.at);
    return text;
}

static bool names_one(const struct json_value *value, const char *const *names)
{
    for (; *names; names++)
        if (json_is(value->name, *names))
            return true;
    return false;
}

/* The member whose name is not among these; NULL: all are. */
static const struct json_value *stranger(const struct reading *r, const struct json_value *object,
                                         const char *const *names)
{
    for (const struct json_value *v = json_first(&r->tree, object); v; v = json_next(&r->tree, v))
        if (!names_one(v, names))
            return v;
    return NULL;
}

static int read_collective(const struct reading *r, const struct json_value *object, struct rule *rule)
{
    const struct json_value *value = json_member(&r->tree, object, "collective");
    char all[160] = "";

    if (!value)
        return wrong(r, object, "the rule has no \"collective\"; add one");
    for (int c = 0; c < COLLECTIVES; c++) {
        const char *name = hint_table[HINT_BARRIER + c].key + strlen("inkling_");

        if (value->kind == JSON_TEXT && json_is(value->text, name)) {
            rule->collective = c;
            return MPI_SUCCESS;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", c ? ", " : "", name);
    }
    return wrong(r, value, "\"collective\" is %s; write one of %s", shown(value), all);
}

static int read_algorithm(const struct reading *r, const struct json_value *object, struct rule *rule)
{
    const struct json_value *value = json_member(&r->tree, object, "algorithm");
    const char *words = hint_table[HINT_BARRIER + rule->collective].choices + strlen("auto,");
    struct hint_span word;

    if (!value)
        return wrong(r, object, "the rule has no \"algorithm\"; add one of %s", words);
    rule->algorithm = 0;
    for (const char *rest = words; hint_list_next(&rest, &word); rule->algorithm++)
        if (value->kind == JSON_TEXT && word.length == value->text.length &&
            memcmp(word.start, value->text.at, word.length) == 0)
            return MPI_SUCCESS;
    return wrong(r, value, "\"algorithm\" is %s; write one of %s", shown(value), words);
}

/* "name": [from, to]. */
static int read_range(const struct reading *r, const struct json_value *object, const char *name,
                      unsigned long long most, unsigned long long range[2])
{
    const struct json_value *value = json_member(&r->tree, object, name), *from, *to;

    range[0] = 0;
    range[1] = most;
    if (!value)
        return MPI_SUCCESS;
    from = value->kind == JSON_ARRAY ? json_first(&r->tree, value) : NULL;
    to = from ? json_next(&r->tree, from) : NULL;
    if (!to || json_next(&r->tree, to))
        return wrong(r, value, "\"%s\" is %s; write [FROM, TO], with null for a TO without bound", name,
                     value->kind == JSON_ARRAY ? "an array of another length than two" : shown(value));
    if (!json_whole(from, &range[0]) || range[0] > most)
        return wrong(r, from, "\"%s\" begins with %s; write a whole number from 0 on", name, shown(from));
    if (to->kind != JSON_NULL && (!json_whole(to, &range[1]) || range[1] < range[0]))
        return wrong(r, to, "\"%s\" ends with %s; write a whole number of at least %llu, or null", name,
                     shown(to), range[0]);
    if (range[1] > most)
        range[1] = most;
    return MPI_SUCCESS;
}

static int read_ranges(const struct reading *r, const struct json_value *object, struct rule *rule)
{
    unsigned long long bytes[2], ranks[2], hosts[2];
    int error = read_range(r, object, "bytes", SIZE_MAX, bytes);

    if (!error)
        error = read_range(r, object, "ranks", INT_MAX, ranks);
    if (!error)
        error = read_range(r, object, "hosts", INT_MAX, hosts);
    if (error)
        return error;
    rule->from_bytes = bytes[0];
    rule->to_bytes = bytes[1];
    rule->from_ranks = (int)ranks[0];
    rule->to_ranks = (int)ranks[1];
    rule->from_hosts = (int)hosts[0];
    rule->to_hosts = (int)hosts[1];
    return MPI_SUCCESS;
}

static int read_rule(const struct reading *r, const struct json_value *object)
{
    static const char *const names[] = {"collective", "algorithm", "bytes", "ranks", "hosts", NULL};
    struct rule rule = {.collective = 0};
    const struct json_value *odd;
    int error;

    if (object->kind != JSON_OBJECT)
        return wrong(r, object, "a rule is %s; write an object like {\"collective\": ...}", shown(object));
    odd = stranger(r, object, names);
    if (odd)
        return wrong(r, odd,
                     "a rule has \"%.*s\"; it takes collective, algorithm, bytes, ranks and hosts: remove or "
                     "rename it",
                     (int)(odd->name.length < 40 ? odd->name.length : 40), odd->name.at);
    error = read_collective(r, object, &rule);
    if (!error)
        error = read_algorithm(r, object, &rule);
    if (!error)
        error = read_ranges(r, object, &rule);
    if (!error)
        r->rules->rule[r->rules->count++] = rule;
    return error;
}

static int read_setting(const struct reading *r, const struct json_value *value)
{
    struct rules_setting *s = &r->rules->setting[r->rules->settings];
    char legal[128];
    int64_t number;

    for (int i = 0; i < may_set_count; i++) {
        if (!json_is(value->name, hint_table[may_set[i]].key))
            continue;
        s->id = may_set[i];
        json_copy(value, s->value, sizeof s->value);
        hint_format_legal(&hint_table[s->id], legal, sizeof legal);
        if (!parse_value(&hint_table[s->id], s->value, &number))
            return wrong(r, value, "\"%s\" is %s; write %s, in quotes", hint_table[s->id].key, shown(value),
                         legal);
        r->rules->settings += r->rules->settings < RULES_SETTINGS - 1;
        return MPI_SUCCESS;
    }
    return wrong(r, value,
                 "\"settings\" has \"%.*s\"; it takes inkling_eager_limit, inkling_joint_limit, "
                 "inkling_ofi_eager_limit and inkling_network: remove it",
                 (int)(value->name.length < 40 ? value->name.length : 40), value->name.at);
}

static int read_version(const struct reading *r)
{
    const struct json_value *version = json_member(&r->tree, r->tree.value, "inkling_rules");
    unsigned long long number;

    if (r->tree.value->kind != JSON_OBJECT || !version)
        return wrong(r, r->tree.value, "this is no file of rules; it begins with {\"inkling_rules\": %d",
                     RULES_VERSION);
    if (!json_whole(version, &number) || number != RULES_VERSION)
        return wrong(r, version,
                     "\"inkling_rules\" is version %s, and this library reads version %d; have "
                     "its own inkling tune write the file",
                     shown(version), RULES_VERSION);
    return MPI_SUCCESS;
}

static int read_whole(const struct reading *r)
{
    static const char *const names[] = {"inkling_rules", "machine",  "date",  "note",
                                        "model",         "settings", "rules", NULL};
    const struct json_value *whole = r->tree.value, *odd, *list;
    int error = read_version(r);

    if (error)
        return error;
    odd = stranger(r, whole, names);
    if (odd)
        return wrong(r, odd,
                     "the file has \"%.*s\"; it takes machine, date, note, model, settings and rules: "
                     "remove or rename it",
                     (int)(odd->name.length < 40 ? odd->name.length : 40), odd->name.at);
    json_copy(json_member(&r->tree, whole, "machine"), r->rules->machine, sizeof r->rules->machine);
    json_copy(json_member(&r->tree, whole, "date"), r->rules->date, sizeof r->rules->date);
    list = json_member(&r->tree, whole, "settings");
    for (const struct json_value *v = list ? json_first(&r->tree, list) : NULL; v && !error;
         v = json_next(&r->tree, v))
        error = read_setting(r, v);
    list = json_member(&r->tree, whole, "rules");
    if (!error && (!list || list->kind != JSON_ARRAY))
        return wrong(r, list ? list : whole, "the file has no array \"rules\"; write \"rules\": []");
    for (const struct json_value *v = list ? json_first(&r->tree, list) : NULL; v && !error;
         v = json_next(&r->tree, v))
        error = read_rule(r, v);
    return error;
}

/* FNV-1a, of what the ranks must have in common. */
static uint64_t digest_more(uint64_t digest, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        digest = (digest ^ (word >> 8 * i & 0xff)) * 0x100000001b3;
    return digest;
}

static uint64_t digest_of(const struct rules *rules)
{
    uint64_t digest = 0xcbf29ce484222325;

    for (const struct rule *r = rules->rule; r < rules->rule + rules->count; r++) {
        digest = digest_more(digest, (uint64_t)r->collective << 32 | (uint64_t)r->algorithm);
        digest = digest_more(digest_more(digest, r->from_bytes), r->to_bytes);
        digest = digest_more(digest, (uint64_t)r->from_ranks << 32 | (uint64_t)r->to_ranks);
        digest = digest_more(digest, (uint64_t)r->from_hosts << 32 | (uint64_t)r->to_hosts);
    }
    return digest ? digest : 1;
}

/* Not of malloc: once so large a block has been freed, glibc takes the program's own large blocks from the heap (M_MMAP_THRESHOLD),
 * and collectives of them are up to 14 % slower. */
static char *map_text(void)
{
    char *text = mmap(NULL, RULES_LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return text == MAP_FAILED ? NULL : text;
}

static void unmap_text(char *text)
{
    munmap(text, RULES_LARGEST);
}

/* The whole file, to be unmapped. NULL: the note says why. */
static char *read_file(const char *path, size_t *length)
{
    FILE *in = fopen(path, "re");
    char *text = in ? map_text() : NULL;

    if (!in || !text) {
        fail(MPI_ERR_OTHER, "%.200s: cannot be read (%s); name a file that inkling tune has written", path,
             strerror(in ? ENOMEM : errno));
        if (in)
            fclose(in);
        return NULL;
    }
    *length = fread(text, 1, RULES_LARGEST, in);
    if (ferror(in) || *length == RULES_LARGEST) {
        fail(MPI_ERR_OTHER, "%.200s: %s; name a file that inkling tune has written", path,
             ferror(in) ? "is no file of text" : "has 4 MiB or more");
        unmap_text(text);
        text = NULL;
    }
    fclose(in);
    return text;
}

static int parse_rules(const char *path, const char *text, size_t length, struct rules **rules)
{
    struct reading r = {.path = path};
    int error = json_read(&r.tree, text, length);

    if (error) {
        char note[FAIL_NOTE_SIZE];

        snprintf(note, sizeof note, "%s", fail_note());
        return fail(error, "%.80s: %.200s; mend it there", path, note);
    }
    r.rules = calloc(1, sizeof *r.rules + (size_t)r.tree.count * sizeof r.rules->rule[0]);
    error = r.rules ? read_whole(&r) : fail(MPI_ERR_NO_MEM, "%.80s: no memory for its rules", path);
    if (error) {
        free(r.rules);
    } else {
        snprintf(r.rules->path, sizeof r.rules->path, "%s", path);
        r.rules->digest = digest_of(r.rules);
        *rules = r.rules;
    }
    json_free(&r.tree);
    return error;
}

static bool are_equal(const struct rules *a, const struct rules *b)
{
    return a->digest == b->digest && a->settings == b->settings && strcmp(a->path, b->path) == 0 &&
           memcmp(a->setting, b->setting, sizeof a->setting) == 0;
}

/* Takes the rules, which are freed where their equals are kept already. */
static int64_t rules_keep(struct rules *rules)
{
    int at = 0;

    lock_always_take(&lock);
    while (at < kept_count && !are_equal(kept[at], rules))
        at++;
    if (at < kept_count || at == RULES_FILES)
        free(rules);
    else
        kept[kept_count++] = rules;
    lock_always_release(&lock);
    if (at == RULES_FILES)
        fail(MPI_ERR_OTHER, "this process has read %d different files of rules; use fewer", RULES_FILES);
    return at == RULES_FILES ? 0 : at + 1;
}

int64_t coll_rules_read(const char *path)
{
    struct rules *rules = NULL;
    size_t length;
    char *text = read_file(path, &length);
    int error;

    if (!text)
        return 0;
    error = parse_rules(path, text, length, &rules);
    unmap_text(text);
    return error ? 0 : rules_keep(rules);
}

const struct rules *coll_rules_of(const struct hints *h)
{
    int64_t number = hint_value_here(h, HINT_RULES);

    return number > 0 ? kept[number - 1] : NULL;
}

uint64_t coll_rules_digest(const struct hints *h)
{
    const struct rules *rules = coll_rules_of(h);

    return rules ? rules->digest : 0;
}

bool coll_rules_installed(char path[PATH_MAX])
{
    Dl_info here;
    char file[PATH_MAX];

    if (!dladdr(&lock, &here) || !here.dli_fname || !realpath(here.dli_fname, file))
        return false;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(file, '/');

        if (!slash)
            return false;
        *slash = '\0';
    }
    return snprintf(path, PATH_MAX, "%s/etc/inkling/rules.json", file) < PATH_MAX && access(path, F_OK) == 0;
}

/* Whether this process is the one that tells the user: mpiexec, or the first rank where another launcher started it. */
static bool tells(void)
{
    static const char *const ranks[] = {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};

    if (getenv("INKLING_JOB_RANK"))
        return false;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        if (getenv(ranks[i]))
            return strcmp(getenv(ranks[i]), "0") == 0;
    return true;
}

/* The number; 0: the built-in rules, and the user has been told why. */
static int64_t read_or_tell(const char *path)
{
    int64_t number = coll_rules_read(path);

    if (!number && tells())
        log_warn("%s; the built-in rules are in force", fail_note());
    return number;
}

static bool set_rules(struct hints *h, int64_t number, const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        return false;
    free(h->text[HINT_RULES]);
    h->text[HINT_RULES] = copy;
    /* relaxed: rules affect calls that start later and order nothing; who reads them got the object behind its lock or from its maker */
    __atomic_store_n(&h->value[HINT_RULES], number, __ATOMIC_RELAXED);
    return true;
}

enum hint_verdict coll_rules_offer(struct hints *h, const char *value)
{
    struct hint_span s = hint_span_trim((struct hint_span){value, strlen(value)});
    bool is_process = h->on & ON_PROCESS;
    char path[PATH_MAX];
    int64_t number = 0;

    if (s.length == 0 || s.length >= sizeof path)
        return HINT_BAD_VALUE;
    snprintf(path, sizeof path, "%.*s", (int)s.length, s.start);
    if (strcmp(path, coll_rules_built_in) != 0) {
        number = is_process ? read_or_tell(path) : coll_rules_read(path);
        if (!number && !is_process) {
            warn_of_key(h, hint_table[HINT_RULES].key, "info key \"%s\": %s; it keeps its value",
                        hint_table[HINT_RULES].key, fail_note());
            return HINT_BAD_VALUE;
        }
    }
    return set_rules(h, number, number ? path : coll_rules_built_in) ? HINT_ACCEPTED : HINT_NO_MEMORY;
}

void coll_rules_disagreed(struct hints *h, int rank)
{
    const struct rules *rules = coll_rules_of(h);

    if (rank == 0)
        warn_of_key(h, hint_table[HINT_RULES].key,
                    "the ranks have read different rules of collectives (rank 0: %.200s), and the built-in "
                    "ones are in force; "
                    "let all hosts have the same file",
                    rules ? rules->path : coll_rules_built_in);
    set_rules(h, 0, coll_rules_built_in);
    h->verdict[HINT_RULES] = HINT_DISAGREED;
}

void coll_rules_open_process(void)
{
    const struct rules *rules;
    char path[PATH_MAX];
    int64_t number;

    if (!hint_process.text[HINT_RULES] && coll_rules_installed(path)) {
        number = read_or_tell(path);
        if (set_rules(&hint_process, number, number ? path : coll_rules_built_in))
            hint_process.origin[HINT_RULES] = "the installation";
    }
    rules = coll_rules_of(&hint_process);
    for (int i = 0; rules && i < rules->settings; i++)
        if (!hint_process.origin[rules->setting[i].id]) {
            hint_process.giver = rules->path;
            hint_offer(&hint_process, AT_START, hint_table[rules->setting[i].id].key,
                       rules->setting[i].value);
        }
}

bool coll_rules_gave(enum hint_id id)
{
    const struct rules *rules = coll_rules_of(&hint_process);

    return rules && hint_process.origin[id] == rules->path;
}
