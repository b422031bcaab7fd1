/* SPDX-License-Identifier: MIT */
#include "common/formats/kernel_types.h"
#include "tests/fuzz/fuzz.h"

static void read_types(const uint8_t *bytes, size_t size)
{
	static const char *const names[] = { "mutex", "port", NULL };
	struct kernel_types *types = kernel_types_read(bytes, size, NULL);
	struct kernel_types *module = kernel_types_read(bytes, size, types);
	char text[40];

	if (types &&
	    kernel_types_offset(types, "sock_common", "skc_daddr") < -1)
		__builtin_trap();
	for (uint32_t i = 0; module && i < 20; i++) {
		uint32_t type = kernel_types_parameter(module, i, i % 3);

		kernel_types_pointer_at(module, type ? type : i, i % 16);
		kernel_types_name_member(module, i, i % 16, names, text,
					 sizeof(text));
		kernel_types_result(module, i);
	}
	kernel_types_free(module);
	kernel_types_free(types);
}

/* Malformed types, and recordings' copies of them: every result must be within
 * them.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct kernel_types_entry entry;
	const uint8_t *at = bytes;
	const uint8_t *stored;
	size_t left = size;

	read_types(bytes, size);
	while (kernel_types_next(&at, &left, &entry, &stored))
		read_types(stored, entry.stored_bytes);
	return 0;
}
