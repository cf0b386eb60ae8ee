#include "net/ucx/ucx_peer.h"

#include "net/network/heartbeat.h"

ucp_context_h ucx_context;
ucp_worker_h ucx_worker;

void ucx_fail_peer(const struct ucx_peer *peer, ucs_status_t status)
{
    heartbeat_lose(peer->base.process, ucx.ucs_status_string(status));
}
