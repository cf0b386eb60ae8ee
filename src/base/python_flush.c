#include "base/python_flush.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const char script[] = "import sys\n"
                             "for stream in sys.stdout, sys.stderr:\n"
                             "    try:\n"
                             "        stream.flush()\n"
                             "    except Exception:\n"
                             "        pass\n";

/* The interpreter's functions, with the types of its stable interface; NULL: there is no Python. */
static int (*is_initialized)(void);
static int (*has_lock)(void);
static int (*take_lock)(void);
static void (*release_lock)(int state);
static int (*run_script)(const char *text, void *flags);
static int (*add_pending_call)(int (*call)(void *), void *argument);

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    memcpy(function, &found, sizeof found);
}

void python_flush_find(void)
{
    find("Py_IsInitialized", &is_initialized);
    find("PyGILState_Check", &has_lock);
    find("PyGILState_Ensure", &take_lock);
    find("PyGILState_Release", &release_lock);
    find("PyRun_SimpleStringFlags", &run_script);
    find("Py_AddPendingCall", &add_pending_call);
}

static bool is_there(void)
{
    return is_initialized && has_lock && take_lock && release_lock && run_script && add_pending_call &&
           is_initialized();
}

bool python_is_running(void)
{
    return is_there() && has_lock();
}

void python_flush(void)
{
    int state;

    if (!is_there())
        return;
    state = take_lock();
    run_script(script, NULL);
    release_lock(state);
}

bool python_call_soon(int (*call)(void *unused))
{
    return is_there() && add_pending_call(call, NULL) == 0;
}
