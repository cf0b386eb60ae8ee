#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* One write() per line, so that lines of several processes do not mix. */
static void write_line(const char *topic, const char *format, va_list args)
{
    char line[1024];
    int used = snprintf(line, sizeof line, "inkling: %s: ", topic);
    int more = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, args);
    size_t length = (size_t)used + (more < 0 ? 0 : (size_t)more);

    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, length) < 0)
        return;
}

void log_warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line("warning", format, args);
    va_end(args);
}

void log_tell(const char *topic, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line(topic, format, args);
    va_end(args);
}

void log_die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line("error", format, args);
    va_end(args);
    _exit(1);
}
