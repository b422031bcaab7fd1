/* SPDX-License-Identifier: MIT */
#include "collector/sockets/kernel_types.h"
#include "tests/fuzz/fuzz.h"

/* Malformed types: every result must be within them. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct kernel_types *types = kernel_types_read(bytes, size);

	if (!types)
		return 0;
	kernel_types_function(types, "bpf_iter_tcp");
	if (kernel_types_offset(types, "sock_common", "skc_daddr") < -1)
		__builtin_trap();
	kernel_types_free(types);
	return 0;
}
