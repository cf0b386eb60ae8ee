/* coll_rules: a file that says which algorithms collectives take, beside the rules that are built in (coll/choice.h).
 *
 * The setting inkling_rules names it, for the job or in the info of a communicator; else it is etc/inkling/rules.json of the
 * installation, if there is one. The word built-in means none. `inkling tune` writes such a file, a person may:
 *
 *     {"inkling_rules": 1,
 *      "machine": "two cores of X", "date": "2026-11-28", "note": "...",
 *      "model": {...},                                  what inkling simulate takes, see cmd/simulate
 *      "settings": {"inkling_eager_limit": "8K"},       of the job, where nobody else gives them
 *      "rules": [{"collective": "allreduce", "algorithm": "tree", "bytes": [0, 2048], "ranks": [3, 8], "hosts": [1, 1]}]}
 *
 * Of a range both ends are included; null as the end, or no range: any. Hosts are those of the communicator's ranks. The first rule
 * that fits and whose algorithm is possible is taken, and if there is none, the built-in ones are looked through.
 *
 * A file that is missing or wrong is told of in one line, and the built-in rules are in force. All ranks must take the same rules. A
 * communicator's are agreed upon when it is made, by the digest of what was read (hint/vote.h), and those of a world of several hosts
 * before the first call that uses them (coll/dispatch.c).
 *
 * Threads: what was read is constant and is kept until the process ends; equal files are kept once. `lock` in coll_rules.c guards the list;
 * who has the number of an entry got it behind that lock.
 */
#ifndef HINT_COLL_RULES_H
#define HINT_COLL_RULES_H

#include "hint/hint.h"

#include <limits.h>

struct rule {
    int collective, algorithm;   /* as coll/choice.h counts them */
    size_t from_bytes, to_bytes; /* both included */
    int from_ranks, to_ranks, from_hosts, to_hosts;
};

struct rules_setting {
    enum hint_id id;
    char value[32];
};

enum {
    RULES_VERSION = 1,
    RULES_FILES = 64,  /* different ones in a process */
    RULES_SETTINGS = 5 /* rows that a file may set, and one */
};

struct rules {
    uint64_t digest; /* of what is in force; never 0 */
    char path[PATH_MAX], machine[128], date[32];
    struct rules_setting setting[RULES_SETTINGS];
    int settings, count;
    struct rule rule[];
};

extern const char coll_rules_built_in[]; /* the word */

/* The number of the file's rules, for HINT_RULES; 0: it is missing or wrong, and the note says where and how to mend it. */
int64_t coll_rules_read(const char *path);
/* The rules in force; NULL: the built-in ones alone. */
const struct rules *coll_rules_of(const struct hints *h);
/* 0: of the built-in ones. */
uint64_t coll_rules_digest(const struct hints *h);
/* The file of the installation that this code belongs to. False: there is none. */
bool coll_rules_installed(char path[PATH_MAX]);

/* What hint.c does with a value of HINT_RULES. */
enum hint_verdict coll_rules_offer(struct hints *h, const char *path);
/* The ranks have different rules: the built-in ones are in force on all of them, and rank 0 tells. */
void coll_rules_disagreed(struct hints *h, int rank);
/* What process.c does when the environment has been read: takes the installation's file where none is given, and the settings of the
 * file in force. */
void coll_rules_open_process(void);
/* Whether this setting of the process is from the file in force. */
bool coll_rules_gave(enum hint_id id);

#endif
