/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_VIEW_H
#define KT_DECODER_CODE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct code_change;
struct code_image;

/* The code as one stream's decoder sees it, moving forward in time.  Starts
 * before the first change.
 */
struct code_view;

/* Where the bytes of code that changes are. */
enum code_view_place {
	CODE_VIEW_MEMORY, /* in memory alone: only what changes is copied */
	CODE_VIEW_FILES,  /* in files that a library can open, whole */
};

/* Borrows @image.  Returns 0 and *@view, or a negative enum error. */
int code_view_open(const struct code_image *image, enum code_view_place place,
		   struct code_view **view);
void code_view_close(struct code_view *view);

/* When the next change is due, UINT64_MAX if none is left. */
uint64_t code_view_next_change_ns(const struct code_view *view);

/* Returns the change that is due then, or NULL. */
const struct code_change *code_view_next_change(const struct code_view *view);

/* Makes the next change.  Bytes change in place.  Returns 0 or -ERROR_MEMORY. */
int code_view_make_change(struct code_view *view);

/* Returns the last change that was made, or NULL. */
const struct code_change *code_view_last_change(const struct code_view *view);

/* Undoes the last change that was made. */
void code_view_undo_change(struct code_view *view);

/* Appends the parts of the regions that are known now to @pieces (struct
 * code_region, which lie in the files of the regions), by address.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_view_pieces(struct code_view *view, struct array *pieces);

/* Returns whether the code at @address became different at an unknown time. */
bool code_view_is_unknown(const struct code_view *view, uint64_t address);

/* Returns the bytes at @address and sets *@left to how many follow in one
 * piece, or NULL: nobody copied the code there as it is at this time, or it
 * became different at an unknown time.
 */
const uint8_t *code_view_bytes(struct code_view *view, uint64_t address,
			       size_t *left);

#endif
