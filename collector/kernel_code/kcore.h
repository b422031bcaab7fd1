/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KCORE_H
#define KT_COLLECTOR_KCORE_H

#include "common/array.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/* The running kernel's memory: /proc/kcore, an ELF core file that begins with
 * a table of the address ranges that it holds.
 */
struct kcore {
	int fd;
	Elf64_Ehdr header;
	struct array segments; /* Elf64_Phdr */
};

/* Opens the file at @path.
 *
 * Returns 0; -ERROR_SYSTEM with errno set; -ERROR_FORMAT; -ERROR_MEMORY.
 */
int kcore_open(struct kcore *kcore, const char *path);

/* Like kcore_open(), of the open file @fd, which it owns from then on; -1: the
 * file could not be opened, and errno is set.
 */
int kcore_open_fd(struct kcore *kcore, int fd);
void kcore_close(struct kcore *kcore);

/* Copies @size bytes at @address into @buffer.
 *
 * Returns 0, -ERROR_NOT_FOUND if kcore does not hold that range, or
 * -ERROR_SYSTEM with errno set.
 */
int kcore_read(const struct kcore *kcore, uint64_t address, void *buffer,
	       size_t size);

#endif
