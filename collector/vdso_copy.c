/* SPDX-License-Identifier: MIT */
#include "collector/vdso_copy.h"
#include "collector/append_file.h"
#include "common/log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* Finds this process's own. */
static bool find_vdso(struct iovec *vdso)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool is_found = false;

	while (maps && !is_found && fgets(line, sizeof(line), maps)) {
		uintptr_t first;
		uintptr_t end;

		if (!strstr(line, "[vdso]") ||
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &first, &end) != 2)
			continue;
		*vdso = (struct iovec){ (void *)first, end - first };
		is_found = true;
	}
	if (maps)
		fclose(maps);
	return is_found;
}

void vdso_copy_make(const char *path, const struct log *log)
{
	struct append_file file;
	struct iovec vdso;
	char name[4096];

	if (!find_vdso(&vdso)) {
		log_message(log, LOG_WARNING, "/proc/self/maps", LOG_NO_OFFSET,
			    "names no vdso: its code will be unknown");
		return;
	}
	snprintf(name, sizeof(name), "%s/code", path);
	mkdir(name, 0700);
	snprintf(name, sizeof(name), "%s/code/vdso", path);
	if (append_file_create(&file, name, log) == 0)
		append_file_add(&file, &vdso, 1);
	append_file_close(&file);
}
