/* script: the line of a script at which a thread of a Python program is, read from outside.
 *
 * CPython 3.13 begins its variable _PyRuntime, which lies in the ELF section .PyRuntime of the interpreter or of libpython, with a table
 * of the sizes and offsets of what a debugger needs (struct _Py_DebugOffsets): interpreters, the states of their threads, frames, code
 * objects. The frames are read while the thread is stopped: until it goes on they hold their code objects, and these their names, so
 * nothing of that changes meanwhile. A thread that was stopped in the middle of making a frame may have a senseless one, which is left out.
 */
#ifndef CMD_WHERE_SCRIPT_H
#define CMD_WHERE_SCRIPT_H

#include "cmd/where/traced.h"

enum {
    SCRIPT_NAME = 128,
    SCRIPT_LINES = 1 << 14 /* bytes of a table of lines */
};

/* As far as they are used. */
struct script_offsets {
    struct {
        uint64_t size, interpreters;
    } runtime;
    struct {
        uint64_t size, next, threads;
    } interpreter;
    struct {
        uint64_t size, next, frame, native;
    } thread;
    struct {
        uint64_t size, previous, code, instruction, owner;
    } frame;
    struct {
        uint64_t size, file, function, lines, first_line, instructions;
    } code;
    struct {
        uint64_t size, count, data;
    } bytes;
    struct {
        uint64_t size, state, length, ascii_size;
    } text;
};

struct script_python {
    bool is_here;     /* the process runs Python */
    uint64_t runtime; /* 0: it cannot be read */
    char lacks[128];  /* why; "" */
    struct script_offsets at;
};

struct script_thread {
    const struct script_python *python; /* NULL: the thread is none of Python's */
    uint64_t state;
    uint64_t native; /* the thread's number in its own container */
};

/* What is copied while the thread is stopped. */
struct script_copy {
    bool has_frame;
    uint64_t instruction; /* its offset in the code */
    int first_line;
    char function[SCRIPT_NAME], file[SCRIPT_NAME];
    char inner[SCRIPT_NAME]; /* a library's function, in which it is; "" */
    size_t line_bytes;
    unsigned char lines[SCRIPT_LINES];
};

/* The Python of a process. */
void script_find(const struct traced *t, struct script_python *p);
/* The state of a thread there, before it is stopped. */
struct script_thread script_find_thread(const struct traced *t, const struct script_python *p, pid_t tid);

/* Copies the innermost frame that is not a library's, or without such a one the innermost. The thread is stopped. */
void script_copy_frame(const struct traced *t, const struct script_thread *thread, struct script_copy *copy);
/* The line of the script; 0: it is not known. */
int script_line(const struct script_copy *copy);

#endif
