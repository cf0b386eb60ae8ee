/* exposed: copies between memory here and memory that a peer's transport has exposed (net/transport.h), which windows do
 * (win/win_network.h). Nothing is sent, and the peer does not notice. The request ends when the transport reports COPIED for
 * all pieces, or when the peer is lost.
 */
#ifndef P2P_EXPOSED_H
#define P2P_EXPOSED_H

#include "net/transport.h"
#include "p2p/p2p.h"

struct exposed_piece {
    void *here;
    uint64_t offset; /* in what is exposed */
    size_t bytes;
};

struct exposed_copy {
    struct comm *comm;
    int rank; /* whose memory it is, in comm */
    const struct exposed *there;
    bool is_put;
    const struct exposed_piece *piece;
    int pieces; /* at least one */
};

/* Begins a copy. *request NULL: nothing has begun, since the transport does not do that, or has no memory. */
int exposed_copy_begin(const struct exposed_copy *copy, struct request **request);

/* The transport reports COPIED for a piece. */
void exposed_on_copied(const struct arrival *a);

#endif
