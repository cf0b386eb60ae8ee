/* When no network is opened: in a program with more rights than its user's, and without memory for packets. */
#include "net/ofi/fabric.h"

#include "base/fail.h"
#include "net/ofi/tx.h"
#include "unit.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_rights_of_others), cmocka_unit_test(no_packets)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
