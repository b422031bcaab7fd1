/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/vdso_copy.h"

#include "common/output_folder.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The whole image is in memory, with its section headers at the end. */
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

int vdso_copy_make(const struct output_folder *folder, const struct log *log)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	if (!image || memcmp(image, ELFMAG, SELFMAG))
		return 0;
	return output_folder_save(folder, "vdso", image, size_of(image), log);
}
