/* The hint table. */
#include "coll_words.h"
#include "hint/hint.h"
#include "networks.h"

#include <mpi.h>

#define NETWORK_CHOICE(name, library, version, file) "," #name
#define NETWORK_NAME(name, library, version, file)   #name ": " library ", "

#define FLAG(value) .type = HINT_BOOL, .def = value

/* A row of algorithms. calls: "MPI_X is" or "MPI_X and MPI_Y are". */
#define ALGORITHM_ROW(name, words, calls)                                                                    \
    {                                                                                                        \
        .key = name, .type = HINT_CHOICE, .def = "auto", .choices = "auto," words,                           \
        .former = "slots=mailbox,reach=single_copy,direct=linear",                                           \
        .on = ON_PROCESS | ON_COMM | ON_OPERATION, .when = AT_START | AT_CREATE | AT_SET,                    \
        .agree = AGREE_SAME, .acts_on = ACTS_ON_COLLECTIVES, .since = "1.0.0",                               \
        .effect = "this algorithm is taken wherever it is possible; auto takes the one of the table",        \
        .text = "How " calls " done; `inkling coll` explains the words. The same on all processes."          \
    }

/* What rows of the process have in common that are read when MPI starts. */
#define START_ROW .on = ON_PROCESS, .when = AT_START, .since = "1.0.0"
#define SAME_ROW  START_ROW, .agree = AGREE_SAME

/* The same of the choices of a network. */
#define NETWORK_ROW .type = HINT_CHOICE, .def = "auto", SAME_ROW, .verbosity = MPI_T_VERBOSITY_USER_BASIC

/* The same of rows that may be given at any time to a living object of one kind. */
#define LIVE_ROW(object) .on = object, .when = AT_CREATE | AT_SET

/* The same of ROMIO's choices. */
#define ROMIO_ROW                                                                                            \
    .type = HINT_CHOICE, .def = "automatic", .choices = "automatic,enable,disable", LIVE_ROW(ON_FILE)

/* The same of rows of files that the library does not use. */
#define IGNORED_ROW                                                                                          \
    .type = HINT_STRING, .on = ON_FILE, .when = AT_CREATE | AT_SET, .state = EFFECT_NONE, .since = "MPI-2.0"

#define STRIPING_ROW(most)                                                                                   \
    .type = HINT_INT, .def = "0", .max = (most), .on = ON_FILE, .when = AT_CREATE, .since = "MPI-2.0",       \
    .acts_on = ACTS_ON_STRIPING, .effect = "rank 0 asks for it where it makes a file on Lustre"

/* The rows. What they leave out is AGREE_LOCAL and EFFECT_ACTIVE. Defaults of the library settings are tuned by
 * measurement (bench/). */
