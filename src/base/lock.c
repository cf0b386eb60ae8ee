#include "base/lock.h"

bool lock_enabled;

void lock_enable(void)
{
    lock_enabled = true;
}
