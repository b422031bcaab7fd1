/* SPDX-License-Identifier: MIT */
#include "attribution/requests/endpoint_internal.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/request.h"
#include "attribution/requests/requests_state_internal.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/task_time.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"

#include <assert.h>
#include <stdlib.h>

/* Implements endpoint_internal.h, in this order: the kernel context that a
 * thread is in; requests to block devices; deferred work; endpoints and their
 * segments.
 *
 * Deferred work, by example. Thread T works for request R and queues an item:
 * note_asker() records T's segment under the item's address. When kworker K
 * starts the item, begin_work() cuts K's time, and begin_part() assigns K's new
 * segment to R, beside R's path. If T later sleeps until K wakes it,
 * consume_turn() moves K's segment onto the path: T's time is cut where T fell
 * asleep and where it was woken, and K's segment lies between. If R becomes
 * known only after the item ran, requests_deferred_follow() assigns K's segment
 * to it then.
 *
 * The journal's thread writes for the thread that woke it. If no such thread is
 * known, its state is WORK_UNKNOWN until it wakes a sleeping thread. The work
 * then counts as work for that thread, which is inferred.
 */

struct thread_endpoint *requests_endpoint_on(struct requests *requests,
					     int32_t cpu, int32_t tid,
					     uint64_t time_ns)
{
	const struct task *task =
		tid > 0 ? task_time_task(requests->time, cpu, tid) : NULL;

	return task ? requests_endpoint(requests, task, time_ns) : NULL;
}

struct thread_endpoint *requests_endpoint_at(struct requests *requests,
					     const struct event_record *event)
{
	return requests_endpoint_on(requests, event->cpu, event->tid,
				    event->time_ns);
}

/* Returns whether a context of @kind is only a part of the one around it. */
static bool is_inside(uint8_t kind)
{
	return kind == CONTEXT_TRACER || kind == CONTEXT_SCHEDULE ||
	       kind == CONTEXT_RECLAIM;
}

/* Returns the kernel context that @task is in, not counting the tracer, the
 * scheduler and reclaim, or NULL.
 */
static const struct open_context *context_of(const struct requests *requests,
					     const struct task *task)
{
	size_t count;
	const struct open_context *contexts =
		task_time_contexts(requests->time, task->index, &count);

	while (count && is_inside(contexts[count - 1].kind))
		count--;
	return count ? &contexts[count - 1] : NULL;
}

enum context_kind requests_context_of(const struct requests *requests,
				      const struct thread_endpoint *endpoint)
{
	const struct open_context *context =
		context_of(requests, endpoint->task);

	return context ? context->kind : CONTEXT_NONE;
}

/* Returns whether @endpoint (or NULL) acts for itself now, not in an interrupt.
 */
static bool requests_is_own(const struct requests *requests,
			    const struct thread_endpoint *endpoint)
{
	enum context_kind context =
		endpoint ? requests_context_of(requests, endpoint) :
			   CONTEXT_INTERRUPT;

	return context == CONTEXT_NONE || context == CONTEXT_SYSTEM_CALL ||
	       context == CONTEXT_FAULT || context == CONTEXT_ITEM;
}

/* Returns the kernel context of the task of @event, or NULL. */
static const struct open_context *context_at(const struct requests *requests,
					     const struct event_record *event)
{
	const struct task *task =
		task_time_task(requests->time, event->cpu, event->tid);

	return task ? context_of(requests, task) : NULL;
}

/* Returns the number of the interrupt, soft or hard, in which @event happened;
 * 0: none.
 */
static uint64_t requests_interrupt_at(const struct requests *requests,
				      const struct event_record *event)
{
	const struct open_context *context = context_at(requests, event);

	return context && (context->kind == CONTEXT_SOFTIRQ ||
			   context->kind == CONTEXT_INTERRUPT) ?
		       context->serial :
		       0;
}

