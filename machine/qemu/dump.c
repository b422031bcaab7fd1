/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/dump.h"

#include <stdlib.h>

FILE *dump_open(const char *folder, unsigned cpu)
{
	char path[4096];
	FILE *file;

	if (!folder)
		return NULL;
	snprintf(path, sizeof(path), "%s/trace.%u", folder, cpu);
	file = fopen(path, "wb");
	if (!file) {
		fprintf(stderr, "trace unit: cannot write %s: ", path);
		perror("");
		exit(EXIT_FAILURE);
	}
	return file;
}

void dump_write(FILE *file, const void *bytes, size_t size)
{
	if (file && fwrite(bytes, 1, size, file) != size) {
		perror("trace unit: dump");
		exit(EXIT_FAILURE);
	}
}

void dump_close(FILE *file)
{
	if (file && fclose(file))
		perror("trace unit: dump");
}
