/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_JOBS_H
#define KT_EXECUTION_JOBS_H

#include <stdint.h>

/* How many threads may decode at once, whatever number of streams there is. */
struct jobs;

/* Returns NULL when out of memory or locks. */
struct jobs *jobs_new(unsigned int count);
void jobs_free(struct jobs *jobs);

unsigned int jobs_count(const struct jobs *jobs);

/* How many bytes of trace a thread takes at once at most, unless set otherwise.
 * A little of those before is decoded with each, and what it makes, 32 times as
 * much, shall not fill the caches.
 */
#define JOBS_SEGMENT_BYTES ((uint64_t)512 << 10)

uint64_t jobs_segment_bytes(const struct jobs *jobs);
void jobs_set_segment_bytes(struct jobs *jobs, uint64_t bytes);

/* Waits until fewer than jobs_count() threads are between these two. */
void jobs_begin(struct jobs *jobs);
void jobs_end(struct jobs *jobs);

#endif