uint64_t requests_softirq_of(const struct requests *requests,
			     const struct task *task)
{
	const struct open_context *context = task ? context_of(requests, task) :
						    NULL;

	return context && context->kind == CONTEXT_SOFTIRQ ? context->serial :
							     0;
}

bool requests_is_sending(const struct requests *requests,
			 const struct thread_endpoint *endpoint)
{
	enum context_kind context = requests_context_of(requests, endpoint);

	return context == CONTEXT_NONE || context == CONTEXT_SYSTEM_CALL ||
	       (context == CONTEXT_SOFTIRQ &&
		endpoint->send.function.medium >= MEDIUM_TCP);
}

uint64_t requests_softirq_at(const struct requests *requests,
			     const struct event_record *event)
{
	return requests_softirq_of(requests,
				   task_time_task(requests->time, event->cpu,
						  event->tid));
}

/* A request to a block device that is not completed yet, and the segment that
 * sent it.
 */
struct asked {
	struct block_range range;
	struct work_segment *by;
};

/* The last interrupt on a CPU that completed a request to a block device, and
 * the segment that sent the request.
 */
struct done {
	uint64_t interrupt; /* 0: none */
	struct work_segment *by;
};

/* Maximum number of requests in flight. If there are more, the oldest must have
 * been completed without an event.
 */
enum { MOST_ASKED = 256 };

void requests_disk_open(struct requests *requests)
{
	requests->asked = ARRAY_OF(struct asked);
	requests->done = ARRAY_OF(struct done);
}

void requests_disk_free(struct requests *requests)
{
	const struct asked *asked = requests->asked.items;
	const struct done *done = requests->done.items;

	for (size_t i = 0; i < requests->asked.count; i++)
		work_segment_drop(asked[i].by);
	for (size_t i = 0; i < requests->done.count; i++)
		work_segment_drop(done[i].by);
	array_free(&requests->asked);
	number_map_free(&requests->disks);
	array_free(&requests->done);
}

static void forget(struct requests *requests, size_t index)
{
	const struct asked *asked = array_at(&requests->asked, index);

	work_segment_drop(asked->by);
	array_remove(&requests->asked, index, 1);
}

/* Records that a request to a block device is sent in @segment. */
static void requests_disk_asked(struct requests *requests,
				struct work_segment *segment,
				const struct event_record *event)
{
	const struct asked asked = { block_range_of(event), segment };

	if (array_append(&requests->asked, &asked) < 0) {
		requests->status = -ERROR_MEMORY;
		return;
	}
	work_segment_refer(segment);
	if (requests->asked.count > MOST_ASKED)
		forget(requests, 0);
}

/* Removes all requests that @range completes; @disks: as for
 * block_range_is_done(). Returns the segment that sent
 * them, with a reference that the caller owns; NULL if there were none, or if
 * several threads sent them.
 */
static struct work_segment *finish(struct requests *requests,
				   const struct block_range *range,
				   const struct number_map *disks)
{
	struct work_segment *by = NULL;
	bool is_several = false;

	for (size_t i = requests->asked.count; i-- > 0;) {
		const struct asked *asked = array_at(&requests->asked, i);

		if (!block_range_is_done(&asked->range, range, disks))
			continue;
		is_several |= by && by->task != asked->by->task;
		work_segment_drop(by);
		by = work_segment_refer(asked->by);
		forget(requests, i);
	}
	if (!is_several)
		return by;
	work_segment_drop(by);
	return NULL;
}

void requests_disk_done(struct requests *requests,
			const struct event_record *event)
{
	struct block_range range = block_range_of(event);
	struct done *done;

	if (event->cpu < 0)
		return;
	done = array_reach(&requests->done, (size_t)event->cpu);
	if (!done) {
		requests->status = -ERROR_MEMORY;
		return;
	}
	work_segment_drop(done->by);
	done->interrupt = requests_interrupt_at(requests, event);
	if (!number_map_add(&requests->disks, range.device))
		requests->status = -ERROR_MEMORY;
	done->by = finish(requests, &range, NULL);
	if (!done->by)
		done->by = finish(requests, &range, &requests->disks);
}

