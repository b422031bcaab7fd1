/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_CODE_IMAGE_H
#define KT_DECODER_CODE_CODE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct array;
struct log;
struct recording;

/* The kernel's code: its bytes, by address and time.
 *
 * Sources:
 *
 * - the recording's kcore, a copy of the kernel's code at the start; in a
 *   snapshot, its memory dumps instead;
 * - files of the recording's directory code/, named
 *   <first>-<end>-<time>[-<since>] (hexadecimal addresses, nanoseconds of the
 *   recording's clock), for code that appeared later. A file contains a copy of
 *   these bytes made at <time>, proved to be the same since <since>. An empty
 *   file means other code from <time> on, without a copy;
 * - patches and other changes in the recording's records
 *   (code_change_internal.h), which also has the rule for how long a copy is
 *   valid. They are applied to a copy, and reverted for times before. If the
 *   trace has no times, patched bytes are unknown (struct code_unknown);
 * - kcore_end, a copy of all code that was different at the end. Bytes where it
 *   differs from the code as these changes leave it are unknown.
 *
 * Bytes without a copy that is valid at the queried time are unknown. User code
 * is elsewhere: in the files that mmap records name (process_maps.h,
 * user_code.h).
 *
 * Read-only once open: threads may share it.
 */
struct code_image;

/* Opens the code of @recording, which it borrows.
 *
 * Returns 0 and *@image. Missing code is logged to @log as a warning, once for
 * each file, and becomes a FLOW_GAP_NO_CODE where it would have been executed.
 * Returns a negative enum error when out of memory or descriptors.
 */
int code_image_open(const struct recording *recording, const struct log *log,
		    struct code_image **image);

void code_image_close(struct code_image *image);

/* The following functions return arrays that the image owns: the copied code
 * (struct code_region), sorted; the parts of it that were copied at the start
 * (struct code_known); the changes during the recording (struct code_change),
 * in order of time; and the addresses that changed at an unknown time (struct
 * code_unknown), sorted.
 */
const struct array *code_image_regions(const struct code_image *image);

const struct array *code_image_known(const struct code_image *image);

const struct array *code_image_changes(const struct code_image *image);

const struct array *code_image_unknown(const struct code_image *image);

/* Returns the log that the image was opened with. */
const struct log *code_image_log(const struct code_image *image);

/* Copies up to @size bytes of the code at @address as it was at @time_ns.
 *
 * Returns the number copied; 0 if nothing is known there.
 */
size_t code_image_read(const struct code_image *image, uint64_t time_ns,
		       uint64_t address, uint8_t *buffer, size_t size);

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

/* Appends to @ranges (struct code_unknown), which is empty, the addresses whose
 * code is not the same during the whole recording, sorted and not touching.
 * Returns 0 or -ERROR_MEMORY.
 */
int code_image_changing(const struct code_image *image, struct array *ranges);

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
