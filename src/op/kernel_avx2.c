/* The kernels for processors with AVX2. */
#ifdef INKLING_WIDE_KERNELS
#define KERNEL_TABLE op_kernels_avx2
#include "op/kernel.c"
#else
typedef int op_kernel_avx2_is_left_out;
#endif
