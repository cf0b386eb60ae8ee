#include "plain/json.h"

#include "plain/fail.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void json_write_text(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == '<')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

void json_write_member(FILE *out, const char *before, const char *name, const char *text)
{
    fprintf(out, "%s\"%s\": ", before, name);
    json_write_text(out, text);
}

struct json_reader {
    struct json_tree *tree;
    const char *at, *end;
    int depth;
};

void json_place(const struct json_tree *tree, const char *at, int *line, int *column)
{
    const char *begin = tree->text;

    *line = 1;
    for (const char *c = tree->text; c < at; c++)
        if (*c == '\n') {
            *line += 1;
            begin = c + 1;
        }
    *column = (int)(at - begin) + 1;
}

static int json_complain(const struct json_reader *r, const char *expected)
{
    int line, column;

    json_place(r->tree, r->at, &line, &column);
    if (r->at == r->end)
        return fail(MPI_ERR_OTHER, "line %d, column %d: the text ends where there should be %s", line, column,
                    expected);
    return fail(MPI_ERR_OTHER, "line %d, column %d: '%.*s' stands where there should be %s", line, column, 1,
                r->at, expected);
}

static void skip_space(struct json_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* Takes the character, if it is the next one behind spaces. */
static bool take(struct json_reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool is_escape(const struct json_reader *r)
{
    if (r->end - r->at < 2 || !strchr("\"\\/bfnrtu", r->at[1]))
        return false;
    if (r->at[1] != 'u')
        return true;
    return r->end - r->at >= 6 && strspn(r->at + 2, "0123456789abcdefABCDEF") >= 4;
}

/* Behind the first quote. */
static int json_read_text(struct json_reader *r, struct json_span *text)
{
    text->at = r->at;
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < ' ' || (*r->at == '\\' && !is_escape(r)))
            return json_complain(r, "a character of a text, or its quote");
        r->at += *r->at == '\\' ? 2 : 1;
    }
    text->length = (size_t)(r->at - text->at);
    return take(r, '"') ? MPI_SUCCESS : json_complain(r, "the quote that ends a text");
}

static bool json_take_digits(struct json_reader *r)
{
    const char *begin = r->at;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return r->at > begin;
}

static bool json_take_fraction(struct json_reader *r)
{
    if (r->at == r->end || *r->at != '.')
        return true;
    r->at++;
    return json_take_digits(r);
}

static bool json_take_exponent(struct json_reader *r)
{
    if (r->at == r->end || (*r->at != 'e' && *r->at != 'E'))
        return true;
    r->at++;
    if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
        r->at++;
    return json_take_digits(r);
}

static int json_read_number(struct json_reader *r, struct json_span *text)
{
    text->at = r->at;
    if (*r->at == '-')
        r->at++;
    if (r->end - r->at > 1 && r->at[0] == '0' && r->at[1] >= '0' && r->at[1] <= '9')
        return json_complain(r, "a number without zeros before it");
    if (!json_take_digits(r) || !json_take_fraction(r) || !json_take_exponent(r))
        return json_complain(r, "a digit");
    text->length = (size_t)(r->at - text->at);
    return MPI_SUCCESS;
}

static int json_read_word(struct json_reader *r, struct json_value *value)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);

        if ((size_t)(r->end - r->at) < length || memcmp(r->at, words[i].word, length) != 0)
            continue;
        value->kind = words[i].kind;
        value->text = (struct json_span){r->at, length};
        r->at += length;
        return MPI_SUCCESS;
    }
    return json_complain(r, "a value");
}

/* The index of a new value; -1: there is no memory. */
static int add_value(struct json_tree *tree)
{
    if (tree->count == tree->capacity) {
        int capacity = tree->capacity ? 2 * tree->capacity : 64;
        struct json_value *more = realloc(tree->value, (size_t)capacity * sizeof *more);

        if (!more)
            return -1;
        tree->value = more;
        tree->capacity = capacity;
    }
    tree->value[tree->count] = (struct json_value){.kind = JSON_NULL};
    return tree->count++;
}

static int json_read_value(struct json_reader *r, int *index);

static int json_read_name(struct json_reader *r, struct json_span *name)
{
    int error;

    if (!take(r, '"'))
        return json_complain(r, "the name of a member, in quotes");
    error = json_read_text(r, name);
    if (error)
        return error;
    return take(r, ':') ? MPI_SUCCESS : json_complain(r, "a colon");
}

