/* When no network is opened: in a program with more rights than its user's, and without memory for packets. Which addresses
 * are chosen. */
#include "net/ofi/fabric.h"

#include "net/ofi/tx.h"
#include "plain/fail.h"
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static char empty[] = "/tmp/fabric_test.XXXXXX";
static bool is_out, is_raised; /* of memory; the program, where no sanitizer asks the same */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum {
    CAN_PRETEND = false
};
#else
enum {
    CAN_PRETEND = true
};

void *__libc_malloc(size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return is_out ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type)
{
    return type == AT_SECURE && is_raised;
}
#endif

static void no_rights_of_others(void **state)
{
    int error;

    (void)state;
    if (!CAN_PRETEND)
        skip();
    is_raised = true;
    error = fabric_open(PACKET_MAX);
    is_raised = false;
    assert_int_equal(error, MPI_ERR_UNSUPPORTED_OPERATION);
    assert_non_null(strstr(fail_note(), "more rights"));
}

static void no_packets(void **state)
{
    int error;

    (void)state;
    if (!CAN_PRETEND)
        skip();
    is_out = true;
    error = tx_open();
    is_out = false;
    assert_int_equal(error, MPI_ERR_NO_MEM);
    assert_non_null(strstr(fail_note(), "packets to other hosts"));
    tx_close();
}

/* The bridge guests0 has no ports. */
__attribute__((visibility("default"))) DIR *opendir(const char *path)
{
    int fd;

    if (strcmp(path, "/sys/class/net/guests0/brif") == 0)
        path = empty;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? NULL : fdopendir(fd);
}

struct found {
    struct fi_info info;
    struct fi_domain_attr domain;
    struct fi_fabric_attr fabric;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Puts an address before the list, as libfabric gives it; 0: IPv6's of the link. */
static const struct fi_info *find(struct found *f, char *interface, uint32_t address,
                                  const struct fi_info *next)
{
    *f = (struct found){.domain.name = interface,
                        .fabric.prov_name = (char[]){"tcp;ofi_rxm"},
                        .v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)},
                        .v6 = {.sin6_family = AF_INET6, .sin6_addr.s6_addr = {0xfe, 0x80, [15] = 1}}};
    f->info = (struct fi_info){.next = (struct fi_info *)(uintptr_t)next,
                               .addr_format = address ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6,
                               .src_addr = address ? (void *)&f->v4 : (void *)&f->v6,
                               .domain_attr = &f->domain,
                               .fabric_attr = &f->fabric};
    return &f->info;
}

/* What others may not reach is taken only where nothing else is. */
static void doubtful_addresses_come_last(void **state)
{
    static char guests[] = "guests0", link[] = "link0", lo[] = "lo", net[] = "net0";
    struct found f[5];
    const struct fi_info *here = find(&f[0], lo, INADDR_LOOPBACK, NULL);
    const struct fi_info *wide = find(&f[1], net, 0x0a000001, here);
    const struct fi_info *all = find(&f[2], link, 0xa9fe0101, find(&f[3], guests, 0xac110001, wide));

    (void)state;
    all = find(&f[4], link, 0, all);
    assert_non_null(mkdtemp(empty));
    assert_string_equal(fabric_choose(all, NULL)->domain_attr->name, net);
    assert_string_equal(fabric_choose(all, guests)->domain_attr->name, guests);
    assert_ptr_equal(fabric_choose(all, link), &f[2].info); /* not IPv6's */
    assert_null(fabric_choose(all, "none0"));
    f[3].info.next = &f[0].info; /* without net0 */
    assert_string_equal(fabric_choose(all, NULL)->domain_attr->name, link);
    assert_string_equal(fabric_choose(&f[3].info, NULL)->domain_attr->name, guests);
    assert_string_equal(fabric_choose(here, NULL)->domain_attr->name, lo);
    f[4].info.next = NULL;
    assert_null(fabric_choose(all, NULL));
    rmdir(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_rights_of_others), cmocka_unit_test(no_packets),
                                       cmocka_unit_test(doubtful_addresses_come_last)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