/* Returns the segment that sent the request completed last by the interrupt of
 * @event, borrowed; NULL: none, or several threads' requests were completed.
 */
static struct work_segment *
requests_disk_asker(const struct requests *requests,
		    const struct event_record *event)
{
	uint64_t interrupt = requests_interrupt_at(requests, event);
	const struct done *done =
		(size_t)event->cpu < requests->done.count ?
			array_at(&requests->done, (size_t)event->cpu) :
			NULL;

	return interrupt && done && done->interrupt == interrupt ? done->by :
								   NULL;
}

/* The task that queued an item, or that woke a thread that did not wait for a
 * message.
 */
struct asker {
	uint64_t key; /* the item's address, or the woken thread's tid */
	struct work_segment
		*by; /* NULL: an interrupt's, or the work has already started */
	uint64_t time_ns;
};

/* A segment of work that a kworker or the journal's thread did for another
 * thread.
 */
struct deferred {
	/* the other thread's segment when it deferred the work */
	struct work_segment *by;
	uint64_t since_ns; /* earliest time at which the work could start */
	struct work_segment *work;
};

/* Maximum number of deferred segments that still follow the request of the
 * segment that deferred them.
 */
enum { MOST_DEFERRED = 64 };

static void drop(const struct deferred *deferred)
{
	work_segment_drop(deferred->by);
	work_segment_drop(deferred->work);
}

void requests_deferred_open(struct requests *requests)
{
	requests->deferred = ARRAY_OF(struct deferred);
	requests->askers = KEYED_ARRAY_OF(struct asker, key);
}

void requests_deferred_free(struct requests *requests)
{
	const struct deferred *deferred = requests->deferred.items;
	const struct asker *askers = requests->askers.items.items;

	for (size_t i = 0; i < requests->deferred.count; i++)
		drop(&deferred[i]);
	for (size_t i = 0; i < requests->askers.items.count; i++)
		work_segment_drop(askers[i].by);
	array_free(&requests->deferred);
	keyed_array_free(&requests->askers);
}

/* Returns whether @endpoint (or NULL) may work for a request now, so that work
 * that it queues is for that request.
 */
static bool may_defer(const struct requests *requests,
		      const struct thread_endpoint *endpoint)
{
	return requests_is_own(requests, endpoint) && !endpoint->is_recorder;
}

void requests_deferred_asked(struct requests *requests,
			     const struct event_record *event)
{
	const struct thread_endpoint *endpoint =
		requests_endpoint_at(requests, event);

	if (may_defer(requests, endpoint))
		requests_disk_asked(requests, endpoint->segment, event);
}

static void note_asker(struct requests *requests, int64_t key,
		       struct work_segment *by, uint64_t time_ns)
{
	struct asker *asker = keyed_array_add(
		&requests->askers, &(struct asker){ .key = (uint64_t)key });

	if (!asker) {
		requests->status = -ERROR_MEMORY;
		return;
	}
	work_segment_drop(asker->by);
	asker->by = by ? work_segment_refer(by) : NULL;
	asker->time_ns = time_ns;
}

void requests_deferred_queued(struct requests *requests,
			      const struct thread_endpoint *endpoint,
			      const struct event_record *event)
{
	note_asker(requests, event->values[WORK_ADDRESS],
		   may_defer(requests, endpoint) ?
			   endpoint->segment :
			   requests_disk_asker(requests, event),
		   event->time_ns);
}

/* Records that the open segment of @worker is work that was deferred in @by and
 * could be started since @since_ns.
 */
