/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/kernel_names.h"
#include "common/error.h"

#include <stdbool.h>
#include <string.h>

static bool is_equal(const struct byte_buffer *a, const struct byte_buffer *b)
{
	return a->size == b->size &&
	       (!a->size || !memcmp(a->bytes, b->bytes, a->size));
}

int kernel_names_read(struct kernel_names *names)
{
	struct byte_buffer modules = { 0 };

	/* A kernel without modules has no such file. */
	byte_buffer_file(&modules, "/proc/modules");
	if (names->kallsyms.size && is_equal(&modules, &names->modules)) {
		byte_buffer_free(&modules);
		return 0;
	}
	kernel_names_free(names);
	names->modules = modules;
	byte_buffer_file(&names->kallsyms, "/proc/kallsyms");
	return names->kallsyms.failed ? -ERROR_MEMORY : 0;
}

void kernel_names_free(struct kernel_names *names)
{
	byte_buffer_free(&names->kallsyms);
	byte_buffer_free(&names->modules);
	*names = (struct kernel_names){ 0 };
}
