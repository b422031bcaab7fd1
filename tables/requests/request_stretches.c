/* SPDX-License-Identifier: MIT */
#include "tables/requests/request_stretches.h"

#include "attribution/requests/request.h"

static int add(struct request_stretches *stretches, uint64_t number,
	       const struct request_stretch *stretch)
{
	return array_append(&stretches->all,
			    &(struct numbered_stretch){ number, *stretch });
}

static int add_asleep(struct request_stretches *stretches, uint64_t number,
		      const struct request_stretch *stretch)
{
	const struct away_span *away = stretch->clock->away.items;
	int status = 0;

	for (size_t i = 0; i < stretch->clock->away.count && !status; i++) {
		struct request_stretch asleep = *stretch;

		if (asleep.begin_ns < away[i].begin_ns)
			asleep.begin_ns = away[i].begin_ns;
		if (asleep.end_ns > away[i].end_ns)
			asleep.end_ns = away[i].end_ns;
		if (away[i].part == PART_ASLEEP &&
		    asleep.begin_ns < asleep.end_ns)
			status = add(stretches, number, &asleep);
	}
	return status;
}

int request_stretches_add(struct request_stretches *stretches,
			  const struct request *request)
{
	struct array way = ARRAY_OF(struct request_stretch);
	int status = request_way_of(request, &way);

	for (size_t i = 0; i < way.count && !status; i++) {
		const struct request_stretch *stretch = array_at(&way, i);

		status =
			request->is_answered ?
				add(stretches, request->number, stretch) :
				add_asleep(stretches, request->number, stretch);
	}
	array_free(&way);
	return status;
}

void request_stretches_free(struct request_stretches *stretches)
{
	array_free(&stretches->all);
}

static int compare(const void *a, const void *b)
{
	const struct numbered_stretch *x = a;
	const struct numbered_stretch *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->is.begin_ns < y->is.begin_ns ?
		       -1 :
		       x->is.begin_ns > y->is.begin_ns;
}

void request_stretches_sort(struct request_stretches *stretches)
{
	array_sort(&stretches->all, compare);
}

static bool is_of_earlier(const void *stretch, const void *number)
{
	return ((const struct numbered_stretch *)stretch)->number <
	       *(const uint64_t *)number;
}

struct request_way
request_stretches_of(const struct request_stretches *stretches, uint64_t number)
{
	const struct numbered_stretch *items = stretches->all.items;
	size_t first =
		array_partition_point(&stretches->all, &number, is_of_earlier);
	size_t end = first;

	while (end < stretches->all.count && items[end].number == number)
		end++;
	return (struct request_way){
		.first = end > first ? items + first : NULL,
		.count = end - first,
	};
}

/* Returns how much of @task's time from @begin_ns to @end_ns is in @stretch. */
static uint64_t part_in(const struct request_stretch *stretch,
			const struct task *task, uint64_t begin_ns,
			uint64_t end_ns)
{
	if (stretch->task != task)
		return 0;
	if (begin_ns < stretch->begin_ns)
		begin_ns = stretch->begin_ns;
	if (end_ns > stretch->end_ns)
		end_ns = stretch->end_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

uint64_t request_way_part(const struct request_way *way, size_t index,
			  const struct task *task, uint64_t begin_ns,
			  uint64_t end_ns)
{
	uint64_t part_ns = 0;

	if (!part_in(request_way_at(way, index), task, begin_ns, end_ns))
		return 0;
	for (size_t i = index; i-- > 0;)
		if (part_in(request_way_at(way, i), task, begin_ns, end_ns))
			return 0;
	for (size_t i = index;
	     i < way->count && request_way_at(way, i)->begin_ns < end_ns; i++)
		part_ns +=
			part_in(request_way_at(way, i), task, begin_ns, end_ns);
	return part_ns;
}
