#include "insight/wrap/wrap.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/call/call_lock.h"
#include "insight/checks/collective/collective_check.h"
#include "insight/checks/message/message_check.h"
#include "insight/findings/finding.h"
#include "insight/objects/comm_loss.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum {
    TAG_LIST = 1,
    TAG_LOG
};

static MPI_Comm everyone, leaders; /* where findings are gathered */

static void share_with(int world)
{
    if (world >= 0 && world < BOARD_RANKS)
        process.sharers[world / 64] |= UINT64_C(1) << world % 64;
    process.sharing++;
}

/* The members of a communicator share a board. */
static void share_with_all(MPI_Comm comm)
{
    MPI_Group group, world;
    int size;

    real.Comm_group(comm, &group);
    real.Comm_group(MPI_COMM_WORLD, &world);
    real.Group_size(group, &size);
    for (int i = 0; i < size; i++) {
        int rank = -1;

        real.Group_translate_ranks(group, 1, &i, world, &rank);
        share_with(rank);
    }
    real.Group_free(&group);
    real.Group_free(&world);
    process.is_shared = process.size <= BOARD_RANKS;
}

/* Whether all ranks of the host have the leader's board. */
static bool open_on_host(MPI_Comm host)
{
    char name[BOARD_NAME] = "";
    int rank;

    real.Comm_rank(host, &rank);
    process.leads = rank == 0;
    if (process.leads) {
        int fd = board_make(&board);

        if (fd >= 0)
            board_name(board, fd, name);
    }
    real.Bcast(name, sizeof name, MPI_CHAR, 0, host);
    if (!process.leads)
        board = board_open(name);
    return comm_quiet_agree(host, board);
}

/* Ranks that cannot open each other's memory, as in containers, have a board each. */
static void open_alone(void)
{
    if (!process.leads || !board)
        board_make(&board);
    process.leads = true;
    share_with(process.rank);
}

static void open_by_host(void)
{
    MPI_Comm host = MPI_COMM_NULL;
    int error;

    board = NULL;
    error = real.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, process.rank, MPI_INFO_NULL, &host);
    if (comm_quiet_agree(MPI_COMM_WORLD, !error) && open_on_host(host))
        share_with_all(host);
    else
        open_alone();
    if (board)
        board->rank[process.rank % BOARD_RANKS].pid = getpid(); /* make_tree comes before the keeper looks */
    if (!error)
        real.Comm_free(&host);
}

/* Whether all have the communicators of the tree; not if a rank has died meanwhile. */
static bool make_communicators(void)
{
    int error = real.Comm_dup(MPI_COMM_WORLD, &everyone);

    if (!comm_quiet_agree(MPI_COMM_WORLD, !error))
        return false;
    real.Comm_set_errhandler(everyone, MPI_ERRORS_RETURN);
    error = real.Comm_split(everyone, process.leads ? 0 : MPI_UNDEFINED, process.rank, &leaders);
    return comm_quiet_agree(everyone, !error);
}

/* Findings are gathered if there are several boards and every rank has one. */
static void make_tree(void)
{
    int mine[2] = {process.leads, !board}, sum[2] = {0, 1};
    int error = real.Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    process.gathers =
        comm_quiet_agree(MPI_COMM_WORLD, !error && sum[0] > 1 && sum[1] == 0) && make_communicators();
    if (!process.gathers)
        return;
    finding_list_leave_out(&board->list, UNCHECKED_HOSTS);
}

static void share_with_nobody(void)
{
    memset(process.sharers, 0, sizeof process.sharers);
    process.sharing = 0;
    process.is_shared = false;
}

void board_gather_open(void)
{
    struct board *old = board;
    MPI_Errhandler handler;

    share_with_nobody();
    if (comm_quiet_agree(MPI_COMM_WORLD, process.is_told)) {
        share_with_all(MPI_COMM_WORLD);
        return;
    }
    handler = comm_quiet_begin(MPI_COMM_WORLD);
    open_by_host();
    if (old && board) { /* that of a session */
        finding_forget_places();
        board_lock();
        finding_list_merge(&board->list, &old->list, false);
        board_unlock();
    }
    make_tree();
    comm_quiet_end(MPI_COMM_WORLD, handler);
}

/* mpiexec gives its board to all ranks of a job, which is on one host. */
void board_gather_open_alone(void)
{
    share_with_nobody();
    for (int i = 0; process.is_told && i < process.size; i++)
        share_with(i);
    process.is_shared = process.is_told && process.size <= BOARD_RANKS;
    if (!process.is_told && !board)
        board_make(&board);
    if (!process.is_told)
        share_with(process.rank);
    if (!process.is_told && board && process.size > 1)
        finding_list_leave_out(&board->list, UNCHECKED_SESSIONS);
}

/* What a leader sends up. */
static void send_up(int to)
{
    struct far_log *far = &board->far;
    int bytes = (int)(offsetof(struct far_log, call) + far->count * sizeof far->call[0]);

    if (real.Send(&board->list, sizeof board->list, MPI_BYTE, to, TAG_LIST, leaders) ||
        real.Send(far, bytes, MPI_BYTE, to, TAG_LOG, leaders))
        return; /* it has died: the keeper tells */
    /* release: rank 0 tells, and no keeper; pairs with the keeper */
    atomic_store_explicit(&board->printed, PRINTED_ALL, memory_order_release);
}

static void merge_from(int from)
{
    static struct finding_list list;
    static struct far_log far;

    if (real.Recv(&list, sizeof list, MPI_BYTE, from, TAG_LIST, leaders, MPI_STATUS_IGNORE) ||
        real.Recv(&far, sizeof far, MPI_BYTE, from, TAG_LOG, leaders, MPI_STATUS_IGNORE))
        return;
    finding_list_merge(&board->list, &list, false);
    far_log_merge(&board->far, &board->list, &far, &list, collective_check_far);
}

/* Each leader receives the lists of those below it in a binomial tree, and sends the sum up. */
static void merge_lists(void)
{
    int rank, size;

    real.Comm_rank(leaders, &rank);
    real.Comm_size(leaders, &size);
    for (int step = 1; step < size; step *= 2) {
        if (rank & step) {
            send_up(rank - step);
            return;
        }
        if (rank + step < size)
            merge_from(rank + step);
    }
    if (board->far.is_full)
        finding_list_leave_out(&board->list, UNCHECKED_FAR);
}

/* Learns of it, too. */
static bool has_lost(void)
{
    MPI_Group failed = MPI_GROUP_EMPTY;
    int size = 0;

    if (real.X_Comm_get_failed && !real.X_Comm_get_failed(everyone, &failed))
        real.Group_size(failed, &size);
    if (failed != MPI_GROUP_EMPTY)
        real.Group_free(&failed);
    if (size > 0)
        comm_loss_learn(NULL, MPIX_ERR_PROC_FAILED);
    return size > 0;
}

void board_gather_findings(struct intercept *call)
{
    if (!process.has_world || !process.gathers)
        return;
    process.gathers = comm_quiet_agree(everyone, !has_lost());
    if (!process.gathers) { /* each board tells for itself: its leader may have died */
        real.Comm_free(&everyone);
        return;
    }
    real.Barrier(everyone); /* all messages are on the boards */
    call_lock_take();
    if (process.sessions == 0)
        message_check_lost(call);
    call_lock_release();
    real.Barrier(everyone); /* and all findings */
    if (process.leads) {
        merge_lists();
        real.Comm_free(&leaders);
    }
    real.Comm_free(&everyone);
}
