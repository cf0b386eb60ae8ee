#include "net/network/proof.h"

#include "plain/keyed_hash.h"
#include "unit.h"

#include <mpi.h>

static void a_proof_is_one_pairs(void **state)
{
    unsigned char key[SECRET_SIZE] = {1}, other[SECRET_SIZE] = {2};
    uint64_t proof;

    (void)state;
    assert_int_equal(keyed_hash_open(), MPI_SUCCESS);
    assert_int_equal(proof_of(key, PROOF_PACKET, 77, 3, &proof), MPI_SUCCESS);
    assert_true(proof_is(proof, key, PROOF_PACKET, 77, 3));
    assert_false(proof_is(proof + 1, key, PROOF_PACKET, 77, 3));
    assert_false(proof_is(proof, other, PROOF_PACKET, 77, 3));
    assert_false(proof_is(proof, key, PROOF_QUESTION, 77, 3));
    assert_false(proof_is(proof, key, PROOF_PACKET, 78, 3));
    assert_false(proof_is(proof, key, PROOF_PACKET, 77, 4));
}

/* Numbers wrap around. */
static void packets_come_in_turn(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t expected = i ? UINT64_MAX : 12345;

        assert_int_equal(proof_judge(expected, expected), PROOF_HOLDS);
        assert_int_equal(proof_judge(expected + 1, expected), PROOF_GAP);
        assert_int_equal(proof_judge(expected + 100000, expected), PROOF_GAP);
        assert_int_equal(proof_judge(expected - 1, expected), PROOF_FAILS);
        assert_int_equal(proof_judge(expected + ((uint64_t)1 << 24), expected), PROOF_FAILS);
        assert_int_equal(proof_judge(expected ^ (uint64_t)1 << 63, expected), PROOF_FAILS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proof_is_one_pairs),
        cmocka_unit_test(packets_come_in_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
