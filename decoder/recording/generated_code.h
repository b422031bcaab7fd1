/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GENERATED_CODE_H
#define KT_DECODER_GENERATED_CODE_H

#include "decoder/generated/generated_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct generated_names;
struct generated_run;
struct recording;

/* The code that programs generated while they were recorded, by process and
 * time, from copies of their memory (common/formats/generated_chunk.h) and from
 * jitdump.
 *
 * A copy shows the bytes at the time of the reading, but a decoder needs those
 * that ran before it. Two facts decide which bytes ran, for each granule of
 * GENERATED_GRANULE bytes:
 *
 * - A mapping that is executable and not writable cannot change without a
 *   record of mmap or mprotect. So bytes that were read from such a mapping
 *   were there since the last mmap or mprotect record before the reading.
 * - If the process lists only one function at an address in all its time, no
 *   other code ran there. So the first bytes that were read there were there
 *   since the start of the mapping, unless the process patches its functions.
 *   It does if two copies of a function differ, except a copy of before the
 *   function was listed, in which it may be incomplete, if the process lists its
 *   functions when it makes them. Methods compiled by Java's VM always count as
 *   patched.
 *
 *	time:	  mapped     read         read         read
 *	bytes:	  (none)     A            B            B
 *	known:	  ├─ A if listed once, ───┤ unknown ├─ B ──►
 *		     else unknown to the    (A or B)
 *		     reading
 *
 * 1. Bytes are known only if one of the facts, or two equal readings around the
 *    time, prove them. Other bytes are unknown: the decoder reports a gap.
 *    Other bytes could have run between two equal readings, and then been
 *    overwritten by the first ones. This is assumed not to happen, unless the
 *    process listed another function there between the readings.
 * 2. Bytes of jitdump are known from the time of their record on.
 * 3. An image never changes. A change makes a new image of the whole mapping,
 *    which shares unchanged pages with the previous one.
 *
 * All files are read while the recording is opened; the result is constant.
 * Memory: the copies once, and BUDGET_GENERATED_PAGES pages of images; beyond
 * that the bytes that changed are unknown.
 */
struct generated_code;

/* Reads the files of the recording's folder code/. Returns 0 and *@code, NULL
 * if there are none; or -ERROR_MEMORY. Borrows @recording, whose records must
 * have been read.
 */
int generated_code_read(const struct recording *recording,
			struct generated_code **code);
void generated_code_free(struct generated_code *code);

/* Returns the generated code of @recording; NULL if there is none. */
const struct generated_code *
recording_generated_code(const struct recording *recording);

/* Returns all events, *@count of them, by process and time. */
const struct generated_event *
generated_code_events(const struct generated_code *code, size_t *count);

/* Returns whether the images of process @pid contain the memory of @size bytes
 * at @address that was mapped at @time_ns.
 */
bool generated_code_covers(const struct generated_code *code, int32_t pid,
			   uint64_t time_ns, uint64_t address, uint64_t size);

/* Returns the functions that process @pid lists, and *@path, the file that they
 * are from; NULL if there is no list.
 */
const struct generated_names *
generated_code_names(const struct generated_code *code, int32_t pid,
		     const char **path);

/* Returns the functions of the process at @index, from 0, among those with
 * generated code; NULL after the last one.
 */
const struct generated_names *
generated_code_names_at(const struct generated_code *code, size_t index);

/* Calls @visit for each run of addresses with its function at @time_ns, by
 * address: of several that are there the last one in the list. @time_ns 0: only
 * functions that are there at all times. @visit returns 0 or a negative enum
 * error, which ends the walk.
 *
 * Returns 0, the error, or -ERROR_MEMORY.
 */
typedef int generated_names_visitor(void *ctx, const struct generated_run *run,
				    const char *name);

int generated_names_visit(const struct generated_names *names, uint64_t time_ns,
			  generated_names_visitor *visit, void *ctx);

#endif
