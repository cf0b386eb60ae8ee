#include "net/ofi/socket_filter.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

enum {
    PAYLOAD = sizeof(struct udphdr) /* where it begins in what the filter sees */
};

bool socket_filter_set(int fd, uint64_t first)
{
    uint32_t half[2];
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PAYLOAD), /* drops it where it ends before that */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PAYLOAD + sizeof half[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), /* keeps all of it */
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog whole = {sizeof program / sizeof program[0], program};

    memcpy(half, &first, sizeof half);
    program[1].k = ntohl(half[0]); /* the filter loads in the network's order */
    program[3].k = ntohl(half[1]);
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &whole, sizeof whole) == 0;
}
