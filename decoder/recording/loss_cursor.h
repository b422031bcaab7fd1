/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LOSS_CURSOR_H
#define KT_DECODER_LOSS_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;

/* Iterates over a stream's losses, which have the kernel's offsets, and
 * converts them to positions in the recorded bytes. To start, set @stream,
 * which is borrowed, and zero the rest.
 */
struct loss_cursor {
	const struct aux_stream *stream;
	size_t loss;	    /* index of the next loss */
	size_t piece;	    /* first slice that may contain it */
	size_t piece_start; /* in the recorded bytes */
};

/* Advances to the first loss after recorded byte @from, which must not
 * decrease. Returns its position, or the number of recorded bytes if no loss is
 * left among them.
 */
size_t loss_cursor_next(struct loss_cursor *cursor, size_t from);

/* Returns whether the cursor is at a loss. */
bool loss_cursor_is_at_loss(const struct loss_cursor *cursor);

/* For a stream that ends with a loss, returns the time of the record of that
 * loss, until which its trace is missing; 0 if it does not end with one.
 */
uint64_t loss_at_end_ns(const struct aux_stream *stream);

#endif
