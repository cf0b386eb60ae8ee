/* Fuzzes what arrives on a PMI socket: a line, its words, its numbers and its escapes. */
#include "plain/pmi_line.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool truth)
{
    if (!truth)
        abort();
}

/* Escaping and unescaping keep any text. */
static void fuzz_escape(const char *text)
{
    static char word[3 * PMI_LINE_SIZE + 4], back[PMI_LINE_SIZE];

    pmi_line_escape(text, word, sizeof word);
    expect(!strpbrk(word, " =\n"));
    pmi_line_unescape(word, back, sizeof back);
    expect(strcmp(text, back) == 0);
    pmi_line_unescape(text, back, sizeof back);
}

static void fuzz_line(char *text)
{
    struct pmi_line line;
    int number;

    if (pmi_line_parse(text, &line))
        return;
    expect(line.count > 0 && line.count <= PMI_WORDS);
    for (int i = 0; i < line.count; i++) {
        expect(pmi_line_find(&line, line.name[i]) != NULL);
        pmi_line_int(&line, line.name[i], &number);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pmi_inbox inbox;

    inbox.begin = 0;
    inbox.end = size < sizeof inbox.bytes ? size : sizeof inbox.bytes;
    memcpy(inbox.bytes, data, inbox.end);
    for (char *line; (line = pmi_inbox_next(&inbox));) {
        fuzz_escape(line);
        fuzz_line(line);
    }
    return 0;
}
