/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GENERATED_NAMES_H
#define KT_DECODER_GENERATED_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"

struct arena;
struct array;
struct generated_names;
struct log;

/* When each function of a process's list was there.
 *
 * A name is valid for the bytes that it was listed for, and only as long as
 * they are there. A program writes a function's code, then its line in the
 * list; the calls can start before the line. The recorder reads the list from
 * time to time; each reading is a look, so a line was written between two
 * looks:
 *
 *	bytes:	  A ───────────────┤ B ─────────────────────────┤ C ──
 *	looks:	       │    │    │      │      │      │      │      │
 *	lines:	        (a)                     (b)              (?)
 *	names:	  a ───────────────┤ b ─────────────────────────┤ none
 *
 * 1. A line between two looks during which the same bytes were there names
 *    these bytes, from their start to their end.
 * 2. A line between two looks with a replacement of the bytes between them (?)
 *    is of the new bytes if the old bytes have their line already, which a
 *    program writes once. Otherwise it names nothing.
 *    Bytes that are all 0 are no function and have no line.
 * 3. Bytes that no line names are without a name, even if an earlier line names
 *    the same addresses.
 * 4. Before the first known bytes of a function nothing is known: the last line
 *    up to then names them, unless rule 1 finds another line for them.
 * 5. A function that shares its addresses with no other may be patched. Its
 *    bytes only count as replaced if more than half of a granule's bytes
 *    changed.
 * 6. A function of a jitdump is there as long as its bytes. If an earlier
 *    function in the list has the same bytes, it is there only from its own
 *    time on.
 */

/* The unit of comparing bytes: functions start at multiples of it. */
enum { GENERATED_GRANULE = 16 };

/* Granules of a page whose bytes were replaced. */
struct generated_replacement {
	uint64_t address;  /* of the page */
	uint64_t lost_ns;  /* the old bytes were there until then */
	uint64_t known_ns; /* the new bytes are there from then on */
	uint64_t which[4]; /* a bit for each granule */
	/* a bit for each granule of which more than half of the bytes are new
	 */
	uint64_t rewritten[4];
	/* a bit for each granule whose old bytes are all 0 */
	uint64_t blank[4];
};

/* Memory of a process between two execs. */
struct generated_extent {
	uint64_t start;
	uint64_t end;
	uint64_t first_ns;
	uint64_t end_ns;
};

/* Sets from_ns and to_ns of the functions of @names that were listed for the
 * memory @extent. @replacements (struct generated_replacement) are all
 * replacements of bytes in it, and get sorted. Appends the times at which a
 * function starts although no bytes are replaced to @others (uint64_t). Returns
 * 0 or -ERROR_MEMORY.
 */
int generated_times_settle(struct generated_names *names,
			   const struct generated_extent *extent,
			   struct array *replacements, struct array *others);

/* A function that a process generated, as the process itself lists it: in a
 * perf map, lines of "START SIZE NAME" in hexadecimal (perf's
 * tools/perf/Documentation/jit-interface.txt), or in a jitdump
 * (jitdump-specification.txt there), with its code and time.
 */
struct dumped_lines;
struct generated_name {
	uint64_t start;
	uint64_t end;	  /* after its last byte */
	const char *name; /* in the arena */
	/* It was listed at this time or later. jitdump: the time of its record;
	 * perf map: 1 ns after the last look without it.
	 */
	uint64_t time_ns;
	uint64_t until_ns;   /* perf map: the first look with it; 0: unknown */
	const uint8_t *code; /* jitdump: its bytes; NULL: unknown */
	/* jitdump: its source lines, generated_name_line(); NULL: none */
	const struct dumped_lines *lines;
	size_t order; /* in the list */
	/* it is the function at its addresses from from_ns until before to_ns;
	 * to_ns UINT64_MAX: without an end
	 */
	uint64_t from_ns;
	uint64_t to_ns;
};

/* A run of addresses. */
struct generated_run {
	uint64_t start;
	uint64_t end;
};

/* The functions that one process lists. */
struct generated_names {
	struct array names; /* struct generated_name, by start */
	/* struct generated_run: addresses of at least one function */
	struct array listed;
	/* struct generated_run: addresses of several functions, whose code
	 * replaced each other
	 */
	struct array replaced;
	/* struct generated_run: compiled by HotSpot, Java's VM, which patches
	 * calls in compiled methods (nativeInst_x86.cpp), but not its
	 * interpreter and stubs
	 */
	struct array patched;
	/* uint64_t: from_ns and to_ns of the functions that are not there at
	 * all times, sorted
	 */
	struct array times;
	/* perf map: lines were added between several looks, so the process lists
	 * its functions when it makes them, not at its end
	 */
	bool is_prompt;
};

struct generated_names generated_names_none(void);

void generated_names_free(struct generated_names *names);

/* Adds the functions of a perf map, @size bytes at @text. A line "# SINCE
 * UNTIL" has the times of the recorder's looks before and after the lines that
 * follow. Lines of any other form are skipped. Allocates names in @arena.
 * Returns 0 or -ERROR_MEMORY.
 */
int generated_names_add_map(struct generated_names *names, const char *text,
			    size_t size, struct arena *arena);

/* The same time by the clock of a jitdump and by the recording's. */
struct generated_clock {
	uint64_t dump_ns;
	uint64_t recording_ns;
};

/* Adds the functions of the jitdump of @size bytes at @bytes, which must stay
 * readable, with times by @clock. A record that is damaged or cut off is logged
 * to @log with the file @path and its offset, and ends the list. Returns 0 or
 * -ERROR_MEMORY.
 */
int generated_names_add_dump(struct generated_names *names,
			     const uint8_t *bytes, size_t size,
			     const struct generated_clock *clock,
			     struct arena *arena, const char *path,
			     const struct log *log);

/* Returns whether the addresses of @name are shared with another function. */
bool generated_name_is_shared(const struct generated_names *names,
			      const struct generated_name *name);

/* Sets *@file and *@line to the source of the code at @offset bytes after the
 * start of @name. *@file is valid as long as the jitdump's bytes. Returns false
 * if the source is unknown.
 */
bool generated_name_line(const struct generated_name *name, uint64_t offset,
			 const char **file, int *line);

/* Sorts the functions, after all were added. Sets first times, which
 * generated_times_settle() may change: a function that shares no address with
 * another is there at all times; others are there from their time on if they
 * are of jitdump, and never if they are of a perf map. Returns 0 or
 * -ERROR_MEMORY.
 */
int generated_names_finish(struct generated_names *names);

/* Fills in times, after the functions' from_ns and to_ns were settled. Returns
 * 0 or -ERROR_MEMORY.
 */
int generated_names_list_times(struct generated_names *names);

/* Returns whether addresses from @start to @end are in a function, none of them
 * is in two, and the process is not known to patch that function's code.
 */
bool generated_names_are_single(const struct generated_names *names,
				uint64_t start, uint64_t end);

/* Returns whether the only function at the addresses from @start to @end was not
 * listed yet at @time_ns, although the process lists its functions when it makes
 * them. Then bytes that were read there up to that time may be incomplete.
 */
bool generated_names_lack(const struct generated_names *names, uint64_t start,
			  uint64_t end, uint64_t time_ns);

/* Returns a time at which the process certainly had the memory that contains
 * @name: before the first look, it may have called exec.
 */
uint64_t generated_name_time(const struct generated_name *name);

/* Returns a number that is equal for two times, neither of which is 0, if the
 * same functions are there.
 */
size_t generated_names_epoch(const struct generated_names *names,
			     uint64_t time_ns);

#endif
