/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CALLS_CALL_ITEMS_H
#define KT_ATTRIBUTION_CALLS_CALL_ITEMS_H

/* The data that the arguments of one system call refer to, from the samples of
 * record --syscall-data (common/formats/call_data.h): texts, structures, and
 * the files of descriptors.
 *
 * Invariant: items are whole, whatever a sample contains: each has its bytes
 * and one of the known kinds, and each text its NUL.
 */

#include "common/bytes.h"
#include "common/formats/call_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct call_items {
	struct byte_buffer bytes; /* of whole samples without their heads */
};

/* An item; its bytes belong to the call_items. */
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

/* Reads the head of a sample's @raw bytes. Returns false if they are none. */
bool call_data_read(const uint8_t *raw, size_t size, struct call_data *head);

/* Adds the items of a sample with @head. Damaged items are left out. Returns 0
 * or -ERROR_MEMORY.
 */
int call_items_add(struct call_items *items, const struct call_data *head,
		   const uint8_t *raw, size_t size);

/* Writes *@items, which may be NULL, or reads them: *@items is then the empty
 * @storage, which the caller frees, or NULL.
 */
void call_items_pack(struct pack *pack, const struct call_items **items,
		     struct call_items *storage);

/* Sets @item to the item at *@at and moves *@at after it. Start with 0. Returns
 * false at the end.
 */
bool call_items_next(const struct call_items *items, size_t *at,
		     struct call_item *item);

/* Finds the file of the descriptor in argument @argument, or of the result; or
 * the argument's text or structure. Of several the last one
 * counts, which the kernel wrote. @items may be NULL. Returns false if there is none.
 */
bool call_items_file(const struct call_items *items, uint8_t argument,
		     struct call_item *item);
bool call_items_data(const struct call_items *items, uint8_t argument,
		     struct call_item *item);

/* Finds the file of the descriptor at byte @place of the argument's
 * array.
 */
bool call_items_file_at(const struct call_items *items, uint8_t argument,
			uint32_t place, struct call_item *item);

/* Finds the first path among the arguments. Returns its text, or NULL. */
const char *call_items_path(const struct call_items *items);

/* Finds the first file: of the first descriptor, else of the result. */
bool call_items_first_file(const struct call_items *items,
			   struct call_item *item);

/* Writes the name of a file @item, as ls -l /proc/PID/fd would, but with the
 * addresses of TCP and UDP sockets: "/etc/passwd", "pipe:[1234]",
 * "TCP:[127.0.0.1:41000->127.0.0.1:80]". ".../a/b": it is in deeper folders.
 */
void call_file_write(const struct call_item *item, FILE *out);

/* Returns whether the file's name has been removed. */
bool call_file_is_deleted(const struct call_item *item);

/* Like call_file_write(), into @text of @size bytes, which is returned. */
const char *call_file_text(const struct call_item *item, char *text,
			   size_t size);

#endif
