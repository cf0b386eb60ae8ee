/* The kernels for processors with AVX-512. */
#ifdef INKLING_WIDE_KERNELS
#define KERNEL_TABLE op_kernels_avx512
#include "op/kernel.c"
#else
typedef int op_kernel_avx512_is_left_out;
#endif