static void begin_part(struct requests *requests,
		       struct thread_endpoint *worker, struct work_segment *by,
		       uint64_t since_ns)
{
	const struct deferred deferred = { by, since_ns, worker->segment };

	worker->segment->is_carrier = true;
	worker->segment->is_deferred = true;
	requests_give_beside(requests, worker->segment, by->request, NULL);
	work_segment_drop(worker->deferred);
	worker->deferred = work_segment_refer(worker->segment);
	worker->deferred_state = WORK_RUNS;
	if (array_append(&requests->deferred, &deferred) < 0) {
		requests->status = -ERROR_MEMORY;
		return;
	}
	work_segment_refer(deferred.by);
	work_segment_refer(deferred.work);
	if (requests->deferred.count <= MOST_DEFERRED)
		return;
	drop(array_at(&requests->deferred, 0));
	array_remove(&requests->deferred, 0, 1);
}

/* Lets @worker start the work recorded under @key (struct asker). Its
 * segment starts where its newest item started, or at @time_ns without an item.
 * Returns whether the task that deferred the work is known.
 */
static bool begin_work(struct requests *requests,
		       struct thread_endpoint *worker, int64_t key,
		       uint64_t time_ns)
{
	struct asker *asker = keyed_array_find(&requests->askers, &key);
	struct work_segment *by = asker ? asker->by : NULL;

	if (!by)
		return false;
	asker->by = NULL;
	work_segment_drop(requests_cut_at(
		requests, worker,
		worker->item ? clock_mark_refer(worker->item) :
			       thread_clock_mark(&worker->clock, time_ns)));
	begin_part(requests, worker, by, asker->time_ns);
	work_segment_drop(by);
	return true;
}

void requests_deferred_begins(struct requests *requests,
			      const struct event_record *event)
{
	struct thread_endpoint *worker = requests_endpoint_at(requests, event);

	if (worker)
		begin_work(requests, worker, event->values[WORK_ADDRESS],
			   event->time_ns);
}

/* Lets @worker, the journal's thread, start to write: for the thread
 * that woke @worker or, if that thread is unknown, for the threads that will
 * wait for @worker.
 */
static void begin_commit(struct requests *requests,
			 struct thread_endpoint *worker, uint64_t time_ns)
{
	work_segment_drop(worker->deferred);
	worker->deferred = NULL;
	worker->deferred_state = WORK_UNKNOWN;
	if (begin_work(requests, worker, worker->task->tid, time_ns))
		return;
	work_segment_drop(requests_cut(requests, worker, time_ns));
}

/* Leaves WORK_DONE only when the next item ends; see requests_item_step() for
 * the reason.
 */
void requests_deferred_step(struct requests *requests,
			    struct thread_endpoint *worker,
			    const struct call_step *step)
{
	enum message_kind kind =
		message_kinds_of(requests->kinds, step->function).kind;
	bool is_flush = kind == MESSAGE_FLUSH;

	if (step->kind == STEP_ENTER && !is_flush) {
		clock_mark_drop(worker->item);
		worker->item = thread_clock_mark(&worker->clock, step->time_ns);
	}
	if (step->kind == STEP_ENTER && kind == MESSAGE_COMMIT) {
		begin_commit(requests, worker, step->time_ns);
		return;
	}
	assert(!worker->deferred == (worker->deferred_state == WORK_NONE ||
				     worker->deferred_state == WORK_UNKNOWN));
	if (!worker->deferred) {
		worker->deferred_state = WORK_NONE;
	} else if (step->kind == STEP_ENTER) {
		worker->deferred_state = is_flush ? WORK_RUNS : WORK_DONE;
	} else if (!is_flush && worker->deferred_state == WORK_RUNS) {
		work_segment_drop(
			requests_cut(requests, worker, step->time_ns));
		worker->deferred_state = WORK_DONE;
	} else if (!is_flush) {
		work_segment_drop(worker->deferred);
		worker->deferred = NULL;
		worker->deferred_state = WORK_NONE;
	}
}

/* Returns the deferred work that @worker does now, or NULL; valid until the
 * next work is deferred.
 */
