#include "insight/checks/buffer/buffer_use.h"
#include "insight/checks/request/request_check.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/win_record.h"

void request_lose(void)
{
    static uint32_t seen;
    uint32_t news = loss_news();

    for (struct request_record *r = request_record_active; news != seen && r; r = r->next) {
        if (r->is_lost || !comm_loss_has_ended(r))
            continue;
        request_memory_give_back(r);
        buffer_watch_end(r);
        r->buffer = r->sent_buffer = NULL;
        r->sum = r->sent_sum = 0;
        r->is_watched = false;
        r->is_blamed = r->is_lost = true;
    }
    seen = news;
}

bool request_lose_is_pending(struct intercept *call, const struct request_record *r, int error)
{
    enum comm_loss loss = comm_loss_of_error(error);

    if (loss == LOSS_NOT)
        return false;
    comm_loss_learn(comm_check_find(r->comm), error);
    if (r->base.maker->family == FAMILY_RMA_REQUEST && r->win)
        comm_loss_learn(&((const struct win_record *)r->win)->comm, error);
    call->is_reported = true;
    return loss == LOSS_PENDING;
}
