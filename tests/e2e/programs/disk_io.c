/* SPDX-License-Identifier: MIT */
/* I/O of known truth on the disk of FILE, for attribution_block.sh:
 *
 *	disk_io FILE
 *	disk_io FILE PAGES	only makes so many pages of a new file dirty, and
 *				prints its process and the number
 *
 * Phases: "make" writes the file and the journal; "read" and "write", COUNT
 * times 4 KiB or 8 KiB without the page cache, one after the other; "batch",
 * COUNT adjacent reads of 4 KiB submitted at once, which the kernel merges;
 * "mapped", reads through the page cache of pages far from each other. Prints
 * for each phase a line: its name, the time by CLOCK_MONOTONIC, and by how much
 * the first eight numbers of the disk's stat file in sysfs rose
 * (Documentation/block/stat.rst).
 */
#include "tests/e2e/programs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 24, PAGE = 4096, APART = 128 << 10, NUMBERS = 8 };

static char *buffer;

static void read_stat(int fd, long numbers[NUMBERS])
{
	struct stat info;
	char path[64];
	FILE *file;

	check(fstat(fd, &info), "fstat");
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat",
		 major(info.st_dev), minor(info.st_dev));
	file = fopen(path, "r");
	check(file ? 0 : -1, path);
	for (size_t i = 0; i < NUMBERS; i++)
		check(fscanf(file, "%ld", &numbers[i]) == 1 ? 0 : -1, path);
	fclose(file);
}

static void make(int fd)
{
	for (int i = 0; i < COUNT; i++)
		check(pwrite(fd, buffer, APART, (off_t)i * APART), "pwrite");
	check(fsync(fd), "fsync");
}

static void read_each(int fd)
{
	for (int i = 0; i < COUNT; i++)
		check(pread(fd, buffer, PAGE, (off_t)i * APART), "pread");
}

static void write_each(int fd)
{
	for (int i = 0; i < COUNT; i++)
		check(pwrite(fd, buffer, 2 * PAGE, (off_t)i * APART), "pwrite");
}

static void read_batch(int fd)
{
	struct iocb blocks[COUNT] = { { .aio_fildes = 0 } };
	struct iocb *list[COUNT];
	struct io_event events[COUNT];
	aio_context_t context = 0;

	for (int i = 0; i < COUNT; i++) {
		blocks[i].aio_fildes = (uint32_t)fd;
		blocks[i].aio_lio_opcode = IOCB_CMD_PREAD;
		blocks[i].aio_buf = (uintptr_t)(buffer + i * PAGE);
		blocks[i].aio_nbytes = PAGE;
		blocks[i].aio_offset = (int64_t)i * PAGE;
		list[i] = &blocks[i];
	}
	check(syscall(SYS_io_setup, COUNT, &context), "io_setup");
	check(syscall(SYS_io_submit, context, (long)COUNT, list), "io_submit");
	check(syscall(SYS_io_getevents, context, (long)COUNT, (long)COUNT,
		      events, NULL),
	      "io_getevents");
	check(syscall(SYS_io_destroy, context), "io_destroy");
}

static void read_mapped(int fd)
{
	char *map =
		mmap(NULL, (size_t)COUNT * APART, PROT_READ, MAP_SHARED, fd, 0);

	check(map == MAP_FAILED ? -1 : 0, "mmap");
	check(madvise(map, (size_t)COUNT * APART, MADV_RANDOM), "madvise");
	for (int i = 0; i < COUNT; i++)
		(void)*(volatile char *)&map[i * APART];
}

static void phase(const char *name, int fd, void (*run)(int fd))
{
	long before[NUMBERS];
	long after[NUMBERS];
	uint64_t begin;
	uint64_t end;

	read_stat(fd, before);
	begin = now_ns();
	run(fd);
	end = now_ns();
	read_stat(fd, after);
	printf("%s %lu", name, end - begin);
	for (size_t i = 0; i < NUMBERS; i++)
		printf(" %ld", after[i] - before[i]);
	putchar('\n');
}

static int dirty(const char *path, int pages)
{
	int fd = (int)check(open(path, O_RDWR | O_CREAT, 0600), path);

	for (int i = 0; i < pages; i++)
		check(write(fd, buffer, PAGE), path);
	printf("%d %d\n", getpid(), pages);
	return 0;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2 && argc != 3)
		return 2;
	buffer = aligned_alloc(PAGE, APART);
	memset(buffer, 'x', APART);
	if (argc == 3)
		return dirty(argv[1], atoi(argv[2]));
	fd = (int)check(open(argv[1], O_RDWR | O_CREAT | O_DIRECT, 0600),
			argv[1]);
	phase("make", fd, make);
	phase("read", fd, read_each);
	phase("write", fd, write_each);
	phase("batch", fd, read_batch);
	phase("mapped", fd, read_mapped);
	return 0;
}