static const struct deferred *deferred_of(const struct requests *requests,
					  const struct thread_endpoint *worker)
{
	const struct deferred *deferred = requests->deferred.items;

	for (size_t i = requests->deferred.count; i-- > 0;)
		if (deferred[i].work == worker->deferred)
			return &deferred[i];
	return NULL;
}

/* Puts @work, the segment of @worker that has just ended, on the path of
 * @request after @before. Returns the new end of the path. If @work is only the
 * flush that was queued after an item, puts the item on the path first: a
 * thread that waits for an item is woken by that flush.
 */
static struct work_segment *lead(struct requests *requests,
				 const struct thread_endpoint *worker,
				 struct request *request,
				 struct work_segment *work,
				 struct work_segment *before)
{
	struct work_segment *item = worker->deferred;

	if (item && work != item && !item->parent) {
		requests_give_beside(requests, item, request, before);
		before = item;
	}
	work->is_carrier = true;
	work->is_deferred = true;
	requests_give_beside(requests, work, request, before);
	return work;
}

/* Records that @worker wakes @woken, which slept for the work that @worker did
 * from @since_ns to @time_ns. If @woken fell asleep earlier, it first slept
 * until the work could be started. @by is the segment that deferred the work;
 * NULL: unknown, so that the wake-up is the only evidence.
 */
static void consume_turn(struct requests *requests,
			 struct thread_endpoint *worker,
			 struct thread_endpoint *woken, struct work_segment *by,
			 uint64_t since_ns, uint64_t time_ns)
{
	struct work_segment *work = requests_cut(requests, worker, time_ns);
	struct work_segment *before =
		requests_cut(requests, woken, woken->off_ns);
	struct work_segment *asleep =
		since_ns > woken->off_ns ?
			requests_cut(requests, woken, since_ns) :
			NULL;
	struct work_segment *awaited = requests_cut(requests, woken, time_ns);

	if (work && before && awaited) {
		struct request *request = before->request;

		if (asleep)
			requests_give_beside(requests, asleep, request, before);
		requests_give_beside(requests, awaited, request, NULL);
		requests_give(requests, woken->segment, request,
			      lead(requests, worker, request, work,
				   asleep ? asleep : before));
		if (!by && request)
			request->is_inferred = true;
		begin_part(requests, worker, by ? by : before, time_ns);
		woken->awaited_since_ns = since_ns;
		woken->awaited_ns = time_ns;
		woken->off_ns = 0;
	}
	work_segment_drop(work);
	work_segment_drop(before);
	work_segment_drop(asleep);
	work_segment_drop(awaited);
}

void requests_deferred_wakes(struct requests *requests,
			     const struct event_record *event,
			     struct thread_endpoint *woken)
{
	struct thread_endpoint *worker = requests_endpoint_at(requests, event);
	bool is_own = may_defer(requests, worker);
	const struct deferred *deferred;

	note_asker(requests, event->values[WAKING_TID],
		   is_own ? worker->segment : NULL, event->time_ns);
	if (!woken || !woken->off_ns || !is_own ||
	    worker->deferred_state == WORK_NONE ||
	    worker->deferred_state == WORK_DONE)
		return;
	deferred = deferred_of(requests, worker);
	if (!deferred && worker->deferred_state == WORK_UNKNOWN)
		consume_turn(requests, worker, woken, NULL,
			     worker->segment->begin->time_ns, event->time_ns);
	else if (deferred && deferred->by->task == woken->task)
		consume_turn(requests, worker, woken, deferred->by,
			     deferred->since_ns, event->time_ns);
}

/* Assigns the work that the thread of @segment deferred during @segment to the
 * same request as @segment has now.
 */
