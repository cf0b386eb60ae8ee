/* flood ADDRESS PORT JOB SECONDS RATE: sends forged heartbeats to this UDP port, so many a second (0: as fast as it can): questions
 * of rank 1's and of an unknown process, which tell of packets that were never sent, and answers of rank 1's. It knows the number
 * of the job and how heartbeats look, but no key. Says "sent COUNT". */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum {
    QUESTION = 1,
    ANSWER = 2,
    AT_ONCE = 64,
    SEGMENT = 103 /* UDP_SEGMENT: the kernel makes datagrams of this size of what is sent */
};

struct beat { /* as in src/net/network/heartbeat.c */
    uint64_t tag, reply_tag, job;
    uint32_t rank;
    uint16_t kind, is_polling;
    uint64_t proof, sent;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int connect_to(const char *address, const char *port)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (inet_pton(AF_INET, address, &there.sin_addr) == 1 &&
        connect(fd, (struct sockaddr *)&there, sizeof there) == 0 &&
        setsockopt(fd, IPPROTO_UDP, SEGMENT, &(int){sizeof(struct beat)}, sizeof(int)) == 0)
        return fd;
    perror("flood: connect");
    exit(1);
}

static long flood(int fd, uint64_t job, double seconds, double rate)
{
    struct beat beat[AT_ONCE];
    double begin = now();
    long sent = 0;

    for (int i = 0; i < AT_ONCE; i++)
        beat[i] = (struct beat){.job = job,
                                .rank = i % 3 == 1 ? 1000 : 1,
                                .kind = i % 3 == 2 ? ANSWER : QUESTION,
                                .is_polling = 1,
                                .sent = 1 << 30};
    while (now() < begin + seconds) {
        for (int i = 0; i < AT_ONCE; i++)
            beat[i].tag = beat[i].proof = (uint64_t)(sent + i) * 0x9e3779b97f4a7c15;
        while (rate > 0 && (double)sent > (now() - begin) * rate)
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        if (send(fd, beat, sizeof beat, 0) > 0)
            sent += AT_ONCE;
    }
    return sent;
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return 2;
    printf("sent %ld\n",
           flood(connect_to(argv[1], argv[2]), strtoull(argv[3], NULL, 10), atof(argv[4]), atof(argv[5])));
    return 0;
}
