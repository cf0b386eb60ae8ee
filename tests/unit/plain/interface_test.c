/* The address by which other hosts find this one, of hosts whose interfaces are made up. */
#include "plain/interface.h"

#include "unit.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

static struct ifaddrs *pretended;

__attribute__((visibility("default"))) int getifaddrs(struct ifaddrs **list)
{
    *list = pretended;
    return 0;
}

__attribute__((visibility("default"))) void freeifaddrs(struct ifaddrs *list)
{
    assert_ptr_equal(list, pretended);
}

static struct sockaddr_in four(const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
    return address;
}

static struct sockaddr_in6 six(const char *text)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};

    assert_int_equal(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return address;
}

static struct ifaddrs interface(struct ifaddrs *next, const char *name, unsigned flags, void *address)
{
    return (struct ifaddrs){
        .ifa_next = next, .ifa_name = (char *)(uintptr_t)name, .ifa_flags = flags, .ifa_addr = address};
}

/* What is found, as a text; "": nothing. */
static const char *find(struct ifaddrs *list, const char *wanted, size_t size)
{
    static char text[INET6_ADDRSTRLEN];
    struct sockaddr_storage found = {.ss_family = AF_UNSPEC};

    pretended = list;
    interface_find_address(wanted, &found, size);
    *text = '\0';
    if (found.ss_family == AF_INET)
        inet_ntop(AF_INET, &((struct sockaddr_in *)&found)->sin_addr, text, sizeof text);
    if (found.ss_family == AF_INET6)
        inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&found)->sin6_addr, text, sizeof text);
    return text;
}

static void the_least_doubtful_is_found(void **state)
{
    struct sockaddr_in loopback = four("127.0.0.1"), given = four("10.0.0.7"), own = four("169.254.1.1");
    struct sockaddr_in6 link = six("fe80::7"), wide = six("fd00::7");
    struct ifaddrs last = interface(NULL, "eth1", IFF_UP, &wide),
                   v4 = interface(&last, "eth0", IFF_UP, &given), self = interface(&v4, "eth0", IFF_UP, &own),
                   unsaid = interface(&self, "eth0", IFF_UP, &link),
                   none = interface(&unsaid, "tun0", IFF_UP, NULL),
                   first = interface(&none, "lo", IFF_UP | IFF_LOOPBACK, &loopback);

    (void)state;
    assert_string_equal(find(&first, NULL, sizeof(struct sockaddr_storage)), "10.0.0.7");
    assert_string_equal(find(&first, "", sizeof(struct sockaddr_storage)), "10.0.0.7");
    assert_string_equal(find(&first, "eth1", sizeof(struct sockaddr_storage)), "fd00::7");
    assert_string_equal(find(&first, "lo", sizeof(struct sockaddr_storage)), "127.0.0.1");
    assert_string_equal(find(&first, "eth2", sizeof(struct sockaddr_storage)), "");
    assert_string_equal(find(&first, "eth1", sizeof(struct sockaddr_in)), ""); /* it has no room */
    v4.ifa_flags = 0;                                                          /* down */
    assert_string_equal(find(&first, NULL, sizeof(struct sockaddr_storage)), "fd00::7");
    last.ifa_flags = 0;
    assert_string_equal(find(&first, NULL, sizeof(struct sockaddr_storage)), "169.254.1.1");
    self.ifa_next = NULL;
    self.ifa_flags = 0;
    assert_string_equal(find(&first, NULL, sizeof(struct sockaddr_storage)), "127.0.0.1");
    assert_string_equal(find(&unsaid, NULL, sizeof(struct sockaddr_storage)), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_least_doubtful_is_found)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
