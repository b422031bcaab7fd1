/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KCORE_H
#define KT_COLLECTOR_KCORE_H

#include "common/array.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The running kernel's memory: /proc/kcore, an ELF core file that starts with a
 * table of its address ranges.
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

/* Like kcore_open(), but for the open file @fd, whose ownership passes to
 * @kcore. If @fd is -1, opening failed with the present errno.
 */
int kcore_open_fd(struct kcore *kcore, int fd);
void kcore_close(struct kcore *kcore);

/* Copies @size bytes at @address into @buffer.
 *
 * Returns 0, -ERROR_NOT_FOUND if kcore does not contain that range, or
 * -ERROR_SYSTEM with errno set.
 */
int kcore_read(const struct kcore *kcore, uint64_t address, void *buffer,
	       size_t size);

/* Returns whether both kcores contain the @size bytes at @address, and they are
 * the same.
 */
bool kcore_has_same(const struct kcore *a, const struct kcore *b,
		    uint64_t address, uint64_t size);

#endif