const struct hint_row hint_table[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = {.key = "mpi_assert_no_any_tag",
                         FLAG("false"),
                         LIVE_ROW(ON_COMM),
                         .counted = COUNTED_ANY_TAG,
                         .counted_as = "receives or probes named MPI_ANY_TAG",
                         .acts_on = ACTS_ON_FILING,
                         .since = "MPI-4.0",
                         .effect = "a message that comes before its receive is filed neither under (source, "
                                   "any tag) nor in order of arrival; a receive or probe that names "
                                   "MPI_ANY_TAG is refused with MPI_ERR_TAG",
                         .text = "This process never uses MPI_ANY_TAG on this communicator.",
                         .broken =
                             "the call that names MPI_ANY_TAG fails with MPI_ERR_TAG; nothing is received"},
    [HINT_NO_ANY_SOURCE] =
        {.key = "mpi_assert_no_any_source",
         FLAG("false"),
         LIVE_ROW(ON_COMM),
         .counted = COUNTED_ANY_SOURCE,
         .counted_as = "receives or probes named MPI_ANY_SOURCE",
         .acts_on = ACTS_ON_FILING,
         .since = "MPI-4.0",
         .effect = "a message that comes before its receive is filed neither under (any "
                   "source, tag) nor in order of arrival; a receive or probe that names "
                   "MPI_ANY_SOURCE is refused with MPI_ERR_RANK",
         .text = "This process never uses MPI_ANY_SOURCE on this communicator.",
         .broken = "the call that names MPI_ANY_SOURCE fails with MPI_ERR_RANK; nothing is received"},
    [HINT_EXACT_LENGTH] = {.key = "mpi_assert_exact_length",
                           FLAG("false"),
                           LIVE_ROW(ON_COMM),
                           .counted = COUNTED_LENGTH,
                           .counted_as = "messages did not have the length of their receive",
                           .acts_on = ACTS_ON_ADVERTS,
                           .since = "MPI-4.0",
                           .effect = "a large receive that names source and tag is announced to its sender, "
                                     "which, if it asserts the same, writes straight into the buffer and "
                                     "does not wait for the receiver; a message that is shorter than its "
                                     "receive is an error, MPI_ERR_TRUNCATE, like one that is longer",
                           .text = "Every point-to-point message that this process receives on this "
                                   "communicator is exactly as long as its receive buffer.",
                           .broken = "the receive of a message that is shorter fails with MPI_ERR_TRUNCATE, "
                                     "as of one that is longer"},
    [HINT_ALLOW_OVERTAKING] =
        {.key = "mpi_assert_allow_overtaking",
         FLAG("false"),
         LIVE_ROW(ON_COMM),
         .acts_on = ACTS_ON_LANES,
         .since = "MPI-4.0",
         .effect = "where all processes assert it when the communicator is made, under "
                   "MPI_THREAD_MULTIPLE and on one host, messages are spread by tag over "
                   "inkling_lanes lanes, so that threads with different tags do not wait "
                   "for each other; a receive of MPI_ANY_TAG looks into all of them",
         .text = "Nothing relies on messages of this communicator being matched in the "
                 "order in which they were sent or their receives posted.",
         .broken =
             "a receive of MPI_ANY_TAG may take a message that was sent later than another; no error "
             "tells, but mpiexec --check does where types, lengths or tags show that the order matters"},
    [HINT_STRICT_PERSISTENT_ORDERING] =
        {.key = "mpi_assert_strict_persistent_collective_ordering",
         FLAG("false"),
         LIVE_ROW(ON_COMM),
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_SHARED_STARTS,
         .since = "MPI-4.1",
         .effect =
             "persistent collectives on little data between ranks of one host share one place in shared "
             "memory, where the order of their starts tells them apart, so that a request takes none of its "
             "own; while such requests live, taking the promise back is ignored",
         .text = "All processes start the persistent collectives of this communicator in the same order.",
         .broken = "the collectives that were started in another order fail on all ranks"},
    [HINT_ASSERT_MEMORY_KINDS] =
        {.key = "mpi_assert_memory_alloc_kinds",
         .type = HINT_KINDS,
         .on = ON_COMM | ON_WIN | ON_FILE,
         .when = AT_CREATE | AT_SET,
         .since = "MPI-4.1",
         .effect = "mpi_memory_alloc_kinds is narrowed; with kinds of host memory only, no operation asks a "
                   "device's driver where its buffers lie; with mpi alone, the ranks of a communicator "
                   "on one host combine and gather large vectors in place",
         .text =
             "This process communicates on this communicator or window, and accesses this file, only from "
             "and to memory of these kinds.",
         .broken = "memory of a device is touched as if it were the host's, and the process crashes or gets "
                   "garbage; of other kinds nothing happens, but mpiexec --check tells"},
    [HINT_MEMORY_KINDS] =
        {.key = "mpi_memory_alloc_kinds",
         .type = HINT_KINDS,
         .def = "mpi,system",
         .on = ON_COMM | ON_WIN | ON_FILE | ON_SESSION,
         .when = READ_ONLY | AT_SESSION,
         .since = "MPI-4.1",
         .effect = "tells which kinds of memory may be passed to operations on this object",
         .text = "Asked for with mpiexec --memory-alloc-kinds or in MPI_Session_init; narrowed by "
                 "mpi_assert_memory_alloc_kinds, but not on MPI_COMM_WORLD or _SELF. MPI_INFO_ENV has the "
                 "same list as "
                 "MPI_COMM_WORLD, always, as MPI-4.1 wants it; MPI-5.0 speaks of the requested kinds there."},
    [HINT_THREAD_LEVEL] = {.key = "thread_level",
                           .type = HINT_CHOICE,
                           .def = "MPI_THREAD_MULTIPLE",
                           .choices = "MPI_THREAD_SINGLE,MPI_THREAD_FUNNELED,MPI_THREAD_SERIALIZED,"
                                      "MPI_THREAD_MULTIPLE",
                           .on = ON_SESSION,
                           .when = AT_SESSION,
                           .acts_on = ACTS_ON_LOCKING,
                           .since = "MPI-4.0",
                           .effect =
                               "below MPI_THREAD_MULTIPLE no locks are taken, unless another session or "
                               "the World Model needs them",
                           .text = "How the program's threads use what comes from this session.",
                           .broken =
                               "calls of several threads spoil the library's data; mpiexec --check tells"},
    [HINT_MINIMUM_MEMORY_ALIGNMENT] =
        {.key = "mpi_minimum_memory_alignment",
         .type = HINT_INT,
         .def = "64",
         .min = 1,
         .max = (int64_t)1 << 40,
         .is_power = true,
         .on = ON_WIN | ON_MEMORY,
         .when = AT_CREATE,
         .acts_on = ACTS_ON_ALIGNMENT,
         .since = "MPI-4.1",
         .effect =
             "the memory begins at a multiple of it; up to 2 MiB it is memory that the host's processes "
             "can map, beyond that plain memory; in one block for all ranks the largest value counts",
         .text = "The memory must begin at a multiple of so many bytes; below 64 it does so anyway. Of "
                 "MPI_Win_allocate_shared it is the memory of the first rank that asks for some, and with "
                 "alloc_shared_noncontig that of each rank."},
    [HINT_NO_LOCKS] =
        {.key = "no_locks",
         FLAG("false"),
         LIVE_ROW(ON_WIN),
         .agree = AGREE_SAME,
         .counted = COUNTED_LOCKS,
         .counted_as = "calls that lock were refused",
         .since = "MPI-2.0",
         .effect = "MPI_Win_lock and MPI_Win_lock_all are refused with MPI_ERR_RMA_SYNC; the window keeps "
                   "its locks, since the promise can be taken back",
         .text = "No process locks this window: neither MPI_Win_lock nor MPI_Win_lock_all is called.",
         .broken = "the call that locks fails with MPI_ERR_RMA_SYNC"},
    [HINT_ACCUMULATE_ORDERING] =
        {.key = "accumulate_ordering",
         .type = HINT_SET,
         .def = "rar,raw,war,waw",
         .choices = "rar,raw,war,waw",
         LIVE_ROW(ON_WIN),
         .state = EFFECT_IDLE,
         .since = "MPI-3.0",
         .effect = "accumulates of one process to one target always complete in the order of their calls, "
                   "and letting them overtake each other would save nothing, so all four orders are kept "
                   "whatever is listed",
         .text = "The orders in which accumulates of this process to the same memory must complete: read "
                 "after read, read after write, write after read, write after write.",
         .broken = "nothing: all orders are kept; mpiexec --check tells"},
    [HINT_ACCUMULATE_OPS] =
        {.key = "accumulate_ops",
         .type = HINT_CHOICE,
         .def = "same_op_no_op",
         .choices = "same_op,same_op_no_op",
         LIVE_ROW(ON_WIN),
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_REPLACE,
         .since = "MPI-3.0",
         .effect = "with same_op, MPI_REPLACE of items of 8 bytes takes no lock, "
                   "whatever their type; that operations differ is not detected",
         .text = "Concurrent accumulates to the same memory use the same operation, or, "
                 "with same_op_no_op, that operation or MPI_NO_OP.",
         .broken =
             "under same_op an MPI_REPLACE beside another operation may lose what the other has done; no "
             "error tells, but mpiexec --check does"},
    [HINT_ACCUMULATE_GRANULARITY] =
        {.key = "mpi_accumulate_granularity",
         .type = HINT_INT,
         .def = "0",
         .min = 0,
         .max = (int64_t)1 << 40,
         .on = ON_WIN,
         .when = AT_CREATE,
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_GRANULARITY,
         .since = "MPI-4.1",
         .effect = "above 8, whole vectors are combined under one lock, also of integers; up to 8, integers "
                   "of 8 bytes are combined by atomic instructions, all else under the lock, which is "
                   "faster for it; fixed at creation, because all ranks must make accumulates atomic in the "
                   "same way "
                   "as long as the window lives",
         .text = "How many bytes an accumulate should protect at once from others; rounded up to whole "
                 "elements. It promises nothing: accumulates may be larger."},
    [HINT_SAME_SIZE] =
        {.key = "same_size",
         FLAG("false"),
         .on = ON_WIN,
         .when = AT_CREATE,
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_UNIFORM_WINDOW,
         .since = "MPI-3.0",
         .effect = "with same_disp_unit, on one host the memory of MPI_Win_allocate lies one segment after "
                   "the other in one block: no table per rank, and one address is told",
         .text = "All processes give the same size when they make this window.",
         .broken = "the window is not made: MPI_ERR_SIZE on all ranks, with the least and the largest size"},
    [HINT_SAME_DISP_UNIT] =
        {.key = "same_disp_unit",
         FLAG("false"),
         .on = ON_WIN,
         .when = AT_CREATE,
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_UNIFORM_WINDOW,
         .since = "MPI-3.1",
         .effect = "with same_size, on one host the memory of MPI_Win_allocate lies one segment after the "
                   "other in one block: no table per rank, and one address is told",
         .text = "All processes give the same displacement unit when they make this window.",
         .broken = "the window is not made: MPI_ERR_DISP on all ranks, with the least and the largest unit"},
    [HINT_SHARED_NONCONTIG] =
        {.key = "alloc_shared_noncontig",
         FLAG("false"),
         .on = ON_WIN,
         .when = AT_CREATE,
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_SHARED_WINDOW,
         .since = "MPI-3.0",
         .effect =
             "each rank's segment of MPI_Win_allocate_shared begins on its own page, allocated by its owner",
         .text = "The segments of a window of MPI_Win_allocate_shared need not lie one after the other.",
         .broken = "a program that reaches its neighbours' memory from its own address, and not by "
                   "MPI_Win_shared_query, reads and writes elsewhere; no error tells"},
    [HINT_ACCESS_STYLE] =
        {.key = "access_style",
         .type = HINT_SET,
         .def = "none",
         .choices = "read_once,write_once,read_mostly,write_mostly,sequential,reverse_sequential,random",
         LIVE_ROW(ON_FILE),
         .acts_on = ACTS_ON_STYLE,
         .since = "MPI-2.0",
         .effect = "the kernel is told by posix_fadvise: sequential and read_once read further "
                   "ahead, random and reverse_sequential not at all",
         .text = "How this process will access the file.",
         .broken = "results are the same; accesses may take longer; mpiexec --check tells"},
    [HINT_COLLECTIVE_BUFFERING] =
        {.key = "collective_buffering",
         FLAG("true"),
         LIVE_ROW(ON_FILE),
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_BUFFERING,
         .since = "MPI-2.0",
         .effect = "collective accesses whose runs lie between those of other ranks go through buffers of "
                   "some ranks, where that is estimated to be faster; false: each rank moves its own",
         .text = "Whether collective accesses go through buffers of some ranks."},
    [HINT_CB_BLOCK_SIZE] = {.key = "cb_block_size",
                            .type = HINT_INT,
                            .def = "1048576",
                            .min = 1,
                            .max = (int64_t)1 << 40,
                            LIVE_ROW(ON_FILE),
                            .agree = AGREE_SAME,
                            .acts_on = ACTS_ON_BUFFERING,
                            .since = "MPI-2.0",
                            .effect = "the file is cut into blocks of so many bytes, which the buffering "
                                      "ranks read or write in turn; each has two of them in its buffer",
                            .text = "Bytes of the blocks that are dealt to the buffering ranks."},
    [HINT_CB_BUFFER_SIZE] =
        {.key = "cb_buffer_size",
         .type = HINT_INT,
         .def = "16777216",
         .min = 1,
         .max = (int64_t)1 << 40,
         LIVE_ROW(ON_FILE),
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_BUFFERING,
         .since = "MPI-2.0",
         .effect = "where two blocks of cb_block_size need more memory than this, the blocks are smaller",
         .text = "The most memory of each buffering rank, bytes."},
    [HINT_CB_NODES] =
        {.key = "cb_nodes",
         .type = HINT_INT,
         .def = "0",
         .min = 0,
         .max = 1 << 30,
         LIVE_ROW(ON_FILE),
         .agree = AGREE_SAME,
         .acts_on = ACTS_ON_BUFFERING,
         .since = "MPI-2.0",
         .effect = "so many ranks buffer, spread over the hosts; 0: on each host as many as it has cores",
         .text = "How many ranks buffer; 0: the library chooses."},
    [HINT_FILENAME] = {.key = "filename",
                       .type = HINT_STRING,
                       .on = ON_FILE,
                       .when = READ_ONLY,
                       .since = "MPI-2.0",
                       .effect = "tells the name that the file was opened with",
                       .text = "A name of more characters than an info value may have is not told."},
    [HINT_FILE_PERM] = {.key = "file_perm",
                        .type = HINT_STRING,
                        .on = ON_FILE,
                        .when = AT_CREATE,
                        .since = "MPI-2.0",
                        .effect =
                            "MPI_File_open creates the file with these permissions, less the umask; not "
                            "set: 666; that of rank 0 counts, since it creates the file",
                        .text = "Permissions of a file that is created, an octal number as chmod takes it."},
    [HINT_CHUNKED] = {.key = "chunked",
                      IGNORED_ROW,
                      .effect = "the file is a plain one, whatever array it holds",
                      .text = "Dimensions of the array that the file holds."},
    [HINT_CHUNKED_ITEM] = {.key = "chunked_item",
                           IGNORED_ROW,
                           .effect = "the file is a plain one, whatever array it holds",
                           .text = "Bytes of an entry of that array."},
    [HINT_CHUNKED_SIZE] = {.key = "chunked_size",
                           IGNORED_ROW,
                           .effect = "the file is a plain one, whatever array it holds",
                           .text = "Dimensions of the parts of that array that are accessed."},
    [HINT_IO_NODE_LIST] = {.key = "io_node_list",
                           IGNORED_ROW,
                           .effect = "file systems place files themselves",
                           .text = "Devices that should store the file."},
    [HINT_NB_PROC] = {.key = "nb_proc",
                      IGNORED_ROW,
                      .effect = "the number of ranks that open the file is known",
                      .text = "How many processes will access the file."},
    [HINT_NUM_IO_NODES] = {.key = "num_io_nodes",
                           IGNORED_ROW,
                           .effect = "file systems know their devices",
                           .text = "How many devices there are."},
    [HINT_STRIPING_FACTOR] = {.key = "striping_factor",
                              STRIPING_ROW(1 << 16),
                              .text = "Over how many devices a new file is striped; 0: as usual."},
    [HINT_STRIPING_UNIT] = {.key = "striping_unit",
                            STRIPING_ROW((int64_t)1 << 31),
                            .text = "Bytes on one device before the next is used; 0: the file system's."},
    [HINT_CB_READ] = {.key = "romio_cb_read",
                      ROMIO_ROW,
                      .agree = AGREE_SAME,
                      .acts_on = ACTS_ON_BUFFERED_READS,
                      .since = "ROMIO",
                      .effect = "automatic: where it is estimated to be faster; enable: always, except in "
                                "atomic mode and where the runs of a view are not in order; disable: never",
                      .text = "Whether collective reads go through buffers of some ranks."},
    [HINT_CB_WRITE] = {.key = "romio_cb_write",
                       ROMIO_ROW,
                       .agree = AGREE_SAME,
                       .acts_on = ACTS_ON_BUFFERED_WRITES,
                       .since = "ROMIO",
                       .effect = "automatic: where it is estimated to be faster; enable: always, except in "
                                 "atomic mode and where the runs of a view are not in order; disable: never",
                       .text = "Whether collective writes go through buffers of some ranks."},
    [HINT_DS_READ] = {.key = "romio_ds_read",
                      ROMIO_ROW,
                      .acts_on = ACTS_ON_SIEVED_READS,
                      .since = "ROMIO",
                      .effect =
                          "runs of the file near each other are read in one piece, gaps included; enable: "
                          "however large the gaps; disable: each run by a call of its own",
                      .text = "Whether independent reads of views with gaps are sieved."},
    [HINT_DS_WRITE] = {.key = "romio_ds_write",
                       ROMIO_ROW,
                       .acts_on = ACTS_ON_SIEVED_WRITES,
                       .since = "ROMIO",
                       .effect =
                           "runs of the file near each other are read with the gaps, changed and written "
                           "back under a lock of that range; automatic: only while no other handle may write "
                           "to the file, which only file systems of one host tell, or with "
                           "MPI_MODE_UNIQUE_OPEN",
                       .text = "Whether independent writes of views with gaps are sieved."},
    [HINT_IND_RD_BUFFER_SIZE] =
        {.key = "ind_rd_buffer_size",
         .type = HINT_INT,
         .def = "524288",
         .min = 4096,
         .max = 1 << 30,
         LIVE_ROW(ON_FILE),
         .acts_on = ACTS_ON_SIEVED_READS,
         .since = "ROMIO",
         .effect = "the buffer of independent reads whose view or memory has gaps has so many "
                   "bytes; what is converted is read in pieces of no more, or an item",
         .text = "Memory for independent reads."},
    [HINT_IND_WR_BUFFER_SIZE] =
        {.key = "ind_wr_buffer_size",
         .type = HINT_INT,
         .def = "524288",
         .min = 4096,
         .max = 1 << 30,
         LIVE_ROW(ON_FILE),
         .acts_on = ACTS_ON_SIEVED_WRITES,
         .since = "ROMIO",
         .effect = "the buffer of independent writes whose view or memory has gaps has so many "
                   "bytes; what is converted is written in pieces of no more, or an item",
         .text = "Memory for independent writes."},
    [HINT_EAGER_LIMIT] = {.key = "inkling_eager_limit",
                          .type = HINT_SIZE,
                          .def = "4K",
                          .min = 0,
                          .max = 1 << 20,
                          .on = ON_PROCESS | ON_COMM,
                          .when = AT_START | AT_CREATE | AT_SET,
                          .verbosity = MPI_T_VERBOSITY_USER_BASIC,
                          .acts_on = ACTS_ON_PEERS,
                          .since = "1.0.0",
                          .effect =
                              "messages up to this size travel at once; larger ones wait for the receiver",
                          .text = "How many bytes a send may copy without waiting for its receive."},
    [HINT_CMA] = {.key = "inkling_cma",
                  .type = HINT_CHOICE,
                  .def = "true",
                  .choices = "false,true,messages",
                  START_ROW,
                  .effect = "large messages are read from the sender's memory where the kernel allows it",
                  .text =
                      "Whether to try process_vm_readv; false always copies through shared memory; messages: "
                      "nothing else is read so, and nothing written."},
    [HINT_DEVICE_IPC] =
        {.key = "inkling_device_ipc",
         FLAG("true"),
         START_ROW,
         .effect =
             "large messages are copied by the device from the sender's memory, where its driver shares that",
         .text = "Whether to lend device memory to the processes of the host; false always copies through "
                 "the host."},
    [HINT_JOINT_LIMIT] = {.key = "inkling_joint_limit",
                          .type = HINT_SIZE,
                          .def = "32K",
                          .min = 8 << 10,
                          .max = 1 << 30,
                          .on = ON_PROCESS,
                          .when = AT_START | AT_SET,
                          .since = "1.0.0",
                          .effect =
                              "messages from this size on are copied by both sides at once, where both may "
                              "reach the other's memory and have a core",
                          .text = "From how many bytes on two cores copy a message faster than one."},
    [HINT_SPIN_TIME] = {.key = "inkling_spin_time",
                        .type = HINT_DURATION,
                        .def = "4ms",
                        .min = 0,
                        .max = 10000000000,
                        .on = ON_PROCESS,
                        .when = AT_START | AT_SET,
                        .verbosity = MPI_T_VERBOSITY_USER_BASIC,
                        .since = "1.0.0",
                        .effect = "a wait polls this long and then sleeps until a sender wakes it",
                        .text = "How long an idle process may burn its core, where there is one per rank."},
    [HINT_LANES] = {.key = "inkling_lanes",
                    .type = HINT_INT,
                    .def = "8",
                    .min = 1,
                    .max = 8,
                    START_ROW,
                    .effect = "under MPI_THREAD_MULTIPLE and on one host, communicators are dealt to so many "
                              "lanes, and threads on different ones do not wait for each other; a "
                              "communicator takes the smallest number that one of its processes has",
                    .text = "How many locks, and rings to each peer, there may be."},
    [HINT_RING_SIZE] = {.key = "inkling_ring_size",
                        .type = HINT_SIZE,
                        .def = "32K",
                        .min = 4 << 10,
                        .max = 16 << 20,
                        START_ROW,
                        .effect = "each process has a ring of this many bytes for every peer of its host",
                        .text = "How much a sender may be ahead of a receiver that does not poll; a host's "
                                "first process decides."},
    [HINT_STAGING_SIZE] = {.key = "inkling_staging_size",
                           .type = HINT_SIZE,
                           .def = "1M",
                           .min = 64 << 10,
                           .max = 1 << 30,
                           START_ROW,
                           .effect = "where the sender's memory cannot be read, a large message goes through "
                                     "so much memory of the receiver's: the sender fills a part while the "
                                     "receiver empties the one before",
                           .text =
                               "Memory for large copies without process_vm_readv; more than 1M is not used."},
    [HINT_TRANSPORT] =
        {.key = "inkling_transport",
         NETWORK_ROW,
         .choices = "auto,shm" NETWORKS(NETWORK_CHOICE),
         .effect = "shm: shared memory alone; the name of a network: that one, also within a host",
         .text = "auto takes shared memory within a host and a network between hosts (inkling_network)."},
    [HINT_NETWORK] = {.key = "inkling_network",
                      NETWORK_ROW,
                      .choices = "auto" NETWORKS(NETWORK_CHOICE),
                      .effect = "messages between hosts go through this network",
                      .text = NETWORKS(NETWORK_NAME) "auto: what rank 0 chooses by its devices."},
    [HINT_OFI_PROVIDER] =
        {.key = "inkling_ofi_provider",
         .type = HINT_STRING,
         SAME_ROW,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .effect = "messages between hosts go through this provider of libfabric",
         .text = "The same on all hosts, as tcp;ofi_rxm. sockets and udp;ofi_rxd are for tests."},
    [HINT_OFI_INTERFACE] = {.key = "inkling_ofi_interface",
                            .type = HINT_STRING,
                            START_ROW,
                            .effect = "messages between hosts go through this network interface",
                            .text = "By its name, for example eth0; not set: the network's own choice."},
    [HINT_OFI_AUTH_KEY] =
        {.key = "inkling_ofi_auth_key",
         .type = HINT_CHOICE,
         .def = "job",
         .choices = "job,provider",
         SAME_ROW,
         .effect = "job: only this job and those it spawns reach its processes; provider: the provider's key",
         .text = "Where that has 16 bytes or more. Jobs that connect by a port need `provider`."},
    [HINT_OFI_RMA] = {.key = "inkling_ofi_rma",
                      FLAG("true"),
                      START_ROW,
                      .effect = "large messages between hosts go without two copies",
                      .text = "The receiver's provider reads them where it can (FI_RMA)."},
    [HINT_WIN_RMA] = {.key = "inkling_win_rma",
                      .type = HINT_CHOICE,
                      .def = "auto",
                      .choices = "auto,true,false",
                      START_ROW,
                      .effect = "true: the network puts and gets between hosts, where it can",
                      .text =
                          "For memory in a few runs, on all ranks of a window or none. auto: where a device "
                          "of the network does it by itself."},
    [HINT_OFI_EAGER_LIMIT] = {.key = "inkling_ofi_eager_limit",
                              .type = HINT_SIZE,
                              .def = "64K",
                              .min = 0,
                              .max = 64 << 10,
                              .on = ON_PROCESS | ON_COMM,
                              .when = AT_START | AT_CREATE | AT_SET,
                              .acts_on = ACTS_ON_PEERS,
                              .since = "1.0.0",
                              .effect = "messages to other hosts up to this size travel at once; larger ones "
                                        "wait for the receiver",
                              .text = "As inkling_eager_limit; between hosts waiting costs more. Over "
                                      "libfabric at most 32K."},
    [HINT_PEER_TIMEOUT] = {.key = "inkling_peer_timeout",
                           .type = HINT_DURATION,
                           .def = "30s",
                           .min = 0,
                           .max = (int64_t)86400 * 1000000000,
                           START_ROW,
                           .verbosity = MPI_T_VERBOSITY_USER_BASIC,
                           .effect =
                               "operations with a process of another host that has been out of reach for "
                               "so long fail with MPI_ERR_PROC_ABORTED",
                           .text = "How long a host may be cut off; 0: for ever."},
    [HINT_SURVIVE] = {.key = "inkling_survive",
                      FLAG("false"),
                      START_ROW,
                      .verbosity = MPI_T_VERBOSITY_USER_BASIC,
                      .effect = "the job goes on when a rank dies; operations that need it fail with "
                                "MPIX_ERR_PROC_FAILED",
                      .text = "mpiexec --survive sets it. All ranks must have the same value."},
    [HINT_NAME_DIRECTORY] =
        {.key = "inkling_name_directory",
         .type = HINT_STRING,
         START_ROW,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .effect = "MPI_Publish_name, MPI_Lookup_name and MPI_Unpublish_name use this directory; not set: "
                   "/tmp/inkling-UID, or another of the user's if somebody else has that one",
         .text = "Where published names are kept: jobs that use the same directory see each other's. It "
                 "belongs to the user alone."},
    [HINT_CONNECT_TIMEOUT] =
        {.key = "inkling_connect_timeout",
         .type = HINT_DURATION,
         .def = "60s",
         .min = 1000000,
         .max = (int64_t)86400 * 1000000000,
         .on = ON_PROCESS,
         .when = AT_START | AT_SET,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .since = "1.0.0",
         .effect = "MPI_Comm_connect fails with MPI_ERR_PORT when nobody has accepted on the port "
                   "for so long",
         .text = "How long to wait for the answer of another job."},
    [HINT_HINTS_REPORT] =
        {.key = "inkling_hints_report",
         .type = HINT_CHOICE,
         .def = "off",
         .choices = "off,first,all",
         START_ROW,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .effect = "when an object is freed, and in MPI_Finalize, each hint that was given is "
                   "told to be active, idle or ignored, and why; Inkling's mpiexec says it at the end, "
                   "with first once for all that tell alike",
         .text = "Whose hints are told of: with first, under a launcher of the user's, those of rank 0; with "
                 "all each object's and rank's. mpiexec --hints-report is short for first."},
    [HINT_OUTSIDE] =
        {.key = "inkling_hints",
         .type = HINT_STRING,
         .on = ON_PROCESS,
         .when = AT_START,
         .agree = AGREE_SAME,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .since = "1.0.0",
         .effect = "each object that is made gets these hints, before those that the program gives "
                   "it; of a key behind ! the program's own are not heard",
         .text = "Hints from outside, a line each: KEY=VALUE, or !KEY, and perhaps @WHERE: comm, win, "
                 "file, session, memory; the call that makes the object (MPI_Comm_dup), or the place of "
                 "that call (halo.c:12, or exchange(), the function); MPI_COMM_WORLD, a file's name, the "
                 "name of MPI_Comm_set_name. mpiexec --hint and --hints write it."},
    [HINT_CHECK] =
        {.key = "inkling_check",
         .type = HINT_STRING,
         .on = ON_PROCESS,
         .when = AT_START,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .since = "1.0.0",
         .effect =
             "mpiexec verifies the program, as with --check=VALUE; 1 is text, 0 is not set; under another "
             "launcher it says how the insight library reports",
         .text = "Verify the program while it runs: text, json:FILE or sarif:FILE, and suppress:FILE."},
    [HINT_STATS] = {.key = "inkling_stats",
                    FLAG("false"),
                    .on = ON_PROCESS,
                    .when = AT_START,
                    .verbosity = MPI_T_VERBOSITY_USER_BASIC,
                    .since = "1.0.0",
                    .effect = "processes count small messages and the time of waits, too, and Inkling's "
                              "mpiexec sums up at the "
                              "end what they counted, as with --stats",
                    .text = "Tell at the end of the job what the processes counted."},
    [HINT_BARRIER] = ALGORITHM_ROW("inkling_barrier", BARRIER_WORDS, "MPI_Barrier is"),
    [HINT_BCAST] = ALGORITHM_ROW("inkling_bcast", BCAST_WORDS, "MPI_Bcast is"),
    [HINT_REDUCE] = ALGORITHM_ROW("inkling_reduce", REDUCE_WORDS, "MPI_Reduce is"),
    [HINT_ALLREDUCE] = ALGORITHM_ROW("inkling_allreduce", ALLREDUCE_WORDS, "MPI_Allreduce is"),
    [HINT_ALLGATHER] =
        ALGORITHM_ROW("inkling_allgather", ALLGATHER_WORDS, "MPI_Allgather and MPI_Allgatherv are"),
    [HINT_ALLTOALL] = ALGORITHM_ROW("inkling_alltoall", ALLTOALL_WORDS,
                                    "MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw are"),
    [HINT_REDUCE_SCATTER] = ALGORITHM_ROW("inkling_reduce_scatter", REDUCE_SCATTER_WORDS,
                                          "MPI_Reduce_scatter and MPI_Reduce_scatter_block are"),
    [HINT_GATHER] = ALGORITHM_ROW("inkling_gather", GATHER_WORDS, "MPI_Gather is"),
    [HINT_SCATTER] = ALGORITHM_ROW("inkling_scatter", SCATTER_WORDS, "MPI_Scatter is"),
    [HINT_SCAN] = ALGORITHM_ROW("inkling_scan", SCAN_WORDS, "MPI_Scan and MPI_Exscan are"),
    [HINT_RULES] = {.key = "inkling_rules",
                    .type = HINT_STRING,
                    .on = ON_PROCESS | ON_COMM,
                    .when = AT_START | AT_CREATE,
                    .agree = AGREE_SAME,
                    .since = "1.0.0",
                    .effect = "collectives take the algorithms that this file names, where possible",
                    .text = "Of inkling tune, or built-in; not set: etc/inkling/rules.json."},
    [HINT_HOST_RANKS] =
        {.key = "inkling_host_ranks",
         .type = HINT_INT,
         .def = "0",
         .min = 0,
         .max = 1 << 20,
         SAME_ROW,
         .effect = "collectives and reordering topologies take so many processes for a host; 0: real hosts",
         .text = "Groups of processes that are near each other, such as those of a socket."},
    [HINT_TOPOLOGY] = {.key = "inkling_topology",
                       .type = HINT_STRING,
                       SAME_ROW,
                       .effect = "the tree of a host's ranks follows this machine; not set: the real one",
                       .text = "PACKAGESxCACHESxCORES, as 2x4x8: process i of a host has core i. For tests."},
    [HINT_REPRODUCIBLE_REDUCTIONS] =
        {.key = "inkling_reproducible_reductions",
         FLAG("false"),
         .on = ON_PROCESS | ON_COMM | ON_OPERATION,
         .when = AT_START | AT_CREATE | AT_SET,
         .agree = AGREE_SAME,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .acts_on = ACTS_ON_COLLECTIVES,
         .since = "1.0.0",
         .effect = "reductions do not look at which ranks share a host, so that the same call on as many "
                   "ranks gives the same bits wherever these run",
         .text =
             "Whether results of reductions may depend on where the ranks are. They never depend on timing."},
    [HINT_PROGRESS_THREAD] =
        {.key = "inkling_progress_thread",
         FLAG("false"),
         START_ROW,
         .verbosity = MPI_T_VERBOSITY_USER_BASIC,
         .effect = "a thread of the library's own makes progress while the program computes, so that "
                   "nonblocking collectives and large messages go on without MPI calls",
         .text = "Whether to have one. It costs each call what MPI_THREAD_MULTIPLE costs; operations of "
                 "MPI_Op_create may be called in it."},
    [HINT_REQUESTED_KINDS] = {.key = "inkling_memory_alloc_kinds",
                              .type = HINT_STRING,
                              START_ROW,
                              .verbosity = MPI_T_VERBOSITY_USER_BASIC,
                              .effect = "support for these memory allocation kinds is asked for, under a "
                                        "launcher that has no option --memory-alloc-kinds",
                              .text = "What mpiexec --memory-alloc-kinds says, where that was not given."},
    [HINT_TEST_KIND] = {.key = "inkling_test_kind",
                        FLAG("false"),
                        .on = ON_PROCESS,
                        .when = AT_START,
                        .verbosity = MPI_T_VERBOSITY_MPIDEV_BASIC,
                        .since = "1.0.0",
                        .effect = "the memory kind `test`: memory that only a pretended device reaches",
                        .text = "For tests of what is done with devices' memory, where there is no device."},
    [HINT_CC] = {.key = "inkling_cc",
                 .type = HINT_STRING,
                 .def = "cc",
                 .on = ON_COMMAND,
                 .when = AT_START,
                 .since = "1.0.0",
                 .effect = "mpicc runs this compiler",
                 .text = "The C compiler behind mpicc."},
    [HINT_CXX] = {.key = "inkling_cxx",
                  .type = HINT_STRING,
                  .def = "c++",
                  .on = ON_COMMAND,
                  .when = AT_START,
                  .since = "1.0.0",
                  .effect = "mpicxx runs this compiler",
                  .text = "The C++ compiler behind mpicxx."},
};
