/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_IMAGE_H
#define KT_DECODER_CODE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct array;
struct log;
struct recording;

/* The bytes of the kernel's code: address and time to bytes.
 *
 * Kernel code comes from the recording's kcore; code that appeared later from
 * the files code/<first>-<end>-<time>[-<since>] of the recording's directory
 * (hexadecimal addresses, nanoseconds of its clock): a copy of those bytes at
 * <time>, which had been there since <since>; an empty file: other code from
 * <time> on, not copied.  code_change.h has the rule of validity.  Bytes that
 * nobody copied, or not for that time, are unknown.
 * Patches (code_change.h) are applied after the copy and undone before it, if
 * the trace has times; else what they patch is unknown (code_unknown.h).  So is
 * what all that does not explain in kcore_end, a copy of what differed at the
 * end.  (User code comes from the files that mmap records
 * name: process_maps.h, user_code.h.)
 *
 * Read-only once open: threads may share it.
 */
struct code_image;

/* Opens the code of @recording, which it borrows.
 *
 * Returns 0 and *@image.  Code that is missing is said to @log as a warning,
 * once a file, and shows as FLOW_GAP_NO_CODE where it would have been used.
 * Returns a negative enum error when out of memory or descriptors.
 */
int code_image_open(const struct recording *recording, const struct log *log,
		    struct code_image **image);
void code_image_close(struct code_image *image);

/* The code as it was copied (struct code_region), sorted; the parts of it that
 * were copied at the start (struct code_known); what became different
 * while it was recorded (struct code_change), in order of time; and of what nobody
 * knows when (struct code_unknown), sorted.
 */
const struct array *code_image_regions(const struct code_image *image);
const struct array *code_image_known(const struct code_image *image);
const struct array *code_image_changes(const struct code_image *image);
const struct array *code_image_unknown(const struct code_image *image);

/* The log that it was opened with. */
const struct log *code_image_log(const struct code_image *image);

/* Copies up to @size bytes of the code at @address as it was at @time_ns.
 *
 * Returns how many; 0 if nothing is known there.
 */
size_t code_image_read(const struct code_image *image, uint64_t time_ns,
		       uint64_t address, uint8_t *buffer, size_t size);

#endif
