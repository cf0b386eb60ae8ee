/* checks: what intercept.c calls before and after a procedure, by family. Each check's file says what it finds. */
#ifndef INSIGHT_CHECKS_H
#define INSIGHT_CHECKS_H

#include "insight/intercept.h"

typedef void check_before_fn(struct intercept *call);
typedef void check_after_fn(struct intercept *call, int error);

check_before_fn process_finalizing, process_starting, process_session_closing;
check_after_fn process_started, process_finalized, process_session_opened, process_session_closed;
check_after_fn bsend_check_attached, bsend_check_detached, bsend_check_flushed, bsend_check_iflushed;
check_before_fn comm_check_before, comm_check_meeting, comm_check_freeing;
check_after_fn comm_check_made, comm_check_idup, comm_check_freed, comm_check_info;
check_before_fn collective_check_before, collective_check_win, collective_check_open;
check_before_fn file_check_before;
check_after_fn file_check_opened, file_check_after, file_check_request, file_check_closed, file_check_ended;
check_after_fn collective_check_after, collective_check_request;
check_before_fn message_check_send, message_check_recv, message_check_sendrecv, message_check_probe,
    message_check_mrecv;
check_after_fn message_check_sent, message_check_received, message_check_sendreceived,
    message_check_mreceived, message_check_probed;
check_before_fn request_check_isend, request_check_irecv, request_check_isendrecv, request_check_imrecv,
    request_check_start, request_check_startall, request_check_wait, request_check_waitall,
    request_check_free, request_check_cancel, request_check_init, buffer_use_pack, buffer_use_unpack,
    buffer_use_reduce_local, partition_check_ready;
check_after_fn request_check_posted, request_check_made, request_check_waited, request_check_waitedall,
    request_check_waitedany, request_check_waitedsome, request_check_started, partition_check_made_ready,
    partition_check_arrived;
check_after_fn object_check_made, object_check_freed, object_check_memory, object_check_attached;
check_before_fn object_check_freeing, object_check_memory_freed;
check_before_fn type_check_freeing;
check_after_fn type_check_made;
check_before_fn error_check_set;
check_after_fn error_check_got, error_check_set_done, unread_error_asked;
check_before_fn win_check_freeing, win_check_fence, win_check_start, win_check_complete, win_check_post,
    win_check_wait, win_check_detaching, win_check_lock, win_check_unlock, win_check_flush,
    win_check_accessing;
check_after_fn win_check_made, win_check_fenced, win_check_locked, win_check_unlocked, win_check_flushed,
    win_check_flushed_locally, win_check_completed, win_check_started, win_check_posted, win_check_waited,
    win_check_attached, win_check_accessed, win_check_rma_done, win_check_freed, win_check_info,
    win_check_queried;

#endif
