#include "metric/metric.h"

#include <mpi.h>
#include <stddef.h>

struct metric_words metric_lane[METRIC_LANES], metric_stripe[THREAD_STRIPES], metric_worker, metric_library;
_Atomic unsigned metric_watched;
unsigned metric_always_watched;
void (*_Atomic metric_queue_watcher)(void); /* release when it is set, acquire when it is called */

uint64_t metric_sum(enum metric word)
{
    uint64_t sum = atomic_load_explicit(&metric_worker.at[word], memory_order_relaxed);

    for (int i = 0; i < METRIC_LANES; i++)
        sum += atomic_load_explicit(&metric_lane[i].at[word], memory_order_relaxed);
    for (int i = 0; i < THREAD_STRIPES; i++)
        sum += atomic_load_explicit(&metric_stripe[i].at[word], memory_order_relaxed);
    return sum;
}

void metric_queue_changed(void)
{
    void (*watcher)(void) = atomic_load_explicit(&metric_queue_watcher, memory_order_acquire);

    if (watcher)
        watcher();
}

int metric_rows(void)
{
    int rows = 0;

    while (metric_table[rows].name)
        rows++;
    return rows;
}

/* The table of categories. */
const struct metric_category_row metric_category_table[CATEGORY_COUNT] = {
    [CATEGORY_ALL] = {"inkling", "All variables of the library."},
    [CATEGORY_SETTINGS] =
        {"inkling_settings",
         "Control variables: the library settings, which are also INKLING_ variables of the environment."},
    [CATEGORY_MESSAGES] = {"inkling_messages",
                           "Messages between two processes, and the queues that they wait in."},
    [CATEGORY_PROTOCOLS] = {"inkling_protocols", "How large messages are moved."},
    [CATEGORY_WAITING] = {"inkling_waiting", "How long and how processes wait."},
    [CATEGORY_COLLECTIVES] = {"inkling_collectives", "Collective operations."},
    [CATEGORY_WINDOWS] = {"inkling_windows", "One-sided communication."},
    [CATEGORY_FILES] = {"inkling_files", "Files."},
    [CATEGORY_MEMORY] = {"inkling_memory", "Memory of MPI_Alloc_mem."},
    [CATEGORY_HINTS] = {"inkling_hints", "What tells whether a hint holds, and what it does."},
};

