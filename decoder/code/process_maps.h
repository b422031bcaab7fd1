/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_MAPS_H
#define KT_DECODER_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct recording;

/* A mapping of a file's code in a process. */
struct process_map {
	uint64_t address;
	uint64_t size_bytes;
	uint64_t file_offset;
	/* "" if its code is not available; owned by the process_maps */
	const char *path;
	uint64_t file; /* number of the file, see process_maps_file() */
};

/* A file that a process had mapped. */
struct process_file {
	/* where to find it, "" if unknown; NULL: no mapping uses this number */
	const char *path;
	/* it is the recorded file, not another one of the same name */
	bool is_recorded;
};

/* The mappings of all processes of a recording, over time. */
struct process_maps;

/* Reads MMAP, FORK and exec records. Borrows @recording. Returns NULL when
 * out of memory.
 */
struct process_maps *process_maps_new(const struct recording *recording);
void process_maps_free(struct process_maps *maps);

/* Appends the mappings of process @pid at @time_ns to @found (struct
 * process_map), the oldest first: where two overlap, the later one is valid.
 *
 * Returns the time of their next change, UINT64_MAX if there is none; 0 when
 * out of memory.
 */
uint64_t process_maps_at(const struct process_maps *maps, int32_t pid,
			 uint64_t time_ns, struct array *found);

/* Returns the time of the last exec or fork of process @pid up to @time_ns, 0 if
 * there is none: it runs one program from then on.
 */
uint64_t process_maps_program_ns(const struct process_maps *maps, int32_t pid,
				 uint64_t time_ns);

/* Calls @visit for the mappings of process @pid at @time_ns, the newest first,
 * until it returns true.
 *
 * Returns the time of their next change, UINT64_MAX if there is none.
 */
typedef bool process_maps_visitor(void *ctx, const struct process_map *map);
uint64_t process_maps_visit(const struct process_maps *maps, int32_t pid,
			    uint64_t time_ns, process_maps_visitor *visit,
			    void *ctx);

/* Calls @visit, whose result is ignored, for all mappings that process @pid
 * added, at any time. If it added none, uses the nearest ancestor that did.
 */
void process_maps_visit_added(const struct process_maps *maps, int32_t pid,
			      process_maps_visitor *visit, void *ctx);

/* Return the number of file numbers, and the file with a number. A number
 * depends only on the records before it and on is_recorded: it is the same in
 * all process_maps of one recording.
 */
size_t process_maps_file_count(const struct process_maps *maps);
const struct process_file *process_maps_file(const struct process_maps *maps,
					     size_t number);

/* Returns whether the mappings @maps start with all of @first. */
bool process_maps_begin_with(const struct array *maps,
			     const struct array *first);

bool process_maps_are_same(const struct array *a, const struct array *b);

#endif
