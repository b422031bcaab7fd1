/* SPDX-License-Identifier: MIT */
#include "tests/kcore_text_fixture.h"

#include "tests/shared_fixture.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *copy(const uint8_t *file, size_t size, const Elf64_Phdr *header)
{
	uint8_t *text;

	if (header->p_offset > size ||
	    header->p_filesz > size - header->p_offset)
		return NULL;
	text = malloc(header->p_filesz);
	if (text)
		memcpy(text, file + header->p_offset, header->p_filesz);
	return text;
}

uint8_t *kcore_text(const char *recording, size_t *size)
{
	char path[5000];
	Elf64_Ehdr elf;
	Elf64_Phdr header;
	uint8_t *file, *text = NULL;
	size_t file_size;

	snprintf(path, sizeof(path), "%s/kcore_dir/kcore", recording);
	file = shared_file(path, &file_size);
	if (!file || file_size < sizeof(elf))
		goto out;
	memcpy(&elf, file, sizeof(elf));
	if (elf.e_phoff > file_size - sizeof(header))
		goto out;
	memcpy(&header, file + elf.e_phoff, sizeof(header));
	*size = header.p_filesz;
	text = copy(file, file_size, &header);
out:
	free(file);
	return text;
}
