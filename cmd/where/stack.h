/* stack: what a thread of another process is doing: its registers and its stack, and what they mean.
 *
 * stack_capture stops one thread by ptrace (PTRACE_SEIZE, which sends no signal), copies its registers, the innermost part of its
 * stack, the note of what it waits for and its innermost frame of Python, and lets it go on. That takes some 100 microseconds. A thread
 * that has not stopped after STACK_WAIT_MS, as one in the middle of a system call of a slow disk may be, is left alone, and goes on at
 * once when it has stopped later. Everything else is done afterwards, with the copy: stack_unwind follows the calls as the library of
 * elfutils (libdw, loaded when it is needed) reads their places in .eh_frame.
 */
#ifndef CMD_WHERE_STACK_H
#define CMD_WHERE_STACK_H

#include "cmd/where/script.h"

enum {
    STACK_WAIT_MS = 2000,     /* whole seconds */
    STACK_BYTES = 256 * 1024, /* that are copied at most */
    STACK_REGISTERS = 33,
    STACK_FRAMES = 128
};

/* A thread's note of its wait (progress/progress.h). */
struct stack_wait {
    uint32_t kind; /* enum wait_kind */
    uint64_t what, detail, since_ns;
};

struct stack_copy {
    uint64_t register_of[STACK_REGISTERS]; /* by the numbers that DWARF gives them on this machine */
    uint64_t sp, pc;
    bool has_wait;
    struct stack_wait wait;
    double stopped_ms; /* from when it was seen to have stopped until it went on */
    struct script_copy python;
    size_t bytes; /* from sp on */
    unsigned char stack[STACK_BYTES];
};

struct call_frame {
    uint64_t offset;    /* in its file, as addr2line takes it */
    char function[128]; /* ""; or with its offset, where there is no line */
    char module[64];    /* its file, without folders */
    char file[128];     /* of the source, without folders; "": not known */
    int line;
    bool is_program; /* in the program's own file */
    bool is_python;  /* in the interpreter's */
    bool is_library; /* in Inkling's */
    bool is_system;  /* in the C library or the dynamic linker */
};

/* python: its frames are copied too; NULL: not. False: the thread is gone, or did not stop; *refused: it may not be traced. */
bool stack_capture(const struct traced *t, pid_t tid, const struct script_thread *python,
                   struct stack_copy *copy, bool *refused);

/* Whether the wait at this address goes on, which the note of this number is of: the number is on the stack in use. */
bool stack_waits(const struct traced *t, const struct stack_copy *copy, uint64_t wait, uint32_t number);

/* Why stacks cannot be followed here; NULL: they can. */
const char *stack_absence(void);
/* All that is known of one process is kept between stack_open and stack_close. */
bool stack_open(const struct traced *t);
/* The call that returns to this address of the process. False: nothing is known of it. */
bool stack_describe(uint64_t address, struct call_frame *frame);
/* The calls that the thread is in, the innermost first; returns how many. */
int stack_unwind(const struct traced *t, pid_t tid, const struct stack_copy *copy, struct call_frame *frame);
void stack_close(void);

/* asked: the memory of a process that may not be read, as far as the process reads it itself when it is asked (net/shm/tell.h).
 *
 * It answers while it polls: when it waits in MPI, or its progress thread does. What does not answer soon is not asked again for a
 * second.
 */

/* Whether it answers. Its library must be of this version. */
bool asked_begin(pid_t pid);
/* As many of the bytes as can be read from the first one on. */
size_t asked_read(pid_t pid, uint64_t address, void *to, size_t bytes);
/* What has been read is kept until the next stack is captured, or this is called. */
void asked_renew(void);
/* What stack_capture copies. False: the thread does not answer. */
bool asked_capture(const struct traced *t, pid_t tid, const struct script_thread *python,
                   struct stack_copy *copy);

#endif
