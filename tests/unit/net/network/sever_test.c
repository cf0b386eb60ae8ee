/* Which connections count as silent. */
#include "net/network/sever.h"

#include "unit.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <sys/socket.h>

enum {
    MOST = 1024,
    SILENT_MS = 50
};

struct pair {
    int caller, accepted;
};

static struct sockaddr_in listen_here(int *fd)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;

    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*fd, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(listen(*fd, 8), 0);
    assert_int_equal(getsockname(*fd, (struct sockaddr *)&here, &size), 0);
    return here;
}

static struct pair call(int listener, const struct sockaddr_in *there)
{
    struct pair p = {.caller = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};

    assert_int_equal(connect(p.caller, (const struct sockaddr *)there, sizeof *there), 0);
    p.accepted = accept(listener, NULL, NULL);
    assert_true(p.accepted >= 0);
    return p;
}

/* Whether the caller's connection has ended. */
static bool is_ended(const struct pair *p)
{
    char byte;

    return recv(p->caller, &byte, 1, MSG_DONTWAIT) == 0;
}

static void hang_up(const struct pair *p)
{
    close(p->caller);
    close(p->accepted);
}

static void who_says_nothing_is_ended(void **state)
{
    int listener, other;
    struct sockaddr_in here = listen_here(&listener), there = listen_here(&other);
    struct pair silent = call(listener, &here), spoken = call(listener, &here),
                elsewhere = call(other, &there);

    (void)state;
    assert_int_equal(write(spoken.caller, "x", 1), 1);
    assert_int_equal(write(silent.accepted, "x", 1), 1); /* what this end says does not count */
    assert_int_equal(read(silent.caller, &(char){0}, 1), 1);
    assert_int_equal(sever_silent(&here, sizeof here, 10000, MOST), 0); /* not silent for so long */
    usleep(2 * SILENT_MS * 1000);
    assert_int_equal(sever_silent(&here, sizeof here, SILENT_MS, 3), 0); /* not below 3 */
    assert_int_equal(sever_silent(&here, sizeof here, SILENT_MS, MOST), 1);
    assert_true(is_ended(&silent));
    assert_false(is_ended(&spoken) || is_ended(&elsewhere));
    assert_int_equal(sever_silent(&here, sizeof here, SILENT_MS, MOST), 0); /* once */
    silent = call(listener, &here);                                         /* the listener goes on */
    hang_up(&silent);
    hang_up(&spoken);
    hang_up(&elsewhere);
    close(listener);
    close(other);
}

static void other_addresses_are_of_nobody(void **state)
{
    char bytes[256] = {0};

    (void)state;
    assert_int_equal(sever_silent(bytes, sizeof bytes, 0, MOST), 0);
    assert_int_equal(sever_silent(bytes, 16, 0, MOST), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_says_nothing_is_ended),
        cmocka_unit_test(other_addresses_are_of_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
