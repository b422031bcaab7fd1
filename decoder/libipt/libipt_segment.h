/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_SEGMENT_H
#define KT_DECODER_LIBIPT_SEGMENT_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_batch;
struct intel_clock_setup;
struct pt_block_decoder;
struct pt_image;
struct recording;

/* Trace bytes that lie together, up to where some are known to be missing.
 * libipt and our cursor go through them in step: what libipt tells becomes
 * items, whose times the cursor knows.
 */
struct libipt_segment;

/* All of it is borrowed. */
struct libipt_segment_setup {
	const struct recording *recording;
	const struct intel_clock_setup *clock;
	struct flow_batch *batch; /* where items go */
	const uint8_t *bytes;
	size_t size;
	size_t begin; /* where the bytes are in the stream */
	struct pt_image *image;
};

/* Returns a segment in which libipt is nowhere yet, to be freed by
 * libipt_segment_free(), which accepts NULL; NULL when out of memory.
 */
struct libipt_segment *
libipt_segment_new(const struct libipt_segment_setup *setup);
void libipt_segment_free(struct libipt_segment *segment);

/* Goes on decoding at the first PSB from @position on, counted in the segment.
 * @reason, an enum flow_gap_reason: why what lies before it is not decoded, which
 * is added as a gap; *@is_gap: it was.
 *
 * Returns libipt's status, -pte_eos if there is no PSB.
 */
int libipt_segment_sync(struct libipt_segment *segment, size_t position,
			uint8_t reason, bool *is_gap);

/* The same behind where libipt failed with @status. */
int libipt_segment_recover(struct libipt_segment *segment, int status,
			   bool *is_gap);

/* Returns the next item, which begins now, to be filled in but for its times; it is
 * added by libipt_segment_add().
 */
struct flow_item *libipt_segment_next(struct libipt_segment *segment);
void libipt_segment_add(struct libipt_segment *segment);

/* Adds @item, which begins now. */
void libipt_segment_emit(struct libipt_segment *segment,
			 const struct flow_item *item);

/* The cursor follows libipt: behind a block that @exit ended, or an event whose
 * last packet is of @kind (enum intel_packet_kind).  Where it does not find the
 * way it is put near enough for bad trace.
 */
void libipt_segment_pass_branch(struct libipt_segment *segment,
				enum flow_exit exit, bool is_indirect);
void libipt_segment_pass_event(struct libipt_segment *segment, uint8_t kind);

/* Returns whether an indirect branch could be next: the trace has an address. */
bool libipt_segment_expects_address(const struct libipt_segment *segment);

/* libipt itself, and where it is in the stream. */
struct pt_block_decoder *
libipt_segment_decoder(const struct libipt_segment *segment);
uint64_t libipt_segment_position(const struct libipt_segment *segment);

/* What is known of the time now: its earliest, and a guess. */
uint64_t libipt_segment_low_ns(const struct libipt_segment *segment);
uint64_t libipt_segment_guess_ns(const struct libipt_segment *segment);

#endif
