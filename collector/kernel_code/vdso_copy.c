/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/vdso_copy.h"

#include "common/error.h"
#include "common/log.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The whole image lies in memory, its section headers at the end. */
static size_t size_of(const uint8_t *image)
{
	const ElfW(Ehdr) *header = (const void *)image;
	const ElfW(Phdr) *segments = (const void *)(image + header->e_phoff);
	size_t size =
		header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (int i = 0; i < header->e_phnum; i++)
		size = larger(size,
			      segments[i].p_offset + segments[i].p_filesz);
	return size;
}

int vdso_copy_make(const char *folder, const struct log *log)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	char path[4096];
	size_t size;
	FILE *file;
	bool is_whole;

	if (!image || memcmp(image, ELFMAG, SELFMAG))
		return 0;
	size = size_of(image);
	snprintf(path, sizeof(path), "%s/vdso", folder);
	file = fopen(path, "we");
	is_whole = file && fwrite(image, 1, size, file) == size;
	if (file && fclose(file))
		is_whole = false;
	if (is_whole)
		return 0;
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "not written: %s",
		    strerror(errno));
	return -ERROR_SYSTEM;
}
