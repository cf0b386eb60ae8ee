/* Reads the frames of a thread of Python, and finds the line of an instruction. */
#include "cmd/where/script.h"

#include <stdio.h>
#include <string.h>

enum {
    FRAMES_MOST = 128, /* of libraries, that are passed over */
    TEXT_MOST = 1024,  /* characters */
    HEADER_MOST = 128, /* of a text */
    OBJECT_MOST = 512,
    OF_C = 3,     /* owner of a frame that only marks where C has called Python */
    UNIT = 2,     /* bytes of a unit of code, in which the table of lines counts */
    ENTRY = 0x80, /* the first byte of an entry of that table has this bit */
    SHORT_MOST = 9,
    ONE_LINE_FIRST = 10,
    NO_COLUMNS = 13,
    LONG = 14,
    NO_LINE = 15
};

static uint64_t word_in(const unsigned char *object, uint64_t offset)
{
    uint64_t word;

    memcpy(&word, object + offset, sizeof word);
    return word;
}

/* A character as UTF-8; what is not printable as '?'. Returns how many bytes. */
static size_t put_character(uint32_t c, char *to)
{
    if (c < ' ' || (c >= 127 && c < 160) || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = '?';
    if (c < 0x80) {
        *to = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 63));
        to[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63));
    to[3] = (char)(0x80 | (c & 63));
    return 4;
}

static void put_characters(const unsigned char *from, uint64_t count, unsigned size, char *to, size_t room)
{
    size_t used = 0;

    for (uint64_t i = 0; i < count && used + 5 < room; i++) {
        uint32_t c = 0;

        memcpy(&c, from + i * size, size); /* machines of this library are little-endian */
        used += put_character(c, to + used);
    }
    to[used] = 0;
}

/* The last TEXT_MOST characters of a str object. False: it is none. */
static bool read_str(const struct traced *t, const struct script_offsets *at, uint64_t object, char *to,
                     size_t room)
{
    unsigned char header[HEADER_MOST], data[TEXT_MOST * sizeof(uint32_t)];
    uint64_t length, skipped, begin;
    unsigned state, size;

    *to = 0;
    if (!object || at->text.size > sizeof header || !traced_read(t, object, header, at->text.size))
        return false;
    length = word_in(header, at->text.length);
    state = header[at->text.state];
    size = state >> 2 & 7;
    if (!(state >> 5 & 1) || (size != 1 && size != 2 && size != 4) || length > 1 << 20)
        return false;
    skipped = length > TEXT_MOST ? length - TEXT_MOST : 0;
    begin = object + at->text.ascii_size + (state >> 6 & 1 ? 0 : 2 * sizeof(uint64_t)) + skipped * size;
    if (!traced_read(t, begin, data, (size_t)(length - skipped) * size))
        return false;
    put_characters(data, length - skipped, size, to, room);
    return *to != 0;
}

/* As people call it: without the functions around it; a lambda or a comprehension is part of what encloses it. "": outside functions. */
static void shorten_name(char *function)
{
    static const char within[] = ".<locals>.";
    char *last = function, *found;
    size_t length = strlen(function);

    while (length && function[length - 1] == '>') {
        found = strrchr(function, '<');
        *(found ? found : function) = 0;
        length = strlen(function);
        if (length >= sizeof within - 1 && strcmp(function + length - (sizeof within - 1), within) == 0)
            function[length -= sizeof within - 1] = 0;
    }
    while ((found = strstr(last, within)) != NULL)
        last = found + sizeof within - 1;
    memmove(function, last, strlen(last) + 1);
}

/* A file of Python's own or of an installed package. */
static bool is_of_library(const char *file)
{
    return strncmp(file, "<frozen", 7) == 0 || strstr(file, "/lib/python3") ||
           strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}

static bool read_line_table(const struct traced *t, const struct script_offsets *at, uint64_t object,
                            struct script_copy *copy)
{
    uint64_t count = object ? traced_word(t, object + at->bytes.count) : 0;

    copy->line_bytes = count < sizeof copy->lines ? count : sizeof copy->lines;
    return count && traced_read(t, object + at->bytes.data, copy->lines, copy->line_bytes);
}

