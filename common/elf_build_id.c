/* SPDX-License-Identifier: MIT */
#include "common/elf_build_id.h"
#include "common/regular_file.h"

#include <elfutils/libdwelf.h>
#include <string.h>
#include <unistd.h>

static struct elf_build_id id_of(Elf *elf)
{
	struct elf_build_id id = { 0 };
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	if (size > 0 && size <= ELF_BUILD_ID_SIZE) {
		id.size = (size_t)size;
		memcpy(id.bytes, bytes, id.size);
	}
	return id;
}

struct elf_build_id elf_build_id_of_file(const char *path)
{
	struct elf_build_id id = { 0 };
	int fd = regular_file_open(path);
	Elf *elf;

	if (fd < 0)
		return id;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		id = id_of(elf);
	elf_end(elf);
	close(fd);
	return id;
}
