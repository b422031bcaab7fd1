/* SPDX-License-Identifier: MIT */
#include "tables/requests/request_sums.h"

#include "attribution/requests/request.h"
#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"

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

void work_segment_parts(const struct work_segment *segment,
			uint64_t parts[REQUEST_PARTS])
{
	between(segment->begin, segment->end, parts);
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
 * @to, for a segment that began too early or ended too late. Times off the CPU
 * are exact. Time on a CPU is moved from the parts in their order: mostly from
 * the system call that read the message.
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

/* Adds a client's time on CPUs to client_ns, and other time to client_wait_ns.
 */
static void add_client(struct request_sums *sums,
		       const uint64_t parts[REQUEST_PARTS])
{
	for (int i = 0; i < REQUEST_PARTS; i++)
		*(i < PART_RUNNABLE ? &sums->client_ns :
				      &sums->client_wait_ns) += parts[i];
}

/* Returns the end of @segment on the request's path: the thread's work after
 * the next thread has the request, or after the answer is sent, is in
 * beside_ns.
 */
static uint64_t end_of(const struct request *request,
		       const struct work_segment *segment,
		       const struct work_segment *next)
{
	uint64_t end_ns = segment->end->time_ns;

	if (request->answered && end_ns > request->answered->time_ns)
		end_ns = request->answered->time_ns;
	if (next && next->begin->time_ns > segment->begin->time_ns &&
	    next->begin->time_ns < end_ns)
		end_ns = next->begin->time_ns;
	return end_ns;
}

/* Adds the time of @segment from *@now_ns to @end_ns to way_ns, and the rest of
 * its time to beside_ns. Moves *@now_ns forward to @end_ns.
 */
static void add_way(struct request_sums *sums,
		    const struct work_segment *segment, uint64_t end_ns,
		    uint64_t *now_ns)
{
	uint64_t parts[REQUEST_PARTS];
	uint64_t begin_ns = segment->begin->time_ns;

	work_segment_parts(segment, parts);
	if (end_ns <= begin_ns || end_ns <= *now_ns) {
		add(sums->beside_ns, parts);
		return;
	}
	clip(parts, segment->clock, end_ns, segment->end->time_ns,
	     sums->beside_ns);
	if (begin_ns < *now_ns)
		clip(parts, segment->clock, begin_ns, *now_ns, sums->beside_ns);
	else
		sums->queue_ns += begin_ns - *now_ns;
	*now_ns = end_ns;
	add(sums->way_ns, parts);
}

/* Writes the segments on @request's path to @way, in order. Returns their
 * number.
 */
static size_t find_edge(const struct request *request,
			const struct work_segment **way)
{
	size_t count = 0;

	for (const struct work_segment *segment = request->last;
	     segment && segment->request == request &&
	     count < request->segments.count;
	     segment = segment->parent)
		way[count++] = segment;
	for (size_t i = 0; i < count / 2; i++) {
		const struct work_segment *other = way[i];

		way[i] = way[count - 1 - i];
		way[count - 1 - i] = other;
	}
	return count;
}

static bool is_on(const struct work_segment *segment,
		  const struct work_segment *const *way, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (way[i] == segment)
			return true;
	return false;
}

static void add_beside(struct request_sums *sums, const struct request *request,
		       const struct work_segment *const *way, size_t count)
{
	struct work_segment *const *segments = request->segments.items;
	uint64_t parts[REQUEST_PARTS];

	for (size_t i = 0; i < request->segments.count; i++) {
		if (is_on(segments[i], way, count))
			continue;
		work_segment_parts(segments[i], parts);
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
		    const struct work_segment *const *way, size_t count)
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

/* Appends the segments on @request's path to @way. Returns 0 or -ERROR_MEMORY. */
static int list_way(const struct request *request, struct array *way)
{
	*way = ARRAY_OF(const struct work_segment *);
	if (request->segments.count &&
	    !array_reach(way, request->segments.count - 1))
		return -ERROR_MEMORY;
	way->count = find_edge(request, way->items);
	return 0;
}

/* Sums up @request, as a callback received it. Returns 0 or -ERROR_MEMORY. */
static int request_sums_of(const struct request *request,
			   struct request_sums *sums)
{
	struct array way;

	*sums = (struct request_sums){ 0 };
	if (list_way(request, &way) < 0)
		return -ERROR_MEMORY;
	add_all(sums, request, way.items, way.count);
	array_free(&way);
	return 0;
}

/* Adds the interval of @segment from *@now_ns to @end_ns. */
static int add_interval(struct array *intervals,
			const struct work_segment *segment, uint64_t end_ns,
			uint64_t *now_ns)
{
	uint64_t begin_ns = segment->begin->time_ns;
	struct request_interval *interval;

	if (begin_ns < *now_ns)
		begin_ns = *now_ns;
	if (end_ns <= begin_ns)
		return 0;
	interval = array_add(intervals);
	if (!interval)
		return -ERROR_MEMORY;
	*interval = (struct request_interval){
		.task = segment->task,
		.waker = segment->waker,
		.waker_function = segment->waker_function,
		.clock = segment->clock,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
	};
	*now_ns = end_ns;
	return 0;
}

int request_way_of(const struct request *request, struct array *intervals)
{
	uint64_t now_ns = request->sent->time_ns;
	const struct work_segment *const *segments;
	struct array way;
	int status = list_way(request, &way);

	segments = way.items;
	for (size_t i = 0; !status && i < way.count; i++)
		status = add_interval(
			intervals, segments[i],
			end_of(request, segments[i],
			       i + 1 < way.count ? segments[i + 1] : NULL),
			&now_ns);
	array_free(&way);
	return status;
}

static int32_t pid_of(const struct task *task)
{
	return task ? task->pid : -1;
}

static int32_t tid_of(const struct task *task)
{
	return task ? task->tid : -1;
}

int request_row_of(const struct request *request, struct request_row *row)
{
	*row = (struct request_row){
		.number = request->number,
		.parent = request->parent ? request->parent->number : 0,
		.client_pid = pid_of(request->client),
		.client_tid = tid_of(request->client),
		.server_pid = pid_of(request->server),
		.server_tid = request->is_swapped ? -1 :
						    tid_of(request->server),
		.side = request->side,
		.kind = request->kind,
		.medium = request->medium,
		.is_answered = request->is_answered,
		.is_inferred = request->is_inferred || request->is_polled,
		.has_connection = request->has_connection,
		.has_position = request->has_position,
		.connection = request->connection,
		.position = request->position,
	};
	return request_sums_of(request, &row->sums);
}

const char *request_row_by(const struct request_row *row)
{
	return row->kind == MESSAGE_CONNECT ? "connect" :
					      message_medium_name(row->medium);
}

const char *request_row_side(const struct request_row *row)
{
	static const char *const names[REQUEST_SIDES] = {
		[SIDE_BOTH] = "both",
		[SIDE_CLIENT] = "client",
		[SIDE_SERVER] = "server",
	};

	return names[row->side];
}

const char *request_row_client(const struct request_row *row,
			       const struct task_names *names,
			       char text[REQUEST_NAME_SIZE])
{
	if (row->side != SIDE_SERVER)
		return task_names_last(names, row->client_tid);
	return endpoint_address(connection_client(&row->connection), text);
}

const char *request_row_server(const struct request_row *row,
			       const struct task_names *names,
			       char text[REQUEST_NAME_SIZE])
{
	if (row->side != SIDE_CLIENT)
		return task_names_last(names, row->server_tid >= 0 ?
						      row->server_tid :
						      row->server_pid);
	return endpoint_text(connection_server(&row->connection), text);
}

int request_row_compare(const void *a, const void *b)
{
	const struct request_row *x = a;
	const struct request_row *y = b;

	if (x->sums.begin_ns != y->sums.begin_ns)
		return x->sums.begin_ns < y->sums.begin_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}
