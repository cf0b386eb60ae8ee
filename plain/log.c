#include "plain/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum {
    LINE_SIZE = 1024
};

static _Atomic(log_sink_fn *) sink; /* release by log_set_sink; acquire by log_warn, in any thread */

static _Atomic(log_end_fn *) end_job; /* the same for log_set_end and log_die */

void log_set_end(log_end_fn *one)
{
    atomic_store_explicit(&end_job, one, memory_order_release);
}

void log_set_sink(log_sink_fn *one)
{
    atomic_store_explicit(&sink, one, memory_order_release);
}

/* One write() per line, so that lines of several processes do not interleave. */
static void write_line(const char *topic, const char *text)
{
    char line[LINE_SIZE + 64];
    int length = snprintf(line, sizeof line, "inkling: %s: %s\n", topic, text);

    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

static void write_error_and_end(const char *text)
{
    log_end_fn *end = atomic_load_explicit(&end_job, memory_order_acquire);

    if (end)
        end(1, text);
    write_line("error", text);
}

static void format_and_write(const char *topic, const char *format, va_list args)
{
    char text[LINE_SIZE];

    vsnprintf(text, sizeof text, format, args);
    write_line(topic, text);
}

void log_warn(const char *format, ...)
{
    log_sink_fn *report = atomic_load_explicit(&sink, memory_order_acquire);
    char text[LINE_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!report || !report(text))
        write_line("warning", text);
}

void log_print(const char *topic, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_and_write(topic, format, args);
    va_end(args);
}

void log_die(const char *format, ...)
{
    char text[LINE_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    write_error_and_end(text);
    _exit(1);
}
