/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_IMAGE_H
#define KT_DECODER_CODE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct array;
struct log;
struct recording;

/* The kernel's code: its bytes, by address and time.
 *
 * Sources:
 *
 * - the recording's kcore, a copy of the kernel's code;
 * - files of the recording's directory code/, named
 *   <first>-<end>-<time>[-<since>] (hexadecimal addresses, nanoseconds of the
 *   recording's clock), for code that appeared later. A file contains a copy of
 *   these bytes made at <time>, proved to be the same since <since>. An empty
 *   file means other code from <time> on, without a copy;
 * - patches and other changes in the recording's records (code_change.h), which
 *   also has the rule for how long a copy is valid. They are applied to a copy,
 *   and reverted for times before. If the trace has no times, patched bytes are
 *   unknown (code_unknown.h);
 * - kcore_end, a copy of all code that was different at the end. Bytes where it
 *   differs from the code as these changes leave it are unknown.
 *
 * Bytes without a copy, or without one for the time, are unknown. User code is
 * elsewhere: in the files that mmap records name (process_maps.h, user_code.h).
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

/* Return, owned by the image: the copied code (struct code_region), sorted; the
 * parts of it that were copied at the start (struct code_known); the changes
 * during the recording (struct code_change), in order of time; and the
 * addresses that changed at an unknown time (struct code_unknown), sorted.
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

#endif
