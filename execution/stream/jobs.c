/* SPDX-License-Identifier: MIT */
#include "execution/stream/jobs.h"

#include <semaphore.h>
#include <stdlib.h>

struct jobs {
	unsigned int count;
	uint64_t segment_bytes;
	sem_t free;
};

struct jobs *jobs_new(unsigned int count)
{
	struct jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs)
		return NULL;
	jobs->count = count;
	jobs->segment_bytes = JOBS_SEGMENT_BYTES;
	if (sem_init(&jobs->free, 0, count) < 0) {
		free(jobs);
		return NULL;
	}
	return jobs;
}

void jobs_free(struct jobs *jobs)
{
	if (!jobs)
		return;
	sem_destroy(&jobs->free);
	free(jobs);
}

unsigned int jobs_count(const struct jobs *jobs)
{
	return jobs->count;
}

uint64_t jobs_segment_bytes(const struct jobs *jobs)
{
	return jobs->segment_bytes;
}

void jobs_set_segment_bytes(struct jobs *jobs, uint64_t bytes)
{
	jobs->segment_bytes = bytes;
}

void jobs_begin(struct jobs *jobs)
{
	/* It only fails if a signal handler ran. */
	while (sem_wait(&jobs->free) < 0)
		;
}

void jobs_end(struct jobs *jobs)
{
	sem_post(&jobs->free);
}
