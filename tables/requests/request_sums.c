/* SPDX-License-Identifier: MIT */
#include "tables/requests/request_sums.h"

#include "attribution/requests/hold.h"
#include "attribution/requests/request.h"
#include "common/error.h"

/* Sets @parts to the parts of a thread's time from @begin to @end; time without
 * spans is PART_UNKNOWN.
 */
static void between(const struct clock_mark *begin,
		    const struct clock_mark *end, uint64_t parts[REQUEST_PARTS])
{
	uint64_t left = end->time_ns - begin->time_ns;

	for (int i = 0; i < REQUEST_PARTS; i++) {
		parts[i] = end->parts[i] - begin->parts[i];
		left -= parts[i];
	}
	parts[PART_UNKNOWN] += left;
}

void hold_parts(const struct hold *hold, uint64_t parts[REQUEST_PARTS])
{
	between(hold->begin, hold->end, parts);
}

/* Moves up to @most_ns of @part; returns the amount. */
static uint64_t move(uint64_t parts[REQUEST_PARTS], int part, uint64_t most_ns,
		     uint64_t to[REQUEST_PARTS])
{
	uint64_t moved_ns = parts[part] < most_ns ? parts[part] : most_ns;

	parts[part] -= moved_ns;
	to[part] += moved_ns;
	return moved_ns;
}

/* Moves the time of @clock's thread from @begin_ns to @end_ns from @parts to
 * @to, for a hold that began too early or ended too late. Times off the CPU are
 * exact; time on it is taken from the parts in order, mostly from the system
 * call that read the message.
 */
static void clip(uint64_t parts[REQUEST_PARTS],
		 const struct thread_clock *clock, uint64_t begin_ns,
		 uint64_t end_ns, uint64_t to[REQUEST_PARTS])
{
	uint64_t left_ns = end_ns - begin_ns;
	uint64_t away[REQUEST_PARTS];

	thread_clock_away(clock, begin_ns, end_ns, away);
	for (int i = 0; i < REQUEST_PARTS; i++)
		left_ns -= move(parts, i, away[i], to);
	for (int i = 0; i < REQUEST_PARTS && left_ns; i++)
		left_ns -= move(parts, i, left_ns, to);
}

static void add(uint64_t to[REQUEST_PARTS], const uint64_t parts[REQUEST_PARTS])
{
	for (int i = 0; i < REQUEST_PARTS; i++)
		to[i] += parts[i];
}

/* Adds a client's time: its own work, and its waits. */
static void add_client(struct request_sums *sums,
		       const uint64_t parts[REQUEST_PARTS])
{
	for (int i = 0; i < REQUEST_PARTS; i++)
		*(i < PART_RUNNABLE ? &sums->client_ns :
				      &sums->client_wait_ns) += parts[i];
}

/* Returns the end of @hold on the request's path: the thread's work after the
 * next thread has the request, or after the answer is sent, is in beside_ns.
 */
static uint64_t end_of(const struct request *request, const struct hold *hold,
		       const struct hold *next)
{
	uint64_t end_ns = hold->end->time_ns;

	if (request->answered && end_ns > request->answered->time_ns)
		end_ns = request->answered->time_ns;
	if (next && next->begin->time_ns > hold->begin->time_ns &&
	    next->begin->time_ns < end_ns)
		end_ns = next->begin->time_ns;
	return end_ns;
}

/* Adds the time of a thread that had the request, from *@now_ns to @end_ns. */
static void add_way(struct request_sums *sums, const struct hold *hold,
		    uint64_t end_ns, uint64_t *now_ns)
{
	uint64_t parts[REQUEST_PARTS];
	uint64_t begin_ns = hold->begin->time_ns;

	hold_parts(hold, parts);
	if (end_ns <= begin_ns || end_ns <= *now_ns) {
		add(sums->beside_ns, parts);
		return;
	}
	clip(parts, hold->clock, end_ns, hold->end->time_ns, sums->beside_ns);
	if (begin_ns < *now_ns)
		clip(parts, hold->clock, begin_ns, *now_ns, sums->beside_ns);
	else
		sums->queue_ns += begin_ns - *now_ns;
	*now_ns = end_ns;
	add(sums->way_ns, parts);
}

/* Writes the holds on @request's path to @way, in order. Returns their number.
 */
static size_t find_edge(const struct request *request, const struct hold **way)
{
	size_t count = 0;

	for (const struct hold *hold = request->last;
	     hold && hold->request == request && count < request->holds.count;
	     hold = hold->parent)
		way[count++] = hold;
	for (size_t i = 0; i < count / 2; i++) {
		const struct hold *other = way[i];

		way[i] = way[count - 1 - i];
		way[count - 1 - i] = other;
	}
	return count;
}

static bool is_on(const struct hold *hold, const struct hold *const *way,
		  size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (way[i] == hold)
			return true;
	return false;
}

