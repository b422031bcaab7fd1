/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DEFLATE_BLOCK_H
#define KT_REPORT_DEFLATE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct bit_writer;
struct match;

/* Writes the last block of a DEFLATE stream, with Huffman codes of its own (RFC
 * 1951, 3.2.7): @bytes, which the @count @matches make up.  That takes at most
 * DEFLATE_BLOCK_HEAD bytes and two for each of @bytes, as no code is longer than 15
 * bits and a match stands for five bytes or more.
 */
void deflate_block_write(struct bit_writer *writer, const uint8_t *bytes,
			 const struct match *matches, size_t count);

enum { DEFLATE_BLOCK_HEAD = 1024 };

#endif
