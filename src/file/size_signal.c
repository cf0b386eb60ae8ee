#include "file/size_signal.h"

#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the count, and changes with it */
static int open_files;

static void do_nothing(int number)
{
    (void)number;
}

/* Replaces one handler by another, where it is in force. */
static void change_disposition(void (*from)(int), void (*to)(int))
{
    struct sigaction found, wanted = {.sa_handler = to, .sa_flags = SA_RESTART};

    if (sigaction(SIGXFSZ, NULL, &found) == 0 && !(found.sa_flags & SA_SIGINFO) && found.sa_handler == from)
        sigaction(SIGXFSZ, &wanted, NULL);
}

void size_signal_file_opened(void)
{
    pthread_mutex_lock(&mutex);
    if (open_files++ == 0)
        change_disposition(SIG_DFL, do_nothing);
    pthread_mutex_unlock(&mutex);
}

void size_signal_file_closed(void)
{
    pthread_mutex_lock(&mutex);
    if (--open_files == 0)
        change_disposition(do_nothing, SIG_DFL);
    pthread_mutex_unlock(&mutex);
}
