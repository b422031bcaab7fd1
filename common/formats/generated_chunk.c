/* SPDX-License-Identifier: MIT */
#include "common/formats/generated_chunk.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Names from perf_event_mmap_event() in kernel/events/core.c. A memfd may also
 * contain a whole program; .NET maps its generated code twice, from a memfd of
 * this name.
 */
bool generated_path(const char *path)
{
	static const char *const starts[] = {
		"//anon",
		"[heap]",
		"[stack",
		"[anon",
		"/SYSV",
		"/dev/zero",
		"/memfd:doublemapper",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(path, starts[i], strlen(starts[i])))
			return true;
	return false;
}

bool generated_dump_path(const char *path)
{
	const char *name = strrchr(path, '/');

	if (!name || strncmp(name, "/jit-", 5) || !isdigit(name[5]))
		return false;
	for (name += 5; isdigit(*name); name++)
		;
	return !strcmp(name, ".dump");
}
