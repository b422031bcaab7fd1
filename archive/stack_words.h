/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_STACK_WORDS_H
#define KT_ARCHIVE_STACK_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct recording;

/* Removes private data from copies of user stacks, such as environments and
 * passwords. In @bytes, a copy of the recording's data file of @size bytes,
 * sets every word of each stack's copy to zero, except addresses of code or of
 * the stack itself, which unwinding needs.
 *
 * Returns 0 and the number of stacks; -ERROR_MEMORY; -ERROR_UNSUPPORTED if
 * stacks are in compressed records, where they cannot be changed.
 */
int stack_words_keep(const struct recording *recording, uint8_t *bytes,
		     size_t size, size_t *stacks);

#endif
