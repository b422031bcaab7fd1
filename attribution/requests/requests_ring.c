/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_ring_internal.h"

#include "attribution/requests/endpoint_internal.h"
#include "attribution/requests/requests_state_internal.h"
#include "attribution/time/wait_channels.h"
#include "report/text/task_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns the ended or open segment in which @endpoint works for a message that
 * is not answered, or NULL.
 */
static struct work_segment *work_of(const struct thread_endpoint *endpoint)
{
	struct work_segment *segment = endpoint->segment->is_waiting ?
					       endpoint->before :
					       endpoint->segment;

	if (!segment || !(segment->request ? request_is_open(segment->request) :
					     endpoint->found_ns))
		return NULL;
	return segment;
}

/* Returns whether @endpoint can queue entries: it ran in user space or, if it
 * slept from before the recording, it has not the name of a thread of an
 * io_uring.
 */
static bool may_queue(const struct requests *requests,
		      const struct thread_endpoint *endpoint)
{
	static const char prefix[] = "iou-";
	const char *comm;

	if (endpoint->has_user)
		return true;
	comm = task_names_comm(requests->options.names, endpoint->task->tid,
			       UINT64_MAX);
	return strcmp(comm, "?") &&
	       strncmp(comm, prefix, sizeof(prefix) - 1) != 0;
}

/* Returns the only thread of @worker's process that can queue entries, and that
 * works for a message, if @works; NULL: none or several.
 */
static struct thread_endpoint *queuer_for(const struct requests *requests,
					  const struct thread_endpoint *worker,
					  bool works)
{
	struct thread_endpoint *found = NULL;
	struct thread_endpoint *endpoint;
	size_t next = 0;

	while ((endpoint = requests_next_endpoint(requests, &next))) {
		if (endpoint->task->pid != worker->task->pid ||
		    !may_queue(requests, endpoint) ||
		    (works && !work_of(endpoint)))
			continue;
		if (found)
			return NULL;
		found = endpoint;
	}
	return found;
}

void requests_execute(struct requests *requests, struct thread_endpoint *worker,
		      uint64_t time_ns)
{
	struct thread_endpoint *queuer;
	struct work_segment *work;
	struct request *request;

	/* In a system call it executes its own. */
	if (requests_context_of(requests, worker) != CONTEXT_NONE) {
		worker->entered_ns = time_ns;
		return;
	}
	worker->executes = true;
	queuer = queuer_for(requests, worker, true);
	if (!queuer)
		return;
	work = work_segment_refer(work_of(queuer));
	request = work->request;
	if (!work->end) {
		work_segment_drop(requests_cut(requests, queuer, time_ns));
		requests_give_beside(requests, queuer->segment, request, work);
	}
	work_segment_drop(requests_cut(requests, worker, time_ns));
	requests_give(requests, worker->segment, request, work);
	work_segment_drop(work);
	worker->reader = queuer->reader;
	if (request) {
		request->is_inferred = true;
		return;
	}
	worker->found_ns = queuer->found_ns;
	worker->found_by = queuer->found_by;
	worker->found_queued = queuer->found_queued;
}

bool requests_is_in(const struct requests *requests, const struct task *task,
		    enum message_kind kind)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(requests->paths, task->index, &count);

	while (count-- > 0) {
		struct message_function function =
			message_kinds_of(requests->kinds, path[count].function);

		if (function.kind == kind && function.medium == MEDIUM_RING)
			return true;
	}
	return false;
}

bool requests_executes(const struct requests *requests,
		       const struct thread_endpoint *endpoint)
{
	return endpoint->executes ||
	       requests_is_in(requests, endpoint->task, MESSAGE_ISSUE);
}

struct thread_endpoint *requests_queuer_of(const struct requests *requests,
					   const struct thread_endpoint *reader)
{
	return reader->executes ? queuer_for(requests, reader, false) : NULL;
}

/* Returns whether @message goes before the newer one at @found of @arrived
 * (SIZE_MAX: none): messages that woke their receiver for an entry of an
 * io_uring, or with @is_entry false the others, come first.
 */
