/* SPDX-License-Identifier: MIT */
#include "view/answer/thread_part.h"

enum profile_part thread_part(const struct view_sources *sources,
			      uint32_t number)
{
	const struct array *threads = &sources->summary->threads;
	const struct view_thread *thread;

	if (number >= threads->count)
		return PROFILE_WORK;
	thread = array_at(threads, number);
	return profile_part_of_task(sources->names, sources->recorder,
				    thread->tid);
}
