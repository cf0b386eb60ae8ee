/* python_flush: writes what a Python program holds of its output. Its sys.stdout has a buffer that no other runtime knows.
 *
 * Functions of the Python library are found by their names in the process; where there are none, nothing is done. A thread that is
 * inside of Python, which holds the interpreter's lock, is asked to flush when it is between two instructions of Python.
 */
#ifndef BASE_PYTHON_FLUSH_H
#define BASE_PYTHON_FLUSH_H

#include <stdbool.h>

/* Looks for the library; not in a signal handler. */
void python_flush_find(void);
/* Whether this thread is inside of Python. */
bool python_is_running(void);
/* Takes the interpreter's lock, which may have to be waited for. */
void python_flush(void);
/* Has the interpreter call a function soon, in its main thread. Safe in a signal handler. False: it cannot. */
bool python_call_soon(int (*call)(void *unused));

#endif
