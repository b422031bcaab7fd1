/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_PART_DECODER_INTERNAL_H
#define KT_INBAND_PART_DECODER_INTERNAL_H

#include "inband/ktrace_hw.h"

#include <stdint.h>
#include <sys/types.h>

struct own_recording;
struct part_bytes;

/* Decodes brackets (struct part_bytes) to the library's records. Caches facts
 * about code and functions from bracket to bracket.
 */
struct part_decoder;

/* Returns a decoder for the thread @tid of process @pid. Borrows @own. Returns
 * NULL when out of memory.
 */
struct part_decoder *part_decoder_new(const struct own_recording *own,
				      pid_t pid, pid_t tid);

void part_decoder_free(struct part_decoder *decoder);

/* Clears the cache of code. Must be called before own_recording_follow()
 * replaces the code_image.
 */
void part_decoder_forget_code(struct part_decoder *decoder);

/* The times of a bracket. */
struct bracket_times {
	uint64_t on_ns;	   /* read before the trace was switched on */
	uint64_t begin_ns; /* read after the trace was switched on */
	uint64_t end_ns;   /* read before the trace is switched off */
};

/* Decodes the system calls in @part that start within the bracket. Adds
 * @lost_records to the number of lost records that the part reports.
 *
 * Returns 0 and *@record, which the decoder owns and which is valid until the
 * next decode; -ERROR_NOT_FOUND if there is no trace; another negative enum
 * error.
 */
int part_decoder_run(struct part_decoder *decoder,
		     const struct part_bytes *part,
		     const struct bracket_times *times, uint64_t lost_records,
		     const struct ktrace_hw_record **record);

#endif
