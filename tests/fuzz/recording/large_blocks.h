/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_LARGE_BLOCKS_H
#define KT_TESTS_FUZZ_LARGE_BLOCKS_H

/* AddressSanitizer maps each block from 128 KB on anew, with its shadow, and
 * gives both back: for small inputs half of the time went there.  Linked with
 * --wrap (see the Makefile), malloc(), calloc(), realloc() and free() keep such
 * blocks and hand them out again to who wants exactly as much, so that what is
 * around a block stays forbidden.  In between all of it is forbidden, too, and
 * to free it a second time is found.
 */

/* libdeflate's blocks are kept as well. */
void large_blocks_init(void);

#endif