static void requests_deferred_follow(struct requests *requests,
				     const struct work_segment *segment)
{
	const struct deferred *deferred = requests->deferred.items;

	for (size_t i = 0; i < requests->deferred.count; i++)
		if (deferred[i].by == segment &&
		    deferred[i].work->request != segment->request)
			requests_give_beside(requests, deferred[i].work,
					     segment->request,
					     deferred[i].work->parent);
}

/* Creates the endpoint of @task, without a segment. Returns NULL when out of
 * memory.
 */
static struct thread_endpoint *endpoint_new(const struct task *task,
					    bool is_recorder)
{
	struct thread_endpoint *endpoint = calloc(1, sizeof(*endpoint));

	if (endpoint)
		*endpoint = (struct thread_endpoint){
			.task = task,
			.reader = task->pid,
			.is_recorder = is_recorder,
			.clock = THREAD_CLOCK_NEW,
			.arrived = ARRAY_OF(struct message *),
			.unheard = ARRAY_OF(struct message *),
			.copied = ARRAY_OF(struct message *),
			.asked = ARRAY_OF(struct request *),
			.taken = ARRAY_OF(struct request *),
		};
	return endpoint;
}

void endpoint_free(struct thread_endpoint *endpoint)
{
	if (!endpoint)
		return;
	thread_clock_free(&endpoint->clock);
	work_segment_drop(endpoint->segment);
	work_segment_drop(endpoint->before);
	clock_mark_drop(endpoint->send_begin);
	clock_mark_drop(endpoint->transmitted);
	message_drop(endpoint->message);
	message_drop(endpoint->carries);
	clock_mark_drop(endpoint->item);
	work_segment_drop(endpoint->deferred);
	message_list_free(&endpoint->arrived);
	message_list_free(&endpoint->unheard);
	message_list_free(&endpoint->copied);
	request_list_free(&endpoint->asked);
	request_list_free(&endpoint->taken);
	free(endpoint);
}

bool endpoint_is_free(const struct thread_endpoint *endpoint)
{
	return !endpoint->segment->request || endpoint->segment->is_waiting;
}

struct message *endpoint_next_unheard(const struct thread_endpoint *sender,
				      size_t *index, enum message_medium medium)
{
	for (; *index < sender->unheard.count; (*index)++) {
		struct message *message = message_in(&sender->unheard, *index);

		if (message_is_guessable(message, medium))
			return message;
	}
	return NULL;
}

struct message *endpoint_unheard(const struct thread_endpoint *sender,
				 enum message_medium medium, uint64_t since_ns,
				 const struct task *client, bool is_bold)
{
	struct message *message;

	for (size_t i = 0;
	     (message = endpoint_next_unheard(sender, &i, medium)); i++)
		if (message->sent->time_ns >= since_ns &&
		    (!client || message_may_be_for(message, client, is_bold)))
			return message;
	return NULL;
}

/* Limits the segments of a request, which may be an endless stream of messages.
 * Further segments are not assigned to it.
 */
enum { MOST_SEGMENTS = 1024 };

struct child {
	struct work_segment *segment; /* its parent's, up to the fork */
	uint64_t found_ns;	      /* as in struct thread_endpoint */
	enum message_medium found_by;
	int32_t reader;
};

void requests_child_free(struct child *child)
{
	if (!child)
		return;
	work_segment_drop(child->segment);
	free(child);
}

/* Makes the first segment of @endpoint continue the work of @child's parent. */
static void inherit(struct requests *requests, struct thread_endpoint *endpoint,
		    const struct child *child)
{
	struct request *request = child->segment->request;

	if (request ? request->is_ended : !child->found_ns)
		return;
	endpoint->reader = child->reader;
	endpoint->found_ns = child->found_ns;
	endpoint->found_by = child->found_by;
	endpoint->segment->is_start = false;
	endpoint->segment->is_child = true;
	requests_give(requests, endpoint->segment, request, child->segment);
}

/* Starts the first segment: a child works for the same message as its parent
 * did when it created the child.
 */
