/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LOSS_CURSOR_H
#define KT_DECODER_LOSS_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;

/* Goes along a stream's losses, which are at the kernel's offsets, and says
 * where they are in the bytes that were kept.  All zero but @stream, which it
 * borrows, it is before the first one.
 */
struct loss_cursor {
	const struct aux_stream *stream;
	size_t loss;	    /* the next one */
	size_t piece;	    /* which it is not before */
	size_t piece_start; /* in the kept bytes */
};

/* Goes to the first loss behind the kept byte @from, which never goes back.
 * Returns its position, or the count of kept bytes if none is left among them.
 */
size_t loss_cursor_next(struct loss_cursor *cursor, size_t from);

/* Returns whether the cursor is at a loss. */
bool loss_cursor_is_at_loss(const struct loss_cursor *cursor);

/* Returns until when nothing more came of a stream that ends with a loss: the time
 * of the record that tells; 0 if it ends otherwise.
 */
uint64_t loss_at_end_ns(const struct aux_stream *stream);

#endif
