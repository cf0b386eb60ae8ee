#include "boot/report_sender.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "hint/report.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "plain/port_lines.h"
#include "plain/private.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CALL_MS = 100, /* between looks at the clock */
    SEND_MS = 5000 /* mpiexec reads all the time, unless it is stopped */
};

#define PATIENCE_NS ((uint64_t)5 * 1000 * 1000 * 1000)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the connection */
static struct port_connection connection = {.fd = -1};

/* With the lock. */
static void close_connection(void)
{
    if (connection.fd >= 0)
        private_close(connection.fd);
    connection.fd = -1;
}

static bool send_report(const char *kind, const char *text)
{
    char line[PMI_LINE_SIZE];
    bool is_sent;

    pmi_line_format_text(kind, text, line);
    pthread_mutex_lock(&lock);
    is_sent = connection.fd >= 0 && port_lines_send(&connection, line, SEND_MS) == MPI_SUCCESS;
    if (!is_sent)
        close_connection();
    pthread_mutex_unlock(&lock);
    return is_sent;
}

/* The port of mpiexec; NULL: none. What this process starts does not call it. */
static const char *find_port(void)
{
    static char port[MPI_MAX_PORT_NAME];
    const char *name = getenv("INKLING_JOB_REPORT");

    if (name) {
        snprintf(port, sizeof port, "%s", name);
        unsetenv("INKLING_JOB_REPORT");
    }
    return *port ? port : NULL;
}

static bool sender_is_wanted(void)
{
    return (hint_process.value[HINT_STATS] || report_level() != REPORT_OFF ||
            hint_process.value[HINT_SURVIVE]) &&
           strcmp(boot.launcher, "mpiexec") != 0 && strcmp(boot.launcher, "singleton") != 0;
}

static int call_port(const char *port)
{
    uint64_t end = clock_ns() + PATIENCE_NS;
    struct port_call call;
    int error = port_call_begin(port, &call);

    if (error)
        return error;
    while (!error && connection.fd < 0 && clock_ns() < end)
        error = port_call_await(&call, CALL_MS, &connection);
    port_call_end(&call);
    return error || connection.fd >= 0 ? error : fail(MPI_ERR_PORT, "nobody answers within 5 s");
}

static int introduce(void)
{
    char line[64 + HOST_ID_SIZE], host[HOST_ID_SIZE];

    private_add(connection.fd);
    port_limit_silence(&connection, (uint64_t)hint_value(&hint_process, HINT_CONNECT_TIMEOUT));
    if (gethostname(host, sizeof host) != 0)
        snprintf(host, sizeof host, "?");
    host[sizeof host - 1] = 0;
    snprintf(line, sizeof line, "cmd=rank rank=%d host=%s", boot.rank, host);
    return port_lines_send(&connection, line, SEND_MS);
}

static int connect_to(const char *port)
{
    int error;

    pthread_mutex_lock(&lock);
    close_connection(); /* the last start may have failed after it called */
    error = call_port(port);
    if (!error)
        error = introduce();
    if (error)
        close_connection();
    pthread_mutex_unlock(&lock);
    if (!error)
        report_set_listener(send_report);
    return error;
}

void report_sender_call(void)
{
    const char *port = hint_process.value[HINT_SURVIVE] && sender_is_wanted() ? find_port() : NULL;

    if (port)
        connect_to(port); /* without that report_sender_open tries again */
}

static void say_started(void)
{
    pthread_mutex_lock(&lock);
    port_lines_send(&connection, "cmd=started", SEND_MS);
    pthread_mutex_unlock(&lock);
}

void report_sender_open(void)
{
    const char *port = sender_is_wanted() ? find_port() : NULL;
    bool survives = hint_process.value[HINT_SURVIVE];
    int error = MPI_SUCCESS;

    if (!port)
        return;
    if (!survives || connection.fd < 0)
        error = connect_to(port);
    if (!error && survives)
        say_started();
    if (error && boot.local_rank == 0)
        log_warn("ranks of this host cannot tell mpiexec what it is to report: %s", fail_note());
}

void report_sender_close(void)
{
    pthread_mutex_lock(&lock);
    if (connection.fd >= 0) {
        report_set_listener(NULL);
        port_lines_send(&connection, "cmd=over", SEND_MS); /* else mpiexec takes this process for dead */
    }
    if (!hint_process.value[HINT_SURVIVE]) /* else it closes with the process, which may go on */
        close_connection();
    pthread_mutex_unlock(&lock);
}
