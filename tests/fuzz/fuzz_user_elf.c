/* SPDX-License-Identifier: MIT */
#include "symbolize/user_elf.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void look_at(const struct user_elf *elf)
{
	struct unwind_table table;
	uint64_t address;
	uint8_t bytes[64];

	if (user_elf_unwind_table(elf, &table))
		user_elf_read(elf, table.entries + table.entry_count * 8 - 8,
			      bytes, 8);
	for (uint64_t offset = 0; offset < 1 << 14; offset += 511)
		if (user_elf_address(elf, offset, &address))
			user_elf_read(elf, address, bytes, sizeof(bytes));
	user_elf_read(elf, UINT64_MAX - 3, bytes, sizeof(bytes));
}

/* A user program, as the unwinder reads it. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	struct user_elf *elf = NULL;
	char path[64];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) == (ssize_t)size)
		elf = user_elf_open(path);
	if (elf)
		look_at(elf);
	user_elf_close(elf);
	close(fd);
	return 0;
}
