#include "dynamic/dynamic.h"

#include "base/live.h"
#include "hint/hint.h"
#include "plain/port.h"

static int own_port_count(int error)
{
    if (!error)
        live_add(LIVE_PORT, 1);
    return error;
}

int own_port_open(char *name)
{
    return own_port_count(port_open(name, hint_process.text[HINT_OFI_INTERFACE]));
}

int own_port_open_here(char *name)
{
    return own_port_count(port_open_here(name));
}

int own_port_close(const char *name)
{
    int error = port_close(name);

    if (!error)
        live_add(LIVE_PORT, -1);
    return error;
}
