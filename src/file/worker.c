#include "file/access.h"

#include "base/list.h"
#include "base/live.h"
#include "base/thread.h"
#include "file/independent.h"
#include "plain/fail.h"
#include "progress/poll_queue.h"

#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 4
};

struct task {
    struct link link;  /* in `waiting`; guarded by `mutex` */
    struct task *next; /* in `over` */
    struct file_access access;
    struct request *request; /* referenced until it is complete */
    struct status status;    /* written by the thread, before the task is over */
    int error;
    char *note; /* of the error, owned */
};

/* Guards all below but `over` and `polled`. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_news = PTHREAD_COND_INITIALIZER; /* a task waits, or the threads shall end */
static struct link waiting = LIST_INIT(waiting);
static pthread_t thread[THREADS];
static int threads, idle; /* that run; of these, that wait for a task */
static bool shall_end;

static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER; /* guards open_files; held while the threads end */
static int open_files;

/* The tasks that are over, the last first. Release by the thread that adds one, acquire by who takes them all. */
static _Atomic(struct task *) over;
static struct poll_queue polled = POLL_QUEUE_INIT(polled); /* only to register the poller; has no entries */

/* In a thread: all but reference counts. */
static void run_task(struct task *t)
{
    uint64_t since = file_traffic_begin();
    int error = independent_move(&t->access);

    file_traffic_add(t->access.file, TRAFFIC_THREAD, t->access.is_write, t->access.moved, since);
    t->error = access_finish(&t->access, error, &t->status);
    if (t->error && fail_class() == t->error)
        t->note = strdup(fail_note());
}

static void tell_over(struct task *t)
{
    t->next = atomic_load_explicit(&over, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&over, &t->next, t, memory_order_release,
                                                  memory_order_relaxed))
        ;
    progress_wake();
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (true) {
        struct task *t;

        while (list_is_empty(&waiting) && !shall_end) {
            idle++;
            pthread_cond_wait(&is_news, &mutex);
            idle--;
        }
        if (list_is_empty(&waiting))
            break;
        t = (struct task *)(void *)((char *)waiting.next - offsetof(struct task, link));
        list_remove(&t->link);
        pthread_mutex_unlock(&mutex);
        run_task(t);
        tell_over(t);
        pthread_mutex_lock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void free_task(struct task *t)
{
    free(t->note);
    free(t);
    live_add(LIVE_TASK, -1);
}

/* In the thread of a caller that polls. */
static void complete(struct task *t)
{
    struct request *r = t->request;

    access_release(&t->access);
    atomic_fetch_sub_explicit(&t->access.file->pending, 1, memory_order_relaxed);
    r->status = t->status;
    if (t->note)
        fail(t->error, "%s", t->note);
    request_complete(r, t->error);
    free_task(t);
    request_unref(r);
}

/* A poll_fn. */
static int poll_over(bool all)
{
    struct task *t;
    int events = 0;

    (void)all;
    if (!atomic_load_explicit(&over, memory_order_relaxed))
        return 0;
    t = atomic_exchange_explicit(&over, NULL, memory_order_acquire);
    while (t) {
        struct task *next = t->next;

        complete(t);
        events++;
        t = next;
    }
    return events;
}

static int new_request(struct file *file, struct request **request)
{
    static const struct request_ops ops = {0};
    int error = request_new(REQUEST_FILE, &ops, request);

    if (error)
        return error;
    (*request)->owner = &file->object;
    (*request)->active = true;
    return MPI_SUCCESS;
}

int worker_prepare(struct file *file, struct task **task)
{
    struct task *t = calloc(1, sizeof *t);
    int error;

    if (!t)
        return fail(MPI_ERR_NO_MEM, "no memory for a nonblocking access");
    t->status = status_empty;
    error = new_request(file, &t->request);
    if (error) {
        free(t);
        return error;
    }
    live_add(LIVE_TASK, 1);
    *task = t;
    return MPI_SUCCESS;
}

void worker_drop(struct task *t)
{
    if (!t)
        return;
    request_unref(t->request);
    free_task(t);
}

/* Wakes a thread for the task, or starts one. False: there is none. */
static bool give(struct task *t)
{
    bool has_thread;

    pthread_mutex_lock(&mutex);
    if (idle == 0 && threads < THREADS && thread_start(&thread[threads], work) == 0)
        threads++;
    has_thread = threads > 0;
    if (has_thread) {
        list_add(&waiting, &t->link);
        pthread_cond_signal(&is_news);
    }
    pthread_mutex_unlock(&mutex);
    return has_thread;
}

void worker_start(struct task *t, struct file_access *access, struct request **request)
{
    t->access = *access;
    poll_queue_register(&polled, poll_over);
    request_ref(t->request);
    *request = t->request;
    atomic_fetch_add_explicit(&access->file->pending, 1, memory_order_relaxed);
    if (!give(t)) { /* this thread does it */
        run_task(t);
        complete(t);
    }
}

void worker_done(struct task *t, struct file_access *access, int error, struct request **request)
{
    error = access_end(access, error, &t->status);
    t->request->status = t->status;
    request_complete(t->request, error);
    *request = t->request;
    free_task(t);
}

void worker_drain(struct file *file)
{
    struct wait w = WAIT_START;

    while (atomic_load_explicit(&file->pending, memory_order_relaxed))
        progress_wait(&w);
}

void worker_file_opened(void)
{
    pthread_mutex_lock(&life);
    open_files++;
    pthread_mutex_unlock(&life);
}

static void end_threads(void)
{
    pthread_mutex_lock(&mutex);
    shall_end = true;
    pthread_cond_broadcast(&is_news);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    threads = 0;
    shall_end = false;
}

void worker_file_closed(void)
{
    pthread_mutex_lock(&life);
    if (--open_files == 0)
        end_threads();
    pthread_mutex_unlock(&life);
}
