/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_UNKNOWN_H
#define KT_DECODER_CODE_UNKNOWN_H

#include <stddef.h>
#include <stdint.h>

struct array;
struct log;

/* Addresses whose code became different while it was recorded, nobody knows
 * when: the recorder could not follow it, or the trace has no times.
 */
struct code_unknown {
	uint64_t first;
	uint64_t end;
};

/* What is known of the code at the end: the copies, changed. */
struct code_at_end {
	const struct array *regions; /* struct code_region */
	const struct array *changes; /* struct code_change */
	const struct array *known;   /* struct code_known, after the changes */
};

/* Compares the @end with the ELF core at @path, which holds code that the
 * recorder found different at the end, and appends the addresses where both
 * differ to @unknown (struct code_unknown), sorted, not touching.  @log gets a
 * warning if the file is no such core, which is then not used.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_unknown_read(const struct code_at_end *end, const char *path,
		      const struct log *log, struct array *unknown);

/* Appends likewise what the patches among @changes (struct code_change) change of
 * what was copied, @regions (struct code_region): for a trace without times, and
 * where some patches were lost.  Returns 0 or -ERROR_MEMORY.
 */
int code_unknown_add_patches(const struct array *regions,
			     const struct array *changes,
			     struct array *unknown);

/* Returns how many of the @size bytes at @address come before the first unknown
 * one; 0 if that is the first.
 */
size_t code_unknown_limit(const struct array *unknown, uint64_t address,
			  size_t size);

/* Returns the end of the unknown range with @address, or @address if it is in
 * none.
 */
uint64_t code_unknown_end(const struct array *unknown, uint64_t address);

#endif