/* Takes a frame. False: it makes no sense. *of_library: it is a library's. */
static bool copy_code(const struct traced *t, const struct script_offsets *at, const unsigned char *frame,
                      bool *of_library, struct script_copy *copy)
{
    uint64_t object = word_in(frame, at->frame.code), begin = object + at->code.instructions;
    char file[4 * TEXT_MOST + 8];
    unsigned char code[OBJECT_MOST];
    const char *slash;

    if (!object || !traced_read(t, object, code, at->code.size) ||
        !read_str(t, at, word_in(code, at->code.file), file, sizeof file) ||
        !read_str(t, at, word_in(code, at->code.function), copy->function, sizeof copy->function) ||
        word_in(frame, at->frame.instruction) < begin ||
        !read_line_table(t, at, word_in(code, at->code.lines), copy))
        return false;
    shorten_name(copy->function);
    *of_library = is_of_library(file);
    slash = strrchr(file, '/');
    snprintf(copy->file, sizeof copy->file, "%.*s", SCRIPT_NAME - 1, slash ? slash + 1 : file);
    copy->instruction = word_in(frame, at->frame.instruction) - begin;
    memcpy(&copy->first_line, code + at->code.first_line, sizeof copy->first_line);
    return true;
}

/* Python's frames of the thread, the innermost first, until one is not a library's. */
static void walk_python(const struct traced *t, const struct script_offsets *at, uint64_t next,
                        struct script_copy *copy)
{
    static struct script_copy innermost;
    unsigned char frame[OBJECT_MOST];
    bool of_library = true;
    int taken = 0;

    innermost.has_frame = false;
    for (int i = 0; next && of_library && i < FRAMES_MOST; i++) {
        if (!traced_read(t, next, frame, at->frame.size))
            break;
        next = word_in(frame, at->frame.previous);
        if (frame[at->frame.owner] == OF_C)
            continue;
        copy->has_frame = copy_code(t, at, frame, &of_library, copy);
        if (!copy->has_frame)
            break;
        if (taken++ == 0)
            innermost = *copy;
    }
    if (copy->has_frame && !of_library) {
        if (taken > 1)
            snprintf(copy->inner, sizeof copy->inner, "%s", innermost.function);
    } else if (innermost.has_frame) {
        *copy = innermost;
    }
}

void script_copy_frame(const struct traced *t, const struct script_thread *thread, struct script_copy *copy)
{
    const struct script_offsets *at;

    copy->has_frame = false;
    *copy->inner = 0;
    if (!thread->python)
        return;
    at = &thread->python->at;
    if (traced_word(t, thread->state + at->thread.native) == thread->native)
        walk_python(t, at, traced_word(t, thread->state + at->thread.frame), copy);
}

/* A number in steps of 6 bits, the lowest first. */
static uint32_t take_varint(const struct script_copy *copy, size_t *at)
{
    uint32_t number = 0, byte = 0x40;

    for (unsigned shift = 0; (byte & 0x40) && *at < copy->line_bytes && shift < 30; shift += 6) {
        byte = copy->lines[(*at)++];
        number |= (byte & 63) << shift;
    }
    return number;
}

/* By how much an entry, whose first byte has been taken, moves the line. */
static int take_line_step(const struct script_copy *copy, int kind, size_t *at)
{
    uint32_t number;

    if (kind <= SHORT_MOST || kind == NO_LINE)
        return 0;
    if (kind < NO_COLUMNS)
        return kind - ONE_LINE_FIRST;
    number = take_varint(copy, at);
    return number & 1 ? -(int)(number >> 1) : (int)(number >> 1);
}

int script_line(const struct script_copy *copy)
{
    uint64_t end = 0;
    int line = copy->first_line;
    size_t at = 0;

    while (at < copy->line_bytes) {
        unsigned char first = copy->lines[at++];
        int kind = first >> 3 & 15;

        if (!(first & ENTRY))
            return 0;
        end += ((first & 7) + 1u) * UNIT;
        line += take_line_step(copy, kind, &at);
        if (copy->instruction < end)
            return kind == NO_LINE || line < 0 ? 0 : line;
        while (at < copy->line_bytes && !(copy->lines[at] & ENTRY))
            at++;
    }
    return 0;
}