/* Behind the opening bracket. */
static int json_read_members(struct json_reader *r, int whole, char closing)
{
    int last = 0, index, error = MPI_SUCCESS;

    r->tree->value[whole].kind = closing == '}' ? JSON_OBJECT : JSON_ARRAY;
    if (r->depth++ == JSON_DEPTH)
        return json_complain(r, "no further level of objects and arrays");
    if (take(r, closing)) {
        r->depth--;
        return MPI_SUCCESS;
    }
    do {
        struct json_span name = {NULL, 0};

        if (closing == '}')
            error = json_read_name(r, &name);
        if (!error)
            error = json_read_value(r, &index);
        if (error)
            return error;
        r->tree->value[index].name = name;
        *(last ? &r->tree->value[last].next : &r->tree->value[whole].first) = index;
        last = index;
    } while (take(r, ','));
    r->depth--;
    if (take(r, closing))
        return MPI_SUCCESS;
    return json_complain(r, closing == '}' ? "a comma or }" : "a comma or ]");
}

static int json_read_value(struct json_reader *r, int *index)
{
    struct json_value value = {.kind = JSON_NULL};
    int error;

    *index = add_value(r->tree);
    if (*index < 0)
        return fail(MPI_ERR_NO_MEM, "no memory for %d values", r->tree->count);
    skip_space(r);
    value.text = (struct json_span){r->at, 0};
    if (r->at == r->end)
        return json_complain(r, "a value");
    if (*r->at == '{' || *r->at == '[') {
        char closing = *r->at++ == '{' ? '}' : ']';

        r->tree->value[*index].text = (struct json_span){r->at - 1, 1};
        return json_read_members(r, *index, closing);
    }
    if (take(r, '"')) {
        value.kind = JSON_TEXT;
        error = json_read_text(r, &value.text);
    } else if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9')) {
        value.kind = JSON_NUMBER;
        error = json_read_number(r, &value.text);
    } else {
        error = json_read_word(r, &value);
    }
    r->tree->value[*index] = value;
    return error;
}

int json_read(struct json_tree *tree, const char *text, size_t length)
{
    struct json_reader r = {.tree = tree, .at = text, .end = text + length};
    int whole, error;

    *tree = (struct json_tree){.text = text};
    error = json_read_value(&r, &whole);
    skip_space(&r);
    if (!error && r.at != r.end)
        error = json_complain(&r, "the end");
    if (error)
        json_free(tree);
    return error;
}

void json_free(struct json_tree *tree)
{
    free(tree->value);
    *tree = (struct json_tree){.text = NULL};
}

const struct json_value *json_first(const struct json_tree *tree, const struct json_value *value)
{
    return value->first ? &tree->value[value->first] : NULL;
}

const struct json_value *json_next(const struct json_tree *tree, const struct json_value *value)
{
    return value->next ? &tree->value[value->next] : NULL;
}

const struct json_value *json_member(const struct json_tree *tree, const struct json_value *object,
                                     const char *name)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *v = json_first(tree, object); v; v = json_next(tree, v))
        if (json_is(v->name, name))
            return v;
    return NULL;
}

bool json_is(struct json_span span, const char *word)
{
    return strlen(word) == span.length && memcmp(span.at, word, span.length) == 0;
}

/* A code point of at most 16 bits as UTF-8. Returns how many bytes. */
static size_t encode(unsigned code, char utf8[3])
{
    if (code < 0x80) {
        utf8[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        utf8[0] = (char)(0xc0 | code >> 6);
        utf8[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    utf8[0] = (char)(0xe0 | code >> 12);
    utf8[1] = (char)(0x80 | (code >> 6 & 0x3f));
    utf8[2] = (char)(0x80 | (code & 0x3f));
    return 3;
}

/* What the escape at `at` stands for; *used: its length. */
static size_t decode(const char *at, char utf8[3], size_t *used)
{
    static const char names[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *name = strchr(names, at[1]);
    char digits[5] = "";

    *used = 2;
    if (at[1] == 'u') {
        memcpy(digits, at + 2, 4);
        *used = 6;
        return encode((unsigned)strtoul(digits, NULL, 16), utf8);
    }
    utf8[0] = name ? meant[name - names] : at[1];
    return 1;
}

void json_copy(const struct json_value *value, char *text, size_t size)
{
    size_t used = 0, step;

    text[0] = '\0';
    if (!value || value->kind != JSON_TEXT)
        return;
    for (size_t i = 0; i < value->text.length; i += step) {
        char utf8[3] = {value->text.at[i]};
        size_t length = 1;

        step = 1;
        if (utf8[0] == '\\')
            length = decode(value->text.at + i, utf8, &step);
        if (used + length >= size)
            break;
        memcpy(text + used, utf8, length);
        used += length;
        text[used] = '\0';
    }
}

bool json_number(const struct json_value *value, double *number)
{
    char text[64];

    if (!value || value->kind != JSON_NUMBER || value->text.length >= sizeof text)
        return false;
    memcpy(text, value->text.at, value->text.length);
    text[value->text.length] = '\0';
    *number = strtod(text, NULL);
    return true;
}

bool json_whole(const struct json_value *value, unsigned long long *number)
{
    double whole;

    if (!json_number(value, &whole) || whole < 0 || whole >= 9007199254740992.0 ||
        whole != (double)(unsigned long long)whole)
        return false;
    *number = (unsigned long long)whole;
    return true;
}
