/* unit: cmocka as unit tests include it, without its fail(), which is the library's error note (base/fail.h).
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#undef fail

#endif