static bool goes_first(const struct array *arrived, size_t found,
		       const struct message *message, bool is_entry)
{
	return found == SIZE_MAX || message->is_entry == is_entry ||
	       message_in(arrived, found)->is_entry != is_entry;
}

/* Like message_list_take(); NULL for SIZE_MAX. */
static struct message *take_found(struct array *arrived, size_t found)
{
	return found == SIZE_MAX ? NULL : message_list_take(arrived, found);
}

struct message *requests_next_arrived(const struct requests *requests,
				      struct thread_endpoint *endpoint,
				      bool is_polled)
{
	bool is_accept = endpoint->wait.function.kind == MESSAGE_ACCEPT;
	bool is_entry = requests_is_in(requests, endpoint->task, MESSAGE_ISSUE);
	size_t found = SIZE_MAX;

	for (size_t i = endpoint->arrived.count; i-- > 0;) {
		const struct message *message =
			message_in(&endpoint->arrived, i);

		if ((message->kind == MESSAGE_CONNECT) == is_accept &&
		    message->is_polled == is_polled && !message->is_taken &&
		    goes_first(&endpoint->arrived, found, message, is_entry))
			found = i;
	}
	return take_found(&endpoint->arrived, found);
}

/* Returns whether @queuer may have queued an entry that reads @message since
 * that woke it. A thread of the kernel may take the entries without a system
 * call of @queuer.
 */
static bool may_be_queued(const struct thread_endpoint *queuer,
			  const struct message *message)
{
	if (message->is_entry || queuer->wait.function.medium == MEDIUM_RING)
		return true;
	return !endpoint_waits(queuer) &&
	       (!queuer->entered_ns ||
		queuer->entered_ns > message->sent->time_ns);
}

struct message *requests_entry_message(const struct requests *requests,
				       const struct thread_endpoint *reader,
				       enum message_medium medium)
{
	struct thread_endpoint *queuer = requests_queuer_of(requests, reader);
	size_t found = SIZE_MAX;

	for (size_t i = queuer ? queuer->arrived.count : 0; i-- > 0;) {
		const struct message *message = message_in(&queuer->arrived, i);

		if (message->medium == medium && message->is_polled &&
		    !message->is_taken && may_be_queued(queuer, message) &&
		    goes_first(&queuer->arrived, found, message, true))
			found = i;
	}
	return queuer ? take_found(&queuer->arrived, found) : NULL;
}

/* Charges @work, which may be NULL, to @request, unless it was for another
 * request that is not answered.
 */
static void charge(struct requests *requests, struct work_segment *work,
		   struct request *request)
{
	if (!work || (work->request && !work->request->is_answered))
		return;
	requests_give_beside(requests, work, request, NULL);
}

static bool is_executor(const struct requests *requests,
			const struct task *task)
{
	const struct thread_endpoint *endpoint =
		requests_known_endpoint(requests, task);

	return endpoint && endpoint->executes;
}

const struct task *requests_queued(struct requests *requests,
				   struct request *request,
				   const struct message *answer)
{
	const struct thread_endpoint *sender =
		requests_known_endpoint(requests, answer->sender);
	const struct work_segment *segment = answer->segment;
	struct thread_endpoint *queuer;
	struct work_segment *work;

	if (!sender->executes)
		return answer->sender;
	while (segment && is_executor(requests, segment->task))
		segment = segment->parent;
	if (segment && segment->task->pid == answer->sender->pid)
		return segment->task;
	/* No completion woke it: it found that in memory. */
	queuer = queuer_for(requests, sender, false);
	if (!queuer)
		return answer->sender;
	request->is_inferred = true;
	if (endpoint_waits(queuer)) {
		charge(requests, queuer->before, request);
		return queuer->task;
	}
	work = requests_cut(requests, queuer, answer->sent->time_ns);
	if (work && work->request)
		requests_give_beside(requests, queuer->segment, work->request,
				     work);
	charge(requests, work, request);
	work_segment_drop(work);
	return queuer->task;
}
