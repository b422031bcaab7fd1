/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_WINDOW_H
#define KT_DECODER_CORESIGHT_WINDOW_H

#include "decoder/recording/coresight_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_piece;

enum { CORESIGHT_WINDOW_SIZE = 4096 };

/* The bytes that one trace unit wrote, without the frames if there are any. A
 * slice of a stream is read window by window.
 */
struct coresight_window {
	const struct aux_piece *piece;
	uint8_t id;	  /* the unit's trace ID in frames */
	uint8_t frame_id; /* trace ID of the next bytes in frames */
	size_t start;	  /* of the window, in the slice */
	size_t next;	  /* end of the window, in the slice */
	size_t zeros;	  /* number of 0 bytes right before the window */
	bool is_broken;	  /* a broken frame follows the window */

	const uint8_t *bytes;
	size_t size;
	size_t done; /* bytes that need no more scanning */
	uint8_t taken[CORESIGHT_WINDOW_SIZE];
	uint16_t places[CORESIGHT_WINDOW_SIZE];
};

/* Starts reading @piece, before its first window. @anew: discards state of the
 * bytes before.
 */
void coresight_window_begin(struct coresight_window *window,
			    const struct aux_piece *piece, uint8_t id,
			    bool anew);

/* Must be called right after coresight_window_begin(). Seeks to the start of
 * the window that contains byte @place of the slice.
 */
void coresight_window_skip(struct coresight_window *window, size_t place);

/* Reads the next window, which may be empty. Returns false at the end of the
 * slice, or where less than a frame is left.
 */
bool coresight_window_next(struct coresight_window *window);

/* Returns the position of byte @index of the window in the slice. */
size_t coresight_window_place(const struct coresight_window *window,
			      size_t index);

/* Moves @done from @from to the end of the first alignment synchronization
 * packet that ends there or later: @zeros 0 bytes or more and 0x80; or to the
 * end of the window if there is none. Sets *@passed if other bytes were
 * skipped. Returns whether there is one.
 */
bool coresight_window_find_sync(struct coresight_window *window, size_t from,
				size_t zeros, bool *passed);

#endif
