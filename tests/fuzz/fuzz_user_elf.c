/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind/user_elf_internal.h"
#include "symbolize/unwind/user_stack.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void look_at_frame(Dwarf_Frame *frame)
{
	Dwarf_Op room[3];
	Dwarf_Op *ops;
	size_t count;

	dwarf_frame_cfa(frame, &ops, &count);
	for (int i = 0; i < FRAME_REGISTERS; i++)
		dwarf_frame_register(frame, i, room, &ops, &count);
}

static void look_at_frames(const struct user_elf *elf)
{
	struct elf_frames *frames = elf_frames_new(elf);
	Dwarf_Frame *frame;

	for (uint64_t address = 0; frames && address < 1 << 14; address += 61) {
		frame = elf_frames_at(frames, address);
		if (frame)
			look_at_frame(frame);
	}
	elf_frames_free(frames);
}

static void look_at(const struct user_elf *elf)
{
	uint64_t address;
	uint8_t bytes[64];

	for (uint64_t offset = 0; offset < 1 << 14; offset += 511)
		if (user_elf_address(elf, offset, &address))
			user_elf_read(elf, address, bytes, sizeof(bytes));
	user_elf_read(elf, UINT64_MAX - 3, bytes, sizeof(bytes));
	look_at_frames(elf);
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
