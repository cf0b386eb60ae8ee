#include "insight/checks/file/style_check.h"

#include "insight/findings/finding.h"
#include "insight/objects/info_value.h"
#include "insight/objects/type_check.h"

#include <string.h>

enum word {
    READ_ONCE = 1,
    WRITE_ONCE = 2,
    SEQUENTIAL = 4,
    REVERSE_SEQUENTIAL = 8,
    RANDOM = 16
};

static const struct {
    const char *text;
    enum word word;
} words[] = {{"read_once", READ_ONCE},
             {"write_once", WRITE_ONCE},
             {"sequential", SEQUENTIAL},
             {"reverse_sequential", REVERSE_SEQUENTIAL},
             {"random", RANDOM}};

static bool is_any_given;

void style_check_opened(struct file_style *style)
{
    style->unit = 1;
    style->begin = -1;
}

static unsigned read_words(const char *list)
{
    unsigned set = 0;
    size_t length;

    for (const char *word; (word = info_value_word(&list, &length));)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strlen(words[i].text) == length && strncmp(word, words[i].text, length) == 0)
                set |= words[i].word;
    return set & RANDOM ? set & (READ_ONCE | WRITE_ONCE) : set;
}

void style_check_learn(const struct intercept *call, struct file_style *style, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL];
    unsigned now;

    info_value_read(info, "access_style", value, sizeof value);
    now = read_words(value);
    if (now == style->words)
        return;
    style->words = now;
    style->given_at = call->site;
    style->begin = -1;
    style->of_reads.runs = style->of_writes.runs = 0;
    is_any_given |= now != 0;
}

void style_check_view(const struct intercept *call, struct file_style *style)
{
    const struct type_record *etype = type_check_find((MPI_Datatype)(intptr_t)call->argument[2]),
                             *filetype = type_check_find((MPI_Datatype)(intptr_t)call->argument[3]);

    style->unit = etype ? (int64_t)etype->one.bytes : 1;
    style->has_gaps = !etype || !filetype || !filetype->is_dense;
    style->view = call->argument[1] + (style->has_gaps ? 0 : filetype->run[0].offset);
    style->begin = -1;
}

static struct file_style *style_of(const struct intercept *call)
{
    struct file_record *file = is_any_given && intercept_has(call, AT_FILE) && intercept_has(call, AT_COUNT)
                                   ? tracked_find(TRACKED_FILE, (uint64_t)intercept_argument(call, AT_FILE))
                                   : NULL;

    return file && file->style.words ? &file->style : NULL;
}

static bool style_call_has(const struct intercept *call, const char *word)
{
    return strstr(call->procedure->name, word) != NULL;
}

/* Where the access begins, in units of the view; -1: that is not known. */
void style_check_before(struct intercept *call)
{
    MPI_Offset position = -1;

    if (!style_of(call))
        return;
    if (intercept_has(call, AT_OFFSET))
        position = intercept_argument(call, AT_OFFSET);
    else if (!style_call_has(call, "shared") && !style_call_has(call, "ordered"))
        real.File_get_position((MPI_File)(intptr_t)intercept_argument(call, AT_FILE), &position);
    call->saved[1] = position;
}

/* Adds a piece; false: some of its bytes are there already. */
static bool style_add_bytes(struct style_bytes *b, int64_t low, int64_t high)
{
    int i = 0, end;

    while (i < b->runs && b->run[i].high < low)
        i++;
    for (end = i; end < b->runs && b->run[end].low <= high; end++)
        if (b->run[end].low < high && low < b->run[end].high)
            return false;
    if (end > i) { /* it touches its neighbours */
        b->run[i].low = low < b->run[i].low ? low : b->run[i].low;
        b->run[i].high = high > b->run[end - 1].high ? high : b->run[end - 1].high;
        memmove(&b->run[i + 1], &b->run[end], (size_t)(b->runs - end) * sizeof *b->run);
        b->runs -= end - i - 1;
    } else if (b->runs < STYLE_RUNS) {
        memmove(&b->run[i + 1], &b->run[i], (size_t)(b->runs++ - i) * sizeof *b->run);
        b->run[i] = (struct style_run){low, high};
    }
    return true;
}

static void say_broken(struct intercept *call, const struct file_style *style, enum word word,
                       const char *what)
{
    int i = 0;

    while (words[i].word != word)
        i++;
    finding_add(&(struct finding_about){.class = FINDING_HINT,
                                        .call = call,
                                        .other = finding_place(style->accessed_at),
                                        .role = "the access before",
                                        .made = style->given_at,
                                        .made_by = "the hint set",
                                        .fix = "take the word out of the hint, or access the file so"},
                "%s %s, on a file with access_style=%s", call->procedure->name, what, words[i].text);
}

static void style_look_at_order(struct intercept *call, const struct file_style *style, int64_t begin,
                                bool is_write)
{
    if (style->begin < 0 || style->is_write != is_write)
        return;
    if (style->words & SEQUENTIAL && begin < style->begin && begin > 0)
        say_broken(call, style, SEQUENTIAL, "begins before the access before");
    else if (style->words & REVERSE_SEQUENTIAL && begin > style->begin && style->begin > 0)
        say_broken(call, style, REVERSE_SEQUENTIAL, "begins behind the access before");
}

void style_check_after(struct intercept *call)
{
    struct file_style *style = style_of(call);
    int64_t begin, bytes;
    bool is_write;

    if (!style)
        return;
    if (call->saved[1] < 0) {
        style->begin = -1;
        return;
    }
    is_write = style_call_has(call, "write");
    begin = call->saved[1] * style->unit;
    bytes = (int64_t)type_check_signature((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE),
                                          intercept_argument(call, AT_COUNT))
                .bytes;
    if (bytes == 0)
        return;
    style_look_at_order(call, style, begin, is_write);
    if (style->words & (is_write ? WRITE_ONCE : READ_ONCE) && !style->has_gaps &&
        !style_add_bytes(is_write ? &style->of_writes : &style->of_reads, style->view + begin,
                         style->view + begin + bytes))
        say_broken(call, style, is_write ? WRITE_ONCE : READ_ONCE,
                   is_write ? "writes bytes for the second time" : "reads bytes for the second time");
    style->begin = begin;
    style->is_write = is_write;
    style->accessed_at = call->site;
}
