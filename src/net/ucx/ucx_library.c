#include "net/ucx/ucx_library.h"

#include "hint/hint.h"
#include "plain/fail.h"
#include "plain/privilege.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

#define LIBRARY "libucp.so.0"

struct ucx_library ucx;

/* UCX reads these when it is loaded; the user's settings win. It must not catch the program's signals, start threads or write
 * to its output, and errors are reported by this library. Shared memory is Inkling's own, and without `self` UCX says at once that it
 * finds no device. A connection to a host that is cut off must not keep the caller. A packet, or a piece of a large message
 * (reads.c), fits into one receive buffer of UCX, which else puts it together by copies. What UCX loads for the memory of devices
 * takes 2 MiB, and Inkling never hands it such memory. */
static void ucx_choose_settings(void)
{
    static const char *const settings[][2] = {{"UCX_TLS", UCX_TRANSPORTS},
                                              {"UCX_HANDLE_ERRORS", "none"},
                                              {"UCX_ERROR_SIGNALS", ""},
                                              {"UCX_DEBUG_SIGNO", "0"},
                                              {"UCX_VFS_ENABLE", "n"},
                                              {"UCX_LOG_LEVEL", "fatal"},
                                              {"UCX_WARN_UNUSED_ENV_VARS", "n"},
                                              {"UCX_TCP_CONN_NB", "y"},
                                              {"UCX_TCP_RX_SEG_SIZE", "257K"},
                                              {"UCX_TCP_RX_BUFS_GROW", "2"},
                                              {"UCX_MODULES", "^cuda*,rocm*,ze*,gdr*,xpmem,knem,fuse*"}};
    const char *interface = hint_process.text[HINT_OFI_INTERFACE];

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 0);
    if (interface && *interface)
        setenv("UCX_NET_DEVICES", interface, 0);
}

int ucx_load(void)
{
    static bool is_loaded;
    void *handle;
    int error = privilege_check_library(LIBRARY);

    if (error || is_loaded)
        return error;
    ucx_choose_settings();
    handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); /* stays: it does not survive being unloaded */
    if (!handle)
        return fail(MPI_ERR_OTHER, "INKLING_TRANSPORT=ucx needs UCX (Debian: apt install libucx0): %s",
                    dlerror());
#define X(name)                                                                                              \
    ucx.name = (__typeof__(&name))dlsym(handle, #name);                                                      \
    if (!ucx.name)                                                                                           \
        return fail(MPI_ERR_OTHER, LIBRARY " lacks a procedure: %s", dlerror());
    UCX_PROCEDURES(X)
#undef X
    is_loaded = true;
    return MPI_SUCCESS;
}

bool ucx_has_device_transport(void)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM};
    ucp_config_t *config;
    ucp_context_h context;
    ucs_status_t status;

    if (ucx.ucp_config_read(NULL, NULL, &config) != UCS_OK)
        return false;
    status = ucx.ucp_config_modify(config, "TLS", "^tcp,sm,self");
    if (status == UCS_OK)
        status = ucx.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context);
    ucx.ucp_config_release(config);
    if (status == UCS_OK)
        ucx.ucp_cleanup(context);
    return status == UCS_OK;
}
