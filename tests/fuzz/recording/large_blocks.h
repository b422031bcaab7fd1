/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_LARGE_BLOCKS_H
#define KT_TESTS_FUZZ_LARGE_BLOCKS_H

/* AddressSanitizer maps each block of 128 KB or more separately, with its
 * shadow, and unmaps both: for small inputs this took half of the time. Linked
 * with --wrap (see the Makefile), malloc(), calloc(), realloc() and free()
 * cache such blocks and reuse them for requests of exactly the same size, so
 * that the memory around a block stays poisoned. While cached the whole block
 * is poisoned, too, and a double free is detected.
 */

/* Makes libdeflate's blocks cached as well. */
void large_blocks_init(void);

#endif
