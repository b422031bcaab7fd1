/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_CODE_KCORE_H
#define KT_COLLECTOR_KERNEL_CODE_KCORE_H

#include "common/array.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output_folder;

/* Reads the running kernel's memory, and writes copies of parts of it in the
 * same format, which perf reads too:
 *
 *	/proc/kcore ─► kernel_ranges_find() ─► kcore_copy() ─► kcore_dir/kcore
 *	            ─► loaded_code (later code) ─► kcore_copy_add()
 *
 * /proc/kcore shows the code at the time of the read. The caller must have
 * opened the events that report changes before (collector.h, invariant 1).
 */

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

/* Addresses [start, end). */
struct code_range {
	uint64_t start;
	uint64_t end;
};

/* Writes the @count ranges @ranges of @kcore to the new file @name of @folder,
 * in kcore's format: an ELF core file with one segment per range.
 *
 * Returns 0; -ERROR_NOT_FOUND if kcore does not contain a range; -ERROR_SYSTEM
 * with errno set; -ERROR_MEMORY.
 */
int kcore_copy(const struct kcore *kcore, const struct output_folder *folder,
	       const char *name, const struct code_range *ranges, size_t count);

/* Adds @range of @kcore to the copy @name of @folder as another segment, if no
 * segment there overlaps it and there is room for its header: a copy has room
 * for KCORE_COPY_SPARE more. The flags of the segment mark it as added after
 * the start of the recording (decoder/code/code_region.c).
 *
 * Returns 1 if it was added, 0 if a segment overlaps it, -ERROR_UNSUPPORTED if
 * there is no room, or like kcore_copy().
 */
int kcore_copy_add(const struct kcore *kcore,
		   const struct output_folder *folder, const char *name,
		   const struct code_range *range);

enum { KCORE_COPY_SPARE = 200, KCORE_COPY_LATE_FLAGS = 5 /* PF_R | PF_X */ };

/* Writes only the bytes of @range to the new file @name. Returns like
 * kcore_copy().
 */
int kcore_copy_raw(const struct kcore *kcore,
		   const struct output_folder *folder, const char *name,
		   const struct code_range *range);

#endif
