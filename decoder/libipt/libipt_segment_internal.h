/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_LIBIPT_SEGMENT_INTERNAL_H
#define KT_DECODER_LIBIPT_LIBIPT_SEGMENT_INTERNAL_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_batch;
struct intel_clock_setup;
struct pt_block_decoder;
struct pt_image;
struct recording;

/* Contiguous trace bytes, up to a loss. libipt and our cursor read them in
 * step: libipt's output becomes items, and the cursor provides their times.
 */
struct libipt_segment;

/* The arguments; all borrowed. */
struct libipt_segment_setup {
	const struct recording *recording;
	const struct intel_clock_setup *clock;
	struct flow_batch *batch; /* destination of the items */
	const uint8_t *bytes;
	size_t size;
	size_t begin; /* position of the bytes in the stream */
	struct pt_image *image;
};

/* Returns a segment before its first sync point, to be freed by
 * libipt_segment_free(), which accepts NULL; NULL when out of memory.
 */
struct libipt_segment *
libipt_segment_new(const struct libipt_segment_setup *setup);
void libipt_segment_free(struct libipt_segment *segment);

/* Continues decoding at the first PSB from @position on, counted in the
 * segment. Adds a gap for the bytes before it, with @reason, an enum
 * flow_gap_reason; sets *@is_gap to whether one was added.
 *
 * Returns libipt's status, -pte_eos if there is no PSB.
 */
int libipt_segment_sync(struct libipt_segment *segment, size_t position,
			uint8_t reason, bool *is_gap);

/* Like libipt_segment_sync(), after the position where libipt failed with
 * @status.
 */
int libipt_segment_recover(struct libipt_segment *segment, int status,
			   bool *is_gap);

/* Returns the next item, which starts now. The caller fills it in except its
 * times, and adds it with libipt_segment_add().
 */
struct flow_item *libipt_segment_next(struct libipt_segment *segment);
void libipt_segment_add(struct libipt_segment *segment);

/* Adds @item, which starts now. */
void libipt_segment_emit(struct libipt_segment *segment,
			 const struct flow_item *item);

/* Advance the cursor after libipt: past a block that @exit ended, or past an
 * event whose last packet is of @kind (enum intel_packet_kind). If the cursor
 * cannot follow, it is set to a nearby position, which is enough for bad trace.
 */
void libipt_segment_pass_branch(struct libipt_segment *segment,
				enum flow_exit exit, bool is_indirect);
void libipt_segment_pass_event(struct libipt_segment *segment, uint8_t kind);

/* Returns whether the next branch could be indirect: the trace has an address.
 */
bool libipt_segment_expects_address(const struct libipt_segment *segment);

/* libipt_segment_decoder() returns libipt's decoder, libipt_segment_position()
 * its position in the stream.
 */
struct pt_block_decoder *
libipt_segment_decoder(const struct libipt_segment *segment);
uint64_t libipt_segment_position(const struct libipt_segment *segment);

/* libipt_segment_low_ns() returns the lower bound of the current time,
 * libipt_segment_guess_ns() an estimate.
 */
uint64_t libipt_segment_low_ns(const struct libipt_segment *segment);
uint64_t libipt_segment_guess_ns(const struct libipt_segment *segment);

#endif
