/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_VIEW_H
#define KT_DECODER_CODE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct code_change;
struct code_image;

/* The kernel's code at the current time of one stream's trace: a copy of the
 * image's bytes to which changes are applied one by one. Starts before the
 * first change. Belongs to one thread.
 */
struct code_view;

/* Where to put the bytes of regions that change. */
enum code_view_place {
	CODE_VIEW_MEMORY, /* in private memory: only changed pages are copied */
	/* in temporary files that a library can open, copied whole */
	CODE_VIEW_FILES,
};

/* Opens a view of @image, which it borrows. Returns 0 and *@view, or a negative
 * enum error.
 */
int code_view_open(const struct code_image *image, enum code_view_place place,
		   struct code_view **view);
void code_view_close(struct code_view *view);

/* Returns the time of the next change, UINT64_MAX if there is none. */
uint64_t code_view_next_change_ns(const struct code_view *view);

/* Returns the next change, or NULL. */
const struct code_change *code_view_next_change(const struct code_view *view);

/* Applies the next change, in place. Requires that there is one. Returns 0 or
 * -ERROR_MEMORY.
 */
int code_view_make_change(struct code_view *view);

/* Returns the last change applied, or NULL. */
const struct code_change *code_view_last_change(const struct code_view *view);

/* Reverts the last change applied. Requires that there is one. */
void code_view_undo_change(struct code_view *view);

/* Appends the parts of the regions whose bytes are known now to @pieces (struct
 * code_region, in the files of the regions), in order of address.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_view_pieces(struct code_view *view, struct array *pieces);

/* Returns whether the code at @address changed at an unknown time. */
bool code_view_is_unknown(const struct code_view *view, uint64_t address);

/* Returns the bytes at @address and sets *@left to the number that is
 * contiguous; or NULL if there is no copy of the code there at the current
 * time, or it changed at an unknown time.
 */
const uint8_t *code_view_bytes(struct code_view *view, uint64_t address,
			       size_t *left);

#endif
