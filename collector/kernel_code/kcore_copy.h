/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KCORE_COPY_H
#define KT_COLLECTOR_KCORE_COPY_H

#include <stddef.h>
#include <stdint.h>

struct kcore;
struct output_folder;

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
 * segment there overlaps it and there is room: KCORE_COPY_SPARE times. The
 * flags of the segment mark it as added after the start of the recording
 * (decoder/code/code_region.c).
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
