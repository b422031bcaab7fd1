/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_WINDOW_H
#define KT_DECODER_CORESIGHT_WINDOW_H

#include "decoder/recording/coresight_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_piece;

enum { CORESIGHT_WINDOW_SIZE = 4096 };

/* The bytes that one trace unit wrote, out of frames if they lie in such: a
 * piece of a stream is gone through window by window.
 */
struct coresight_window {
	const struct aux_piece *piece;
	uint8_t id;	  /* the unit's, in frames */
	uint8_t frame_id; /* whose bytes come next in them */
	size_t start;	  /* of the window, in the piece */
	size_t next;	  /* of the piece: behind the window */
	size_t zeros;	  /* so many 0 bytes are right before it */
	bool is_broken;	  /* behind it is a frame that is none */

	const uint8_t *bytes;
	size_t size;
	size_t done; /* bytes that need no more looking at */
	uint8_t taken[CORESIGHT_WINDOW_SIZE];
	uint16_t places[CORESIGHT_WINDOW_SIZE];
};

/* Goes to the beginning of @piece, before its first window.  @anew: what was
 * before is of no interest.
 */
void coresight_window_begin(struct coresight_window *window,
			    const struct aux_piece *piece, uint8_t id,
			    bool anew);

/* Goes on, right behind coresight_window_begin(), to where the window begins
 * that holds byte @place of the piece.
 */
void coresight_window_skip(struct coresight_window *window, size_t place);

/* Goes on to the next window, which may be empty.  Returns false at the
 * piece's end, or where less than a frame is left of it.
 */
bool coresight_window_next(struct coresight_window *window);

/* Returns where byte @index of the window lies in the piece. */
size_t coresight_window_place(const struct coresight_window *window,
			      size_t index);

/* Moves @done from @from behind the first alignment synchronisation packet, of
 * @zeros 0 bytes or more and 0x80, that ends there; to the window's end if there
 * is none.  Sets *@passed if bytes of no such packet were passed over.  Returns
 * whether there is one.
 */
bool coresight_window_find_sync(struct coresight_window *window, size_t from,
				size_t zeros, bool *passed);

#endif
