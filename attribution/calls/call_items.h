/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CALLS_CALL_ITEMS_H
#define KT_ATTRIBUTION_CALLS_CALL_ITEMS_H

/* The data that the arguments of one system call refer to, from the samples of
 * record --syscall-data (common/formats/call_data.h): texts, structures, and
 * the files of descriptors.
 *
 * Invariant: stored items are whole, even if a sample is damaged: each has all
 * of its bytes and a known kind, and each text ends with its NUL.
 */

#include "common/bytes.h"
#include "common/formats/call_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct call_items {
	/* the items of samples, without the samples' heads */
	struct byte_buffer bytes;
};

/* An item; the call_items own its bytes. */
struct call_item {
	enum call_data_kind kind;
	uint8_t argument;
	uint32_t info;
	const uint8_t *bytes;
	size_t size;
};

void call_items_free(struct call_items *items);

/* Removes all items. */
void call_items_clear(struct call_items *items);

/* Reads the head of a sample's @raw bytes. Returns false if they are too short
 * for the head or for the size that the head states.
 */
bool call_data_read(const uint8_t *raw, size_t size, struct call_data *head);

/* Adds the items of a sample, whose @head call_data_read() has read. If one
 * item is damaged, adds none of the sample. Returns 0 or -ERROR_MEMORY, which
 * also removes all earlier items.
 */
int call_items_add(struct call_items *items, const struct call_data *head,
		   const uint8_t *raw, size_t size);

/* Writes *@items, which may be NULL, or reads items into @storage, which must
 * be empty and which the caller frees. After reading, *@items is @storage, or
 * NULL if there are no items or the pack failed.
 */
void call_items_pack(struct pack *pack, const struct call_items **items,
		     struct call_items *storage);

/* Sets @item to the item at *@at and moves *@at after it. Start with 0. Returns
 * false at the end.
 */
bool call_items_next(const struct call_items *items, size_t *at,
		     struct call_item *item);

/* Find the file or the data (text or structure) that @argument refers to:
 * call_items_file() for a descriptor, which may be CALL_DATA_RESULT,
 * call_items_data() for other arguments. If there are several, the item that
 * the kernel wrote last is found. @items may be NULL. Return false if there is
 * none.
 */
bool call_items_file(const struct call_items *items, uint8_t argument,
		     struct call_item *item);
bool call_items_data(const struct call_items *items, uint8_t argument,
		     struct call_item *item);

/* Finds the file of the descriptor at byte @place of the array that @argument
 * points to. Returns false if there is none.
 */
bool call_items_file_at(const struct call_items *items, uint8_t argument,
			uint32_t place, struct call_item *item);

/* Returns the first text among the items, which is a path, or NULL. @items may
 * be NULL.
 */
const char *call_items_path(const struct call_items *items);

/* Finds the first file of the call. If the call has a path, ignores directories
 * given as arguments, since they only are where the path starts. Returns false
 * if there is none.
 */
bool call_items_first_file(const struct call_items *items,
			   struct call_item *item);

/* Writes the name of a file @item, as ls -l /proc/PID/fd would, but with the
 * addresses of TCP and UDP sockets: "/etc/passwd", "pipe:[1234]",
 * "TCP:[127.0.0.1:41000->127.0.0.1:80]". ".../a/b" has more parent folders,
 * which were not recorded.
 */
void call_file_write(const struct call_item *item, FILE *out);

/* Returns whether the file's name had been removed when it was recorded. */
bool call_file_is_deleted(const struct call_item *item);

/* Like call_file_write(), but writes to @text of @size bytes, cuts what does
 * not fit, and returns @text.
 */
const char *call_file_text(const struct call_item *item, char *text,
			   size_t size);

#endif
