/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_PART_H
#define KT_DECODER_RECORDING_PART_H

#include <stddef.h>
#include <stdint.h>

struct recording;

/* Opens @size bytes of records at @bytes, AUXTRACE with its trace included, as
 * a recording of its own with the events, clock and files of @whole: data that
 * was recorded later by the same events. The records' file offsets are relative
 * to @bytes.
 *
 * Borrows all arguments. Pages of @bytes may be returned to the system, so they
 * must be a shared mapping or less than 4 MiB. Returns 0 and *@part, to be
 * closed by recording_part_close() before @whole is; -ERROR_MEMORY; or
 * -ERROR_SYSTEM.
 */
int recording_part_open(const struct recording *whole, const uint8_t *bytes,
			size_t size, struct recording **part);

/* Closes @part, which may be NULL. */
void recording_part_close(struct recording *part);

#endif
