/* Fuzzes what programs and users write: info keys and values, kind lists, INKLING_ variables. The first byte
 * of the input chooses; the rest is the text, a key and a value divided by '='. */
#include "hint/hint.h"
#include "hint/kinds.h"
#include "hint/parse.h"

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

/* What is provided is supported, has the minimum, and comes out the same when it goes in again. */
static void fuzz_kinds(const char *text)
{
    char kinds[MPI_MAX_INFO_VAL], again[MPI_MAX_INFO_VAL];

    kinds_provide(text, "mpi,system", kinds, sizeof kinds);
    expect(strlen(kinds) < sizeof kinds && kinds_are_supported(kinds));
    expect(strstr(kinds, "mpi") && strstr(kinds, "system"));
    kinds_provide(kinds, "", again, sizeof again);
    expect(strcmp(kinds, again) == 0);
}

/* What is accepted has a canonical text, which means the same. */
static void fuzz_value(const struct hint_row *row, const char *text)
{
    char canonical[128];
    int64_t value, again;

    if (!parse_value(row, text, &value))
        return;
    hint_format_value(row, value, canonical, sizeof canonical);
    expect(parse_value(row, canonical, &again) && value == again);
}

static void fuzz_offer(const char *key, const char *value)
{
    char now[MPI_MAX_INFO_VAL + 1], why[256];
    struct hints h, copy;

    hints_init(&h, ON_COMM);
    hint_offer(&h, AT_SET, key, value);
    for (int id = 0; id < HINT_COUNT; id++) {
        hint_offer(&h, AT_CREATE, hint_table[id].key, value);
        hint_format(&h, (enum hint_id)id, now, sizeof now);
        hint_explain(&h, (enum hint_id)id, why, sizeof why);
    }
    expect(hints_copy(&h, &copy));
    expect(hints_agreement(&h) == hints_agreement(&copy));
    hints_fini(&copy);
    hints_fini(&h);
    hint_process_set(key, value);
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
        fuzz_offer(text, value + 1);
    }
    free(text);
    return 0;
}
