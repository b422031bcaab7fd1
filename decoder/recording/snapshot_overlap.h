/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_OVERLAP_H
#define KT_DECODER_SNAPSHOT_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many bytes at the start of @next also end @before, when both are
 * snapshots of one ring of Intel PT: the longest end of @before that @next
 * starts with, found by the sync points in @next; 0 if there is none.
 */
size_t snapshot_overlap(const uint8_t *before, size_t before_size,
			const uint8_t *next, size_t next_size);

#endif
