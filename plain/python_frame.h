/* python_frame: where a program in Python is, for a thread that Python code has brought here: through bindings such as mpi4py, or
 * ctypes.
 *
 * Python's own functions are asked, which CPython 3.9 and later has; they are looked up once, in whatever the process has loaded. A
 * thread may ask them while it has the interpreter's lock (GIL). Where a binding has released the lock for the call, it is taken
 * for a moment, but only if no other thread of the interpreter exists: another one might hold it and wait for what this thread is
 * about to do, as in an MPI call that keeps it. So this never waits for a thread that may wait for this one; the price is that
 * places of calls without the lock are not known in programs with several threads of Python.
 */
#ifndef PLAIN_PYTHON_FRAME_H
#define PLAIN_PYTHON_FRAME_H

#include <stdbool.h>

struct python_frame {
    char file[512], function[128]; /* "<module>": outside all functions */
    int line;
    int first_line;    /* of the function, where its decorators begin; 0: outside all functions */
    bool is_importing; /* a compiled module initializes itself: the place is the import statement's */
};

/* False: there is no Python in this process, or none is known yet. To be asked at each call. */
bool python_frame_may_be(void);
/* The innermost frame of Python code of this thread. False: there is none, or it cannot be known. */
bool python_frame_find(struct python_frame *frame);

#endif
