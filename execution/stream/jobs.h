/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_JOBS_H
#define KT_EXECUTION_JOBS_H

#include <stdint.h>

/* Limits how many threads decode at once, over all streams that share it.
 * jobs_begin() and jobs_end() are thread-safe; the rest is for set-up.
 */
struct jobs;

/* Returns NULL when out of memory or semaphores. */
struct jobs *jobs_new(unsigned int count);
void jobs_free(struct jobs *jobs);

unsigned int jobs_count(const struct jobs *jobs);

/* The maximum size of a segment, the bytes of trace that a thread decodes at
 * once, unless set otherwise. It is a compromise: a little trace before each
 * segment is decoded in addition, but the records, about 32 times as large as
 * the trace, should fit into the caches.
 */
#define JOBS_SEGMENT_BYTES ((uint64_t)512 << 10)

uint64_t jobs_segment_bytes(const struct jobs *jobs);
void jobs_set_segment_bytes(struct jobs *jobs, uint64_t bytes);

/* Must be called around decoding. jobs_begin() waits until fewer than
 * jobs_count() threads are between the two.
 */
void jobs_begin(struct jobs *jobs);
void jobs_end(struct jobs *jobs);

#endif
