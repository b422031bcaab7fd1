/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_ITEM_TEXT_H
#define KT_CMD_ITEM_TEXT_H

struct flow_item;
struct line_buffer;

/* Writes @item as a line of dump --blocks. Must be fast: dumps have millions of
 * items.
 */
void item_text_write(struct line_buffer *out, const struct flow_item *item);

#endif
