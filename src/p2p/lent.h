/* lent: large messages out of a device's memory, between processes of one host that both reach the device.
 *
 * The sender's offer is followed by a loan (memory/kind.h). A receiver whose driver borrows the memory lets
 * the device copy from there to its own buffer, and says FIN as for any single copy: the bytes never come to
 * the host. A receiver that cannot says FETCH. Only then does the sender bring the message to the host, and
 * goes on as with any other; if its device fails at that, it says PUT with has_failed.
 *
 * Lock: that of the lane. The device copies while it is held, as the host does elsewhere.
 */
#ifndef P2P_LENT_H
#define P2P_LENT_H

#include "memory/kind.h"
#include "p2p/transfer.h"

struct lent_offer {
    struct offer offer;
    struct loan loan;
};

/* Sender: offers `bytes` of the device's memory in one run. *request stays NULL where that does not pay or
 * cannot be. */
int lent_isend(const void *run, size_t bytes, const struct device *device, int dest, int tag,
               struct comm *comm, enum plane plane, struct request **request);
/* Sender: the receiver has asked for the message: brings it to the host. An error is told to both sides, and
 * ends the send. */
int lent_bring(struct transfer *t);
/* Receiver: copies what it wants of the message; false: that cannot be. */
bool lent_take(struct transfer *t, const struct lent_offer *lent);

#endif