/* The table of performance variables, in the order of name, class, verbosity, binding, metric, category, text */
const struct metric_row metric_table[] = {
    {"inkling_eager_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_EAGER_MESSAGES, CATEGORY_MESSAGES, "Messages sent at once, without waiting for the receiver."},
    {"inkling_eager_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_EAGER_BYTES, CATEGORY_MESSAGES,
     "Bytes of messages sent at once, without waiting for the receiver."},
    {"inkling_rendezvous_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_RENDEZVOUS_MESSAGES, CATEGORY_MESSAGES,
     "Messages sent when the receiver was ready for them."},
    {"inkling_rendezvous_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_RENDEZVOUS_BYTES, CATEGORY_MESSAGES,
     "Bytes of messages sent when the receiver was ready for them."},
    {"inkling_advertised_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_ADVERTISED_MESSAGES, CATEGORY_MESSAGES,
     "Messages that this process wrote straight into the receive, as mpi_assert_exact_length allows."},
    {"inkling_advertised_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_ADVERTISED_BYTES, CATEGORY_MESSAGES,
     "Bytes of messages that this process wrote straight into the receive, as mpi_assert_exact_length "
     "allows."},
    {"inkling_unexpected_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_UNEXPECTED_MESSAGES, CATEGORY_MESSAGES,
     "Messages that came before their receive."},
    {"inkling_unexpected_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_UNEXPECTED_BYTES, CATEGORY_MESSAGES,
     "Bytes that such messages brought along, which are copied once more; a large one only says where it "
     "is."},
    {"inkling_posted_receives", MPI_T_PVAR_CLASS_LEVEL, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_POSTED, CATEGORY_MESSAGES, "Receives that wait for their message, now."},
    {"inkling_posted_receives", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_POSTED, CATEGORY_MESSAGES,
     "Receives that wait for their message, at most, since the start."},
    {"inkling_posted_receives", MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_POSTED, CATEGORY_MESSAGES,
     "Receives that wait for their message, at least, since the start."},
    {"inkling_unexpected_queue", MPI_T_PVAR_CLASS_LEVEL, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_UNEXPECTED, CATEGORY_MESSAGES, "Messages that wait for their receive, now."},
    {"inkling_unexpected_queue", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_UNEXPECTED, CATEGORY_MESSAGES,
     "Messages that wait for their receive, at most, since the start."},
    {"inkling_unexpected_queue", MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_UNEXPECTED, CATEGORY_MESSAGES,
     "Messages that wait for their receive, at least, since the start."},
    {"inkling_pack_pipeline_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_PACK_PIPELINE_MESSAGES, CATEGORY_PROTOCOLS,
     "Large messages received with gaps, which the sender packed while this process unpacked."},
    {"inkling_pack_pipeline_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_PACK_PIPELINE_BYTES, CATEGORY_PROTOCOLS,
     "Bytes of large messages received with gaps, which the sender packed while this process unpacked."},
    {"inkling_device_copy_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_DEVICE_COPY_MESSAGES, CATEGORY_PROTOCOLS,
     "Large messages received that a device copied from the sender's memory."},
    {"inkling_device_copy_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_DEVICE_COPY_BYTES, CATEGORY_PROTOCOLS,
     "Bytes of large messages received that a device copied from the sender's memory."},
    {"inkling_dual_copy_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_DUAL_COPY_MESSAGES, CATEGORY_PROTOCOLS,
     "Large messages received that both processes copied at once."},
    {"inkling_dual_copy_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_DUAL_COPY_BYTES, CATEGORY_PROTOCOLS,
     "Bytes of large messages received that both processes copied at once."},
    {"inkling_single_copy_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_SINGLE_COPY_MESSAGES, CATEGORY_PROTOCOLS,
     "Large messages received by one copy out of the sender's memory."},
    {"inkling_single_copy_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_SINGLE_COPY_BYTES, CATEGORY_PROTOCOLS,
     "Bytes of large messages received by one copy out of the sender's memory."},
    {"inkling_network_read_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_NETWORK_READ_MESSAGES, CATEGORY_PROTOCOLS,
     "Large messages received that the network read out of the sender's memory."},
    {"inkling_network_read_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_NETWORK_READ_BYTES, CATEGORY_PROTOCOLS,
     "Bytes of large messages received that the network read out of the sender's memory."},
    {"inkling_pieces_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_PIECES_MESSAGES, CATEGORY_PROTOCOLS,
     "Large messages received in pieces, with a copy on each side."},
    {"inkling_pieces_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_PIECES_BYTES, CATEGORY_PROTOCOLS,
     "Bytes of large messages received in pieces, with a copy on each side."},
    {"inkling_sleeps", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_SLEEPS, CATEGORY_WAITING, "Times that a wait has slept until another process or thread woke it."},
    {"inkling_wait_time", MPI_T_PVAR_CLASS_TIMER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_WAIT_NS, CATEGORY_WAITING,
     "Nanoseconds that waits of all threads have spent while nothing happened; counted while a handle is "
     "started."},
    {"inkling_crowd", MPI_T_PVAR_CLASS_STATE, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT, METRIC_CROWD,
     CATEGORY_WAITING, "Whether processes of this host outnumber its cores, so that waits sleep soon."},
    {"inkling_collectives_in_shared_memory", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_COLL_SHARED_MEMORY, CATEGORY_COLLECTIVES,
     "Collectives that went through the mailboxes of shared memory."},
    {"inkling_collectives_by_single_copy", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_COLL_SINGLE_COPY, CATEGORY_COLLECTIVES,
     "Collectives in which ranks read each other's buffers."},
    {"inkling_collectives_by_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_COLL_MESSAGES, CATEGORY_COLLECTIVES,
     "Collectives that were done by messages."},
    {"inkling_puts", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT, METRIC_PUTS,
     CATEGORY_WINDOWS, "Puts that moved data, MPI_Rput included."},
    {"inkling_put_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_PUT_BYTES, CATEGORY_WINDOWS, "Bytes of puts."},
    {"inkling_gets", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT, METRIC_GETS,
     CATEGORY_WINDOWS, "Gets that moved data, MPI_Rget included."},
    {"inkling_get_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_GET_BYTES, CATEGORY_WINDOWS, "Bytes of gets."},
    {"inkling_accumulates", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_ACCUMULATES, CATEGORY_WINDOWS,
     "Accumulates of all kinds: MPI_Accumulate, MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap."},
    {"inkling_rma_kernel_copies", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_RMA_KERNEL_COPIES, CATEGORY_WINDOWS,
     "Puts and gets that the kernel copied, since the memory is not mapped."},
    {"inkling_rma_requests", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_RMA_REQUESTS, CATEGORY_WINDOWS,
     "Puts, gets and accumulates that the target carried out, asked by a message."},
    {"inkling_file_reads", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_FILE_READS, CATEGORY_FILES, "Data accesses that read from a file."},
    {"inkling_file_read_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_FILE_READ_BYTES, CATEGORY_FILES, "Bytes read from files."},
    {"inkling_file_writes", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_FILE_WRITES, CATEGORY_FILES, "Data accesses that wrote to a file."},
    {"inkling_file_write_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_FILE_WRITE_BYTES, CATEGORY_FILES, "Bytes written to files."},
    {"inkling_file_buffered_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_FILE_BUFFERED_BYTES, CATEGORY_FILES,
     "Bytes read or written through the buffers of some ranks, in collective accesses."},
    {"inkling_file_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_FILE_MESSAGES, CATEGORY_FILES,
     "Messages sent to such buffers or from them, where they are not in memory of this host."},
    {"inkling_heap", MPI_T_PVAR_CLASS_SIZE, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_HEAP_SIZE, CATEGORY_MEMORY,
     "Bytes that MPI_Alloc_mem can give in memory that the host's processes map."},
    {"inkling_heap", MPI_T_PVAR_CLASS_LEVEL, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_HEAP_USED, CATEGORY_MEMORY, "Bytes of that memory in use."},
    {"inkling_heap", MPI_T_PVAR_CLASS_PERCENTAGE, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_NO_OBJECT,
     METRIC_HEAP_USED, CATEGORY_MEMORY, "The part of that memory in use."},
    {"inkling_comm_eager_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_COMM,
     METRIC_COMM_EAGER_MESSAGES, CATEGORY_MESSAGES, "Messages of this communicator sent at once."},
    {"inkling_comm_eager_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_COMM,
     METRIC_COMM_EAGER_BYTES, CATEGORY_MESSAGES, "Bytes of messages of this communicator sent at once."},
    {"inkling_comm_rendezvous_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_RENDEZVOUS_MESSAGES, CATEGORY_MESSAGES,
     "Messages of this communicator sent when the receiver was ready for them."},
    {"inkling_comm_rendezvous_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_RENDEZVOUS_BYTES, CATEGORY_MESSAGES,
     "Bytes of messages of this communicator sent when the receiver was ready for them."},
    {"inkling_comm_advertised_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_ADVERTISED_MESSAGES, CATEGORY_HINTS,
     "Messages of this communicator that this process wrote straight into the receive."},
    {"inkling_comm_advertised_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_ADVERTISED_BYTES, CATEGORY_HINTS,
     "Bytes of messages of this communicator that this process wrote straight into the receive."},
    {"inkling_comm_advertised_receives", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_ADVERTISED_RECEIVES, CATEGORY_HINTS,
     "Receives of this process on this communicator that their senders wrote straight into."},
    {"inkling_comm_received_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_RECEIVED_MESSAGES, CATEGORY_MESSAGES,
     "Messages of this communicator that a receive has taken."},
    {"inkling_comm_received_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_RECEIVED_BYTES, CATEGORY_MESSAGES,
     "Bytes of messages of this communicator that a receive has taken."},
    {"inkling_comm_collectives", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_COMM,
     METRIC_COMM_COLLECTIVES, CATEGORY_COLLECTIVES, "Starts of collectives on this communicator."},
    {"inkling_comm_posted_receives", MPI_T_PVAR_CLASS_LEVEL, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_BIND_MPI_COMM,
     METRIC_COMM_POSTED, CATEGORY_MESSAGES,
     "Receives of this communicator that wait for their message, now."},
    {"inkling_comm_posted_receives", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_POSTED, CATEGORY_MESSAGES,
     "Receives of this communicator that wait for their message, at most, since the start."},
    {"inkling_comm_posted_receives", MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_POSTED, CATEGORY_MESSAGES,
     "Receives of this communicator that wait for their message, at least, since the start."},
    {"inkling_comm_unexpected_queue", MPI_T_PVAR_CLASS_LEVEL, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_COMM,
     METRIC_COMM_UNEXPECTED, CATEGORY_MESSAGES,
     "Messages of this communicator that wait for their receive, now."},
    {"inkling_comm_unexpected_queue", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_UNEXPECTED, CATEGORY_MESSAGES,
     "Messages of this communicator that wait for their receive, at most, since the start."},
    {"inkling_comm_unexpected_queue", MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_VERBOSITY_USER_BASIC,
     MPI_T_BIND_MPI_COMM, METRIC_COMM_UNEXPECTED, CATEGORY_MESSAGES,
     "Messages of this communicator that wait for their receive, at least, since the start."},
    {"inkling_comm_any_tag", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_COMM,
     METRIC_COMM_ANY_TAG, CATEGORY_HINTS,
     "Receives and probes that named MPI_ANY_TAG, or tried to; 0: mpi_assert_no_any_tag would hold."},
    {"inkling_comm_any_source", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_COMM,
     METRIC_COMM_ANY_SOURCE, CATEGORY_HINTS,
     "Receives and probes that named MPI_ANY_SOURCE, or tried to; 0: mpi_assert_no_any_source would hold."},
    {"inkling_comm_other_length", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_COMM,
     METRIC_COMM_OTHER_LENGTH, CATEGORY_HINTS,
     "Messages that were shorter or longer than their receive; 0: mpi_assert_exact_length would hold."},
    {"inkling_rma_network_copies", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_TUNER_BASIC,
     MPI_T_BIND_NO_OBJECT, METRIC_RMA_NETWORK_COPIES, CATEGORY_WINDOWS,
     "Puts and gets that the network carried out in the target's memory, without its program."},
    {.name = NULL},
};
