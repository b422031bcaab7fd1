/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_PART_H
#define KT_DECODER_RECORDING_PART_H

#include <stddef.h>
#include <stdint.h>

struct recording;

/* Opens @size bytes of records at @bytes, AUXTRACE with its trace among them,
 * as a recording of its own that has its events, clock and files from @whole:
 * what was recorded later by the same events.  The records' offsets in files
 * are those in @bytes.
 *
 * Borrows all arguments; pages of @bytes may be given back to the system, so
 * that they must be a shared mapping or less than 4 MiB.  Returns 0 and *@part,
 * to be closed by recording_part_close() before @whole is; -ERROR_MEMORY; or
 * -ERROR_SYSTEM.
 */
int recording_part_open(const struct recording *whole, const uint8_t *bytes,
			size_t size, struct recording **part);

/* NULL is allowed. */
void recording_part_close(struct recording *part);

#endif
