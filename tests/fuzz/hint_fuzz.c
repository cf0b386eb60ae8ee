/* Fuzzes what programs and users write: info keys and values, kind lists, INKLING_ variables. The first byte
 * of the input chooses the target. The rest is the text: a key and a value separated by '='. */
#include "hint/hint.h"

#include "hint/parse.h"
#include "hint/vote.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool truth)
{
    if (!truth)
        abort();
}

/* What is provided is supported, contains the minimum, and is unchanged when it is provided again. */
static void fuzz_kinds(const char *text)
{
    char kinds[MPI_MAX_INFO_VAL], again[MPI_MAX_INFO_VAL], refused[MPI_MAX_INFO_VAL];

    kinds_provide(text, "mpi,system", kinds, sizeof kinds);
    expect(strlen(kinds) < sizeof kinds && !kinds_refused(kinds, -1, refused, sizeof refused));
    expect(strstr(kinds, "mpi") && strstr(kinds, "system"));
    kinds_provide(kinds, "", again, sizeof again);
    expect(strcmp(kinds, again) == 0);
}

/* An accepted value has a canonical text with the same meaning. */
static void fuzz_value(const struct hint_row *row, const char *text)
{
    char canonical[128];
    int64_t value, again;

    if (!parse_value(row, text, &value))
        return;
    hint_format_value(row, value, canonical, sizeof canonical);
    expect(parse_value(row, canonical, &again) && value == again);
}

static void expect_same_votes(const struct hints *h, const struct hints *other)
{
    struct vote a = vote_of(h, 0), b = vote_of(other, 0);

    expect(memcmp(&a, &b, sizeof a) == 0);
}

static void expect_same_votes_of_rows(const struct hints *h, const struct hints *other)
{
    struct vote_rows a = vote_rows_of(h, 0), b = vote_rows_of(other, 0);

    expect(memcmp(&a, &b, sizeof a) == 0);
}

static void fuzz_offer(unsigned on, const char *key, const char *value)
{
    char now[MPI_MAX_INFO_VAL + 1], why[256];
    struct hints h, copy;

    hints_init(&h, on);
    hint_offer(&h, AT_SET, key, value);
    for (int id = 0; id < HINT_COUNT; id++) {
        hint_offer(&h, AT_CREATE, hint_table[id].key, value);
        hint_format(&h, (enum hint_id)id, now, sizeof now);
        hint_explain(&h, (enum hint_id)id, NULL, why, sizeof why);
    }
    expect(hints_copy(&h, &copy));
    if (on & ON_COMM)
        expect_same_votes(&h, &copy);
    else
        expect_same_votes_of_rows(&h, &copy);
    hints_fini(&copy);
    hints_fini(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text, *value;

    if (size < 1 || size > MPI_MAX_INFO_VAL)
        return 0;
    text = strndup((const char *)data + 1, size - 1);
    expect(text);
    value = strchr(text, '=');
    if (data[0] % 3 == 0) {
        fuzz_kinds(text);
    } else if (data[0] % 3 == 1) {
        fuzz_value(&hint_table[data[0] / 3 % HINT_COUNT], text);
    } else if (value) {
        *value = '\0';
        fuzz_offer(ON_COMM, text, value + 1);
        fuzz_offer(ON_WIN, text, value + 1);
        hint_process_set(text, value + 1);
    }
    free(text);
    return 0;
}
