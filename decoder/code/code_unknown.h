/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_UNKNOWN_H
#define KT_DECODER_CODE_UNKNOWN_H

#include <stddef.h>
#include <stdint.h>

struct array;
struct log;

/* Addresses whose code changed during the recording at an unknown time, because
 * the recorder could not record the change, or the trace has no times.
 */
struct code_unknown {
	uint64_t first;
	uint64_t end;
};

/* The expected code at the end: copies, with all changes applied. */
struct code_at_end {
	const struct array *regions; /* struct code_region */
	const struct array *changes; /* struct code_change */
	const struct array *known;   /* struct code_known, after the changes */
};

/* Compares @end with the ELF core at @path, a copy of the code that the
 * recorder found to be different at the end. Appends the addresses where the
 * two differ to @unknown (struct code_unknown), sorted and not touching. If the
 * file is not such a core, logs a warning and does not use it.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_unknown_read(const struct code_at_end *end, const char *path,
		      const struct log *log, struct array *unknown);

/* Appends the addresses of patches among @changes (struct code_change) to
 * @unknown, except those that the copies in @regions (struct code_region)
 * already contain. For a trace without times, and if records of patches were
 * lost. Returns 0 or -ERROR_MEMORY.
 */
int code_unknown_add_patches(const struct array *regions,
			     const struct array *changes,
			     struct array *unknown);

/* Returns how many of the @size bytes at @address precede the first unknown
 * one; 0 if the first byte is unknown.
 */
size_t code_unknown_limit(const struct array *unknown, uint64_t address,
			  size_t size);

/* Returns the end of the unknown range that contains @address, or @address if
 * none does.
 */
uint64_t code_unknown_end(const struct array *unknown, uint64_t address);

#endif