static void begin(struct requests *requests, struct thread_endpoint *endpoint,
		  uint64_t time_ns)
{
	struct child *child = number_map_take_pointer(
		&requests->children, (uint64_t)endpoint->task->tid);
	struct clock_mark *mark = thread_clock_mark(&endpoint->clock, time_ns);

	endpoint->segment = mark ? work_segment_new(endpoint->task,
						    &endpoint->clock, mark) :
				   NULL;
	if (!endpoint->segment) {
		clock_mark_drop(mark);
		requests_child_free(child);
		requests->status = -ERROR_MEMORY;
		return;
	}
	endpoint->segment->is_start = true;
	if (child)
		inherit(requests, endpoint, child);
	requests_child_free(child);
}

static struct thread_endpoint *add_endpoint(struct requests *requests,
					    const struct task *task,
					    uint64_t time_ns)
{
	bool is_recorder = requests->options.recorder &&
			   recorder_task_is(requests->options.names,
					    requests->options.recorder,
					    task->tid);
	struct thread_endpoint *endpoint = endpoint_new(task, is_recorder);

	if (!endpoint)
		return NULL;
	begin(requests, endpoint, time_ns);
	if (endpoint->segment)
		return endpoint;
	endpoint_free(endpoint);
	return NULL;
}

struct thread_endpoint *requests_endpoint(struct requests *requests,
					  const struct task *task,
					  uint64_t time_ns)
{
	struct thread_endpoint **slot =
		array_reach(&requests->endpoints, task->index);

	if (slot && !*slot)
		*slot = add_endpoint(requests, task, time_ns);
	if (slot && *slot)
		return *slot;
	requests->status = -ERROR_MEMORY;
	return NULL;
}

static struct thread_endpoint *endpoint_at(const struct requests *requests,
					   size_t index)
{
	return *(struct thread_endpoint **)array_at(&requests->endpoints,
						    index);
}

struct thread_endpoint *requests_known_endpoint(const struct requests *requests,
						const struct task *task)
{
	return task && task->index < requests->endpoints.count ?
		       endpoint_at(requests, task->index) :
		       NULL;
}

struct thread_endpoint *requests_next_endpoint(const struct requests *requests,
					       size_t *index)
{
	while (*index < requests->endpoints.count) {
		struct thread_endpoint *endpoint =
			endpoint_at(requests, (*index)++);

		if (endpoint)
			return endpoint;
	}
	return NULL;
}

struct work_segment *requests_cut(struct requests *requests,
				  struct thread_endpoint *endpoint,
				  uint64_t time_ns)
{
	return requests_cut_at(requests, endpoint,
			       thread_clock_mark(&endpoint->clock, time_ns));
}

struct work_segment *requests_cut_at(struct requests *requests,
				     struct thread_endpoint *endpoint,
				     struct clock_mark *mark)
{
	struct work_segment *ended = endpoint->segment;
	struct work_segment *segment = mark ? work_segment_new(endpoint->task,
							       &endpoint->clock,
							       mark) :
					      NULL;

	if (!segment) {
		clock_mark_drop(mark);
		requests->status = -ERROR_MEMORY;
		return NULL;
	}
	assert(!ended->end);
	ended->end = clock_mark_refer(mark);
	endpoint->segment = segment;
	return ended;
}

/* Like work_segment_give(). Returns whether it succeeded. */
static bool give(struct requests *requests, struct work_segment *segment,
		 struct request *request, struct work_segment *parent)
{
	if (segment->is_charged ||
	    (request && request->segments.count >= MOST_SEGMENTS))
		return false;
	if (work_segment_give(segment, request, parent) < 0) {
		requests->status = -ERROR_MEMORY;
		return false;
	}
	requests_deferred_follow(requests, segment);
	return true;
}

void requests_give(struct requests *requests, struct work_segment *segment,
		   struct request *request, struct work_segment *parent)
{
	segment->is_waiting = false;
	/* @segment is already the newest on the path. */
	if (parent == segment)
		parent = segment->parent;
	if (give(requests, segment, request, parent) && request &&
	    !request->is_answered)
		request->last = segment;
}

