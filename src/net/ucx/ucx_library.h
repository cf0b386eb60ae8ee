/* library: UCX, loaded when the job needs it. The headers are needed to build, the library only where processes
 * communicate between hosts. */
#ifndef NET_UCX_UCX_LIBRARY_H
#define NET_UCX_UCX_LIBRARY_H

#include <stdbool.h>
#include <ucp/api/ucp.h>

#define UCX_TRANSPORTS "^sm,self" /* of UCX; a user may set others */

#define UCX_PROCEDURES(X)                                                                                    \
    X(ucp_init_version)                                                                                      \
    X(ucp_cleanup)                                                                                           \
    X(ucp_config_read)                                                                                       \
    X(ucp_config_release)                                                                                    \
    X(ucp_worker_create)                                                                                     \
    X(ucp_worker_destroy)                                                                                    \
    X(ucp_worker_get_address)                                                                                \
    X(ucp_worker_release_address)                                                                            \
    X(ucp_worker_get_efd)                                                                                    \
    X(ucp_worker_arm)                                                                                        \
    X(ucp_worker_progress)                                                                                   \
    X(ucp_worker_flush_nbx)                                                                                  \
    X(ucp_worker_set_am_recv_handler)                                                                        \
    X(ucp_ep_create)                                                                                         \
    X(ucp_ep_close_nbx)                                                                                      \
    X(ucp_am_send_nbx)                                                                                       \
    X(ucp_am_recv_data_nbx)                                                                                  \
    X(ucp_am_data_release)                                                                                   \
    X(ucp_config_modify)                                                                                     \
    X(ucp_mem_map)                                                                                           \
    X(ucp_mem_unmap)                                                                                         \
    X(ucp_rkey_pack)                                                                                         \
    X(ucp_rkey_buffer_release)                                                                               \
    X(ucp_rkey_destroy)                                                                                      \
    X(ucp_ep_rkey_unpack)                                                                                    \
    X(ucp_put_nbx)                                                                                           \
    X(ucp_get_nbx)                                                                                           \
    X(ucp_ep_flush_nbx)                                                                                      \
    X(ucp_request_check_status)                                                                              \
    X(ucp_request_free)                                                                                      \
    X(ucs_status_string)

struct ucx_library {
#define X(name) __typeof__(&name) name;
    UCX_PROCEDURES(X)
#undef X
};

/* Filled in by ucx_load. */
extern struct ucx_library ucx;

/* Once; an error's note says what is missing. */
int ucx_load(void);
/* Whether UCX has a transport besides tcp, for a device; opens and closes one. After ucx_load. */
bool ucx_has_device_transport(void);

#endif