static void add_beside(struct request_sums *sums, const struct request *request,
		       const struct hold *const *way, size_t count)
{
	struct hold *const *holds = request->holds.items;
	uint64_t parts[REQUEST_PARTS];

	for (size_t i = 0; i < request->holds.count; i++) {
		if (is_on(holds[i], way, count))
			continue;
		hold_parts(holds[i], parts);
		add(sums->beside_ns, parts);
	}
	sums->beside_ns[PART_IDLE] = 0;
}

/* Adds the time after the answer was sent, at @sent_ns. */
static void add_answer(struct request_sums *sums, const struct request *request,
		       uint64_t sent_ns)
{
	uint64_t parts[REQUEST_PARTS];
	uint64_t early[REQUEST_PARTS] = { 0 };

	between(request->heard, request->end, parts);
	if (request->heard->time_ns < sent_ns)
		clip(parts, request->origin->clock, request->heard->time_ns,
		     sent_ns, early);
	else
		sums->client_wait_ns += request->heard->time_ns - sent_ns;
	add_client(sums, parts);
}

/* Adds the time on another machine and in transit. Returns the arrival time of
 * the answer: after @sent_ns, and before it was read.
 */
static uint64_t add_remote(struct request_sums *sums,
			   const struct request *request, uint64_t sent_ns)
{
	uint64_t arrived_ns = request->arrived_ns ? request->arrived_ns :
						    request->heard->time_ns;

	if (arrived_ns > request->end->time_ns)
		arrived_ns = request->end->time_ns;
	if (arrived_ns < sent_ns)
		arrived_ns = sent_ns;
	sums->remote_ns = arrived_ns - sent_ns;
	return arrived_ns;
}

static void add_all(struct request_sums *sums, const struct request *request,
		    const struct hold *const *way, size_t count)
{
	uint64_t now_ns = request->sent->time_ns;
	uint64_t parts[REQUEST_PARTS];

	between(request->begin, request->sent, parts);
	add_client(sums, parts);
	for (size_t i = 0; i < count; i++)
		add_way(sums, way[i],
			end_of(request, way[i],
			       i + 1 < count ? way[i + 1] : NULL),
			&now_ns);
	add_beside(sums, request, way, count);
	if (!request->answered) {
		/* Without an answer, idle time is a wait for the next request.
		 */
		now_ns -= sums->way_ns[PART_IDLE];
		sums->way_ns[PART_IDLE] = 0;
	} else if (request->answered->time_ns > now_ns) {
		sums->way_ns[PART_IDLE] += request->answered->time_ns - now_ns;
		now_ns = request->answered->time_ns;
	}
	if (request->end && request->heard) {
		if (request->side == SIDE_CLIENT)
			now_ns = add_remote(sums, request, now_ns);
		add_answer(sums, request, now_ns);
		now_ns = request->end->time_ns;
	}
	sums->begin_ns = request->begin->time_ns;
	sums->wall_ns = now_ns - sums->begin_ns;
}

/* Appends the holds on @request's path to @way. Returns 0 or -ERROR_MEMORY. */
static int list_way(const struct request *request, struct array *way)
{
	*way = ARRAY_OF(const struct hold *);
	if (request->holds.count && !array_reach(way, request->holds.count - 1))
		return -ERROR_MEMORY;
	way->count = find_edge(request, way->items);
	return 0;
}

int request_sums_of(const struct request *request, struct request_sums *sums)
{
	struct array way;

	*sums = (struct request_sums){ 0 };
	if (list_way(request, &way) < 0)
		return -ERROR_MEMORY;
	add_all(sums, request, way.items, way.count);
	array_free(&way);
	return 0;
}

/* Adds the interval of @hold from *@now_ns to @end_ns. */
static int add_stretch(struct array *stretches, const struct hold *hold,
		       uint64_t end_ns, uint64_t *now_ns)
{
	uint64_t begin_ns = hold->begin->time_ns;
	struct request_stretch *stretch;

	if (begin_ns < *now_ns)
		begin_ns = *now_ns;
	if (end_ns <= begin_ns)
		return 0;
	stretch = array_add(stretches);
	if (!stretch)
		return -ERROR_MEMORY;
	*stretch = (struct request_stretch){
		.task = hold->task,
		.waker = hold->waker,
		.waker_function = hold->waker_function,
		.clock = hold->clock,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
	};
	*now_ns = end_ns;
	return 0;
}

int request_way_of(const struct request *request, struct array *stretches)
{
	uint64_t now_ns = request->sent->time_ns;
	const struct hold *const *holds;
	struct array way;
	int status = list_way(request, &way);

	holds = way.items;
	for (size_t i = 0; !status && i < way.count; i++)
		status = add_stretch(stretches, holds[i],
				     end_of(request, holds[i],
					    i + 1 < way.count ? holds[i + 1] :
								NULL),
				     &now_ns);
	array_free(&way);
	return status;
}
