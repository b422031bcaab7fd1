/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PREFIX_CODE_H
#define KT_REPORT_PREFIX_CODE_H

#include <stdint.h>

/* The most symbols of one code: RFC 1951 has 286. */
enum { PREFIX_CODE_SYMBOLS = 288, PREFIX_CODE_LONGEST = 15 };

/* A Huffman code as DEFLATE has them (RFC 1951, 3.2.2).  A symbol that does not
 * occur has length 0.
 */
struct prefix_code {
	uint16_t bits[PREFIX_CODE_SYMBOLS]; /* the first one lowest */
	uint8_t lengths[PREFIX_CODE_SYMBOLS];
	uint32_t symbols;
};

/* Returns a code for symbols of which symbol i occurs @counts[i] times, with
 * lengths up to @longest.  It is complete: two symbols at least have a length,
 * whatever occurs.
 */
struct prefix_code prefix_code_of(const uint32_t *counts, uint32_t symbols,
				  uint32_t longest);

#endif
