#include "plain/fail.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char note[FAIL_NOTE_SIZE];
static _Thread_local int note_class;

int fail(int error_class, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(note, sizeof note, format, args);
    va_end(args);
    note_class = error_class;
    return error_class;
}

const char *fail_note(void)
{
    return note;
}

int fail_class(void)
{
    return note_class;
}
