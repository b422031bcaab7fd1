/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_MAPS_H
#define KT_DECODER_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct recording;

/* A file's code as it lies in a process. */
struct process_map {
	uint64_t address;
	uint64_t size_bytes;
	uint64_t file_offset;
	const char *path; /* "" without its code; lives in the process_maps */
	uint64_t file;	  /* its number, see process_maps_file() */
};

/* A file that some process had mapped. */
struct process_file {
	const char *path; /* where to look for it, "" if nowhere; NULL: no
			   * map is of this number */
	bool is_recorded; /* that one, not another of its name */
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

/* Passes the maps of process @pid at @time_ns to @visit, the newest first, until
 * @visit returns true.
 *
 * Returns when that changes next, UINT64_MAX if never.
 */
typedef bool process_maps_visitor(void *ctx, const struct process_map *map);
uint64_t process_maps_visit(const struct process_maps *maps, int32_t pid,
			    uint64_t time_ns, process_maps_visitor *visit,
			    void *ctx);

/* Passes all maps that process @pid added, at any time, to @visit, whose result
 * is ignored.  If it added none, passes those of the nearest ancestor that did.
 */
void process_maps_visit_added(const struct process_maps *maps, int32_t pid,
			      process_maps_visitor *visit, void *ctx);

/* Returns a bound for the numbers of files, and the file of a number.  A number
 * depends on the records before it and on is_recorded alone: all process_maps of
 * one recording use the same.
 */
size_t process_maps_file_count(const struct process_maps *maps);
const struct process_file *process_maps_file(const struct process_maps *maps,
					     size_t number);

#endif