void requests_give_beside(struct requests *requests,
			  struct work_segment *segment, struct request *request,
			  struct work_segment *parent)
{
	give(requests, segment, request, parent);
}

struct work_segment *requests_give_carrier(struct requests *requests,
					   const struct message *message,
					   struct request *request,
					   struct work_segment *before)
{
	if (!message->carrier)
		return before;
	requests_give(requests, message->carrier, request, before);
	return message->carrier;
}

void requests_resume(struct requests *requests,
		     struct thread_endpoint *endpoint)
{
	struct work_segment *before = endpoint->before;

	if (endpoint->segment->is_waiting) {
		endpoint->segment->is_waiting = false;
		endpoint->segment->is_start = false;
		return;
	}
	if (endpoint->segment->request || !before ||
	    (before->request ? before->request->is_ended : !endpoint->found_ns))
		return;
	requests_give(requests, endpoint->segment, before->request, before);
	endpoint->segment->is_start = false;
}

void requests_wait(struct requests *requests, struct thread_endpoint *endpoint)
{
	requests_resume(requests, endpoint);
	endpoint->segment->is_start = true;
	endpoint->segment->is_waiting = true;
}

/* Returns whether a thread of @pid has sent a message since @request that
 * nobody has read yet: @request may still be answered.
 */
static bool may_be_answered(const struct requests *requests, int32_t pid,
			    const struct request *request)
{
	enum message_medium medium = (enum message_medium)request->medium;
	const struct thread_endpoint *endpoint;
	size_t next = 0;

	while ((endpoint = requests_next_endpoint(requests, &next)))
		if (endpoint->task->pid == pid &&
		    endpoint_unheard(endpoint, medium, request->sent->time_ns,
				     NULL, false))
			return true;
	return false;
}

void requests_leave(struct requests *requests, struct thread_endpoint *endpoint,
		    uint64_t time_ns)
{
	struct work_segment *ended;

	for (size_t i = 0; i < endpoint->asked.count; i++)
		request_in(&endpoint->asked, i)->is_ended = true;
	for (size_t i = 0; i < endpoint->taken.count; i++) {
		struct request *request = request_in(&endpoint->taken, i);

		request->is_ended |= !may_be_answered(
			requests, endpoint->task->pid, request);
	}
	ended = requests_cut(requests, endpoint, time_ns);
	/* The kernel frees the thread's memory after it records the end. */
	if (ended && ended->request)
		requests_give_beside(requests, endpoint->segment,
				     ended->request, ended);
	work_segment_drop(ended);
	work_segment_drop(endpoint->before);
	endpoint->before = NULL;
	endpoint->found_ns = 0;
}

void requests_fork(struct requests *requests, struct thread_endpoint *parent,
		   const struct sideband_record *record)
{
	uint64_t *slot =
		number_map_add(&requests->children, (uint64_t)record->tid);
	struct child *child = calloc(1, sizeof(*child));
	struct work_segment *segment =
		requests_cut(requests, parent, record->time_ns);

	if (!slot || !child || !segment) {
		requests->status = -ERROR_MEMORY;
		work_segment_drop(segment);
		free(child);
		return;
	}
	requests_check(requests, roles_inherit(&requests->roles,
					       parent->task->pid, record->pid));
	requests_give(requests, parent->segment, segment->request, segment);
	*child = (struct child){ segment, parent->found_ns, parent->found_by,
				 parent->reader };
	requests_child_free((struct child *)(uintptr_t)*slot);
	*slot = (uintptr_t)child;
}

bool requests_is_server(const struct requests *requests,
			const struct task *server, const struct task *client,
			enum message_medium medium)
{
	return roles_is_server(&requests->roles, server->pid, client->pid,
			       message_medium_is_socket(medium));
}
