/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_MAPS_H
#define KT_DECODER_PROCESS_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct array;
struct recording;

/* A file's code as it lies in a process. */
struct process_map {
	uint64_t address;
	uint64_t size_bytes;
	uint64_t file_offset;
	const char *path; /* lives in the process_maps */
};

/* Which code all processes of a recording had mapped, and when. */
struct process_maps;

/* Reads MMAP, FORK and exec records.  Borrows @recording.  Returns NULL when
 * out of memory.
 */
struct process_maps *process_maps_new(const struct recording *recording);
void process_maps_free(struct process_maps *maps);

/* Appends what process @pid had mapped at @time_ns to @found (struct
 * process_map), the oldest first: where two overlap the later one is right.
 *
 * Returns when that changes next, UINT64_MAX if never; 0 when out of memory.
 */
uint64_t process_maps_at(const struct process_maps *maps, int32_t pid,
			 uint64_t time_ns, struct array *found);

#endif
