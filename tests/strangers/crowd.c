/* crowd PORT COUNT SECONDS HOW ADDRESS SOURCE...: a stranger who holds COUNT connections to a port, spread over the
 * source addresses, and opens each again at once when it is dropped. HOW: silent; half (sends what may be a nonce, reads the answer and says no
 * more); garbage; impatient (silent, and gives up a connection that is not there within 100 ms). Says "ready" when all
 * have set out, and at the end how many it has opened, and how many of them were there. Ends by itself. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST = 8192,
    BATCH = 256,
    NONCE = 16,
    GARBAGE = 300
};

#define PATIENCE 0.1

struct visit {
    int fd;
    bool is_there;
    double since;
};

static struct visit visits[MOST];
static struct sockaddr_in there = {.sin_family = AF_INET};
static char **sources;
static int source_count, events, say;
static double patience = 1e9;
static long opened, came;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void set_out(int i)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.u32 = (uint32_t)i};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    visits[i] = (struct visit){.fd = fd, .since = now()};
    inet_pton(AF_INET, sources[i % source_count], &from.sin_addr);
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &(int){1}, sizeof(int));
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    if (fd < 0 || bind(fd, (struct sockaddr *)&from, sizeof from) < 0 ||
        (connect(fd, (struct sockaddr *)&there, sizeof there) < 0 && errno != EINPROGRESS) ||
        epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) < 0) {
        perror("crowd: connect");
        exit(1);
    }
    opened++;
}

static void go_on(int i, uint32_t what)
{
    static const char words[GARBAGE] = "who is there";
    char byte[GARBAGE];
    struct visit *v = &visits[i];

    if (what & EPOLLOUT && !(what & (EPOLLERR | EPOLLHUP)) && !v->is_there) {
        v->is_there = true;
        came++;
        if (say && send(v->fd, words, (size_t)say, MSG_NOSIGNAL) < 0)
            what |= EPOLLHUP;
    }
    if (what & EPOLLIN && recv(v->fd, byte, sizeof byte, MSG_DONTWAIT) == 0)
        what |= EPOLLHUP;
    if (what & (EPOLLERR | EPOLLHUP)) {
        close(v->fd);
        set_out(i);
    }
}

static void crowd(int count, double seconds)
{
    double end = now() + seconds, look = now();

    for (int i = 0; i < count; i++)
        set_out(i);
    printf("ready\n");
    fflush(stdout);
    while (now() < end) {
        struct epoll_event event[BATCH];
        int n = epoll_wait(events, event, BATCH, 20);

        for (int i = 0; i < n; i++)
            go_on((int)event[i].data.u32, event[i].events);
        if (patience < seconds && now() > look + PATIENCE / 4) {
            look = now();
            for (int i = 0; i < count; i++)
                if (!visits[i].is_there && look > visits[i].since + patience)
                    go_on(i, EPOLLHUP);
        }
    }
}

int main(int argc, char **argv)
{
    struct rlimit limit;
    int count = argc > 6 ? atoi(argv[2]) : 0;

    if (count < 1 || count > MOST || inet_pton(AF_INET, argv[5], &there.sin_addr) != 1)
        return 2;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    there.sin_port = htons((uint16_t)atoi(argv[1]));
    say = strcmp(argv[4], "half") == 0 ? NONCE : strcmp(argv[4], "garbage") == 0 ? GARBAGE : 0;
    patience = strcmp(argv[4], "impatient") == 0 ? PATIENCE : patience;
    sources = argv + 6;
    source_count = argc - 6;
    events = epoll_create1(0);
    crowd(count, atof(argv[3]));
    printf("opened %ld, of which %ld were there\n", opened, came);
    return 0;
}
