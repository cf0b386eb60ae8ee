#include "plain/python_frame.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* CPython's names. Objects and states of threads are opaque here. */
#define FUNCTIONS(X)                                                                                         \
    X(int, Py_IsInitialized, (void))                                                                         \
    X(int, PyGILState_Check, (void))                                                                         \
    X(void *, PyGILState_GetThisThreadState, (void))                                                         \
    X(int, PyGILState_Ensure, (void))                                                                        \
    X(void, PyGILState_Release, (int))                                                                       \
    X(void *, PyThreadState_GetInterpreter, (void *))                                                        \
    X(void *, PyThreadState_Next, (void *))                                                                  \
    X(void *, PyInterpreterState_Main, (void))                                                               \
    X(void *, PyInterpreterState_ThreadHead, (void *))                                                       \
    X(void *, PyEval_GetFrame, (void))                                                                       \
    X(void *, PyFrame_GetBack, (void *))                                                                     \
    X(void *, PyFrame_GetCode, (void *))                                                                     \
    X(int, PyFrame_GetLineNumber, (void *))                                                                  \
    X(void *, PyObject_GetAttrString, (void *, const char *))                                                \
    X(const char *, PyUnicode_AsUTF8, (void *))                                                              \
    X(long, PyLong_AsLong, (void *))                                                                         \
    X(void, PyErr_Fetch, (void **, void **, void **))                                                        \
    X(void, PyErr_Restore, (void *, void *, void *))                                                         \
    X(void, PyErr_Clear, (void))                                                                             \
    X(void, Py_IncRef, (void *))                                                                             \
    X(void, Py_DecRef, (void *))

static struct {
#define X(type, name, arguments) type(*name) arguments;
    FUNCTIONS(X)
#undef X
} python;

enum {
    LOOK_EACH = 1024 /* calls */
};

enum {
    UNKNOWN,
    MISSING,
    PRESENT
};
static _Atomic int
    presence; /* release: who sees PRESENT sees the functions. Threads that look at once find the same */

/* An interpreter may also be loaded late, by a program in C: so a call now and then looks for its first name, which costs as much
 * as a message. */
bool python_frame_may_be(void)
{
    static _Atomic unsigned calls; /* relaxed, and counts of threads may be lost */
    unsigned count = atomic_load_explicit(&calls, memory_order_relaxed);
    bool is_whole = true;

    if (atomic_load_explicit(&presence, memory_order_acquire) != UNKNOWN)
        return atomic_load_explicit(&presence, memory_order_relaxed) == PRESENT;
    atomic_store_explicit(&calls, count + 1, memory_order_relaxed);
    if (count % LOOK_EACH != 0 || !dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
        return false;
#define X(type, name, arguments)                                                                             \
    *(void **)&python.name = dlsym(RTLD_DEFAULT, #name);                                                     \
    is_whole &= python.name != NULL;
    FUNCTIONS(X)
#undef X
    atomic_store_explicit(&presence, is_whole ? PRESENT : MISSING, memory_order_release);
    return is_whole;
}

static void copy_text(void *object, const char *name, char *text, size_t size)
{
    void *value = python.PyObject_GetAttrString(object, name);
    const char *characters = value ? python.PyUnicode_AsUTF8(value) : NULL;

    snprintf(text, size, "%s", characters ? characters : "");
    if (value)
        python.Py_DecRef(value);
}

static int read_number(void *object, const char *name)
{
    void *value = python.PyObject_GetAttrString(object, name);
    long number = value ? python.PyLong_AsLong(value) : 0;

    if (value)
        python.Py_DecRef(value);
    return number > 0 ? (int)number : 0;
}

/* Comprehensions and lambdas have frames of their own: a function is what encloses them. */
static bool is_nameless(const char *function)
{
    return function[0] == '<' && strcmp(function, "<module>") != 0;
}

/* False: this frame is of the interpreter's own code that imports modules. */
static bool read_frame(void *of, struct python_frame *frame)
{
    void *code = python.PyFrame_GetCode(of);
    char file[sizeof frame->file];

    if (!code)
        return false;
    if (!frame->file[0]) {
        copy_text(code, "co_filename", file, sizeof file);
        if (strncmp(file, "<frozen importlib", strlen("<frozen importlib")) == 0) {
            frame->is_importing = true;
            python.Py_DecRef(code);
            return false;
        }
        memcpy(frame->file, file, sizeof file);
        frame->line = python.PyFrame_GetLineNumber(of);
    }
    copy_text(code, "co_name", frame->function, sizeof frame->function);
    frame->first_line = strcmp(frame->function, "<module>") == 0 ? 0 : read_number(code, "co_firstlineno");
    python.Py_DecRef(code);
    return true;
}

/* Caller has the interpreter's lock. */
static bool walk_frames(struct python_frame *frame)
{
    void *type, *value, *trace, *at = python.PyEval_GetFrame();

    python.PyErr_Fetch(&type, &value, &trace); /* a call may be made while an exception is on its way */
    if (at)
        python.Py_IncRef(at);
    while (at && (!read_frame(at, frame) || is_nameless(frame->function))) {
        void *back = python.PyFrame_GetBack(at);

        python.Py_DecRef(at);
        at = back;
    }
    if (at)
        python.Py_DecRef(at);
    python.PyErr_Clear();
    python.PyErr_Restore(type, value, trace);
    return frame->file[0] && frame->line > 0;
}

/* Whether nobody else can have the interpreter's lock: only a thread that has it starts others. */
static bool is_only_thread(void *thread)
{
    void *interpreter = python.PyInterpreterState_Main();

    return thread && python.PyThreadState_GetInterpreter(thread) == interpreter &&
           python.PyInterpreterState_ThreadHead(interpreter) == thread && !python.PyThreadState_Next(thread);
}

bool python_frame_find(struct python_frame *frame)
{
    bool is_found;
    int state;

    frame->file[0] = frame->function[0] = '\0';
    frame->is_importing = false;
    if (!python_frame_may_be() || !python.Py_IsInitialized())
        return false;
    if (python.PyGILState_Check())
        return walk_frames(frame);
    if (!is_only_thread(python.PyGILState_GetThisThreadState()))
        return false;
    state = python.PyGILState_Ensure();
    is_found = walk_frames(frame);
    python.PyGILState_Release(state);
    return is_found;
}
