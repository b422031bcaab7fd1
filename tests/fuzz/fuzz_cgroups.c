/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "report/text/task_names.h"
#include "tests/fuzz/fuzz.h"

/* A recording's list of tasks with their cgroups. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct task_cgroups *cgroups = task_cgroups_empty();
	struct array paths = ARRAY_OF(const char *);

	if (cgroups && !task_cgroups_read(cgroups, (const char *)bytes, size) &&
	    !task_cgroups_list(cgroups, &paths))
		for (size_t i = 0; i < paths.count; i++)
			if (**(const char **)array_at(&paths, i) != '/')
				__builtin_trap();
	array_free(&paths);
	task_cgroups_close(cgroups);
	return 0;
}
