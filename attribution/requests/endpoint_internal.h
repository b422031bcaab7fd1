/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_ENDPOINT_INTERNAL_H
#define KT_ATTRIBUTION_REQUESTS_ENDPOINT_INTERNAL_H

/* The threads that send and read messages (endpoints), and the segments of
 * work that each thread's time is divided into (struct work_segment).
 *
 * requests_events.c and requests_sockets.c find out that a thread sends,
 * waits, is woken or reads. They cut the thread's time there: requests_cut()
 * ends the open segment and opens the next one, which has no request yet. When
 * a message is read, requests_take.c assigns the reader's open segment to a
 * request. The work that a thread defers to a kworker or to the journal's
 * thread is cut in the same way. Its segments follow the request of the
 * segment that deferred it, even if that request becomes known later.
 *
 * Invariants:
 * 1. An endpoint always has one open segment, and the segments of a thread
 *    follow each other: one ends at the mark at which the next one starts.
 * 2. carries is NULL exactly if carry_state is WORK_NONE; deferred is NULL
 *    exactly if deferred_state is WORK_NONE or WORK_UNKNOWN.
 * 3. All pointers in an endpoint are references that it owns, except those to
 *    tasks.
 *
 * Memory: an endpoint per task, and lists with a limit, from which the oldest
 * message or request falls out. When memory runs out, functions set
 * requests->status, which requests_end() returns. Only the thread that runs
 * the pass may call these functions.
 */

#include "attribution/requests/request.h"
#include "common/array.h"
#include "symbolize/arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_step;
struct event_record;
struct requests;
struct sideband_record;
struct task;

/* A function that sends or waits, which a thread is in or was in. */
struct message_call {
	struct message_function function;
	uint32_t number; /* function number */
	uint32_t depth;	 /* DEPTH_LOST: the trace had a gap inside the call */
};

#define DEPTH_LOST UINT32_MAX

/* Maximum number of senders stored that a thread has read from since it last
 * checked which of several objects are ready.
 */
enum { ROUND = 16 };

/* Whether a thread waits for messages. requests_wait_begin() and
 * requests_wait_end() change it:
 *
 *                    begin                end (of one object)
 *     WAIT_NONE ------------> WAIT_OPEN ---------------------> WAIT_NONE
 *                                 | end (of several objects)
 *                                 v         begin
 *                             WAIT_POLLED --------> WAIT_READS --> as WAIT_OPEN
 *
 * A thread that polled still has its message to read, so the read that follows
 * does not end its segment.
 */
enum wait_state {
	WAIT_NONE,
	WAIT_OPEN,   /* the thread is in a function that waits */
	WAIT_POLLED, /* at least one of several objects was ready */
	/* the thread is in a function that waits, after WAIT_POLLED */
	WAIT_READS,
};

/* Work that a thread does for another thread: a work item of a kworker, or the
 * journal's. WORK_DONE lasts until the thread's next item ends. That item may
 * be a flush, which belongs to the same work: it wakes the thread that waits
 * for the first item, and makes the state WORK_RUNS again.
 */
enum work_state {
	WORK_NONE,
	WORK_UNKNOWN, /* it runs, for a thread that is not known yet */
	WORK_RUNS,
	WORK_DONE,
};

/* An endpoint: a thread that sends or reads messages. */
struct thread_endpoint {
	const struct task *task;
	/* The process that reads the messages for which this thread works: its
	 * own, or the one that created it for a message, until it reads one.
	 */
	int32_t reader;
	bool is_recorder;
	bool executes; /* entries of an io_uring that other threads queue */
	uint64_t entered_ns; /* it last submitted entries then; 0: never */
	bool has_user; /* it ran in user space: it is no thread of the kernel */
	struct thread_clock clock;
	struct work_segment *segment; /* its open segment */
	struct work_segment
		*before; /* the segment up to its newest wait; or NULL */
	enum wait_state wait_state;
	struct message_call wait; /* the newest one */
	bool polls;		  /* it has ever waited for several objects */
	/* Number of times the thread was woken. If a wake-up is between two
	 * sends, the thread may have received the first one's answer, or needed
	 * none.
	 */
	uint32_t wakes;
	bool is_sending;
	struct message_call send; /* the newest one */
	struct clock_mark *send_begin;
	/* For its newest send: when the first packet left; NULL: none did. */
	struct clock_mark *transmitted;
	struct message *message; /* message of the newest send; or NULL */
	bool is_watched; /* an epoll has the object of the newest send */
	bool is_heard;	 /* message woke a thread */
	bool is_listed;	 /* message is in member unheard */
	/* state of its newest work item with a message */
	enum work_state carry_state;
	/* that message; NULL if carry_state is WORK_NONE */
	struct message *carries;
	struct clock_mark *item;	/* start of its newest item; or NULL */
	enum work_state deferred_state; /* state of its newest deferred work */
	/* segment of that work; NULL if deferred_state is WORK_NONE or
	 * WORK_UNKNOWN
	 */
	struct work_segment *deferred;
	uint64_t off_ns; /* when it left its CPU; 0: it is on a CPU */
	/* The thread slept from awaited_since_ns to awaited_ns, for work that
	 * it had deferred.
	 */
	uint64_t awaited_since_ns;
	uint64_t awaited_ns;
	/* struct message *: messages that woke it and that it has not read */
	struct array arrived;
	/* has_copied: data was copied to it during its wait. packet: the packet
	 * that this was copied from last; 0: not from the network. copied:
	 * struct message *, the messages in that data.
	 */
	bool has_copied;
	uint64_t packet;
	struct array copied;
	const struct task *round[ROUND];
	uint32_t round_count;
	/* The sender that has room for more data since this thread, during its
	 * wait, read from a Unix socket; or NULL.
	 */
	const struct task *freed;
	/* struct message *: sent by this thread, woke no thread */
	struct array unheard;
	/* struct request *: sent by this thread, unanswered */
	struct array asked;
	/* struct request *: read by this thread, to be answered */
	struct array taken;
	/* When the thread read the message for which it works, if the sender of
	 * that message is unknown; else 0.
	 */
	uint64_t found_ns;
	enum message_medium found_by; /* the medium of that message */
	bool found_queued;   /* it was read for an entry of an io_uring */
	uint32_t found_asks; /* number of requests sent since found_ns */
};

void endpoint_free(struct thread_endpoint *endpoint); /* NULL is allowed. */

/* What a thread that has not run yet inherits from the thread that created it.
 */
struct child;

void requests_child_free(struct child *child);

/* Returns whether @endpoint is in a function that waits for a message. */
static inline bool endpoint_waits(const struct thread_endpoint *endpoint)
{
	return endpoint->wait_state == WAIT_OPEN ||
	       endpoint->wait_state == WAIT_READS;
}

/* Returns whether the open segment of @endpoint has no request yet, or one that
 * only counts until a message is read (is_waiting).
 */
bool endpoint_is_free(const struct thread_endpoint *endpoint);

/* Returns the first message in @sender->unheard, from index *@index on, that
 * was sent by @medium and whose reader can only be inferred; borrowed. Sets
 * *@index to its index. NULL: none.
 */
struct message *endpoint_next_unheard(const struct thread_endpoint *sender,
				      size_t *index,
				      enum message_medium medium);

/* Returns the oldest message that @sender sent by @medium since @since_ns, that
 * woke no thread and may be for @client (NULL: any thread) by
 * message_may_be_for(). Borrowed, or NULL.
 */
struct message *endpoint_unheard(const struct thread_endpoint *sender,
				 enum message_medium medium, uint64_t since_ns,
				 const struct task *client, bool is_bold);

/* Returns the endpoint of @task, creating it at @time_ns if it is new; NULL
 * when out of memory.
 */
struct thread_endpoint *requests_endpoint(struct requests *requests,
					  const struct task *task,
					  uint64_t time_ns);

/* Returns the endpoint of @task, or NULL if @task is NULL or has none. */
struct thread_endpoint *requests_known_endpoint(const struct requests *requests,
						const struct task *task);

/* Returns the endpoint at *@index, initially 0, and advances *@index; NULL
 * after the last.
 */
struct thread_endpoint *requests_next_endpoint(const struct requests *requests,
					       size_t *index);

/* Ends the open segment of @endpoint at @time_ns; the next one has no request.
 *
 * Returns the ended segment with a reference, which the caller owns; NULL when
 * out of memory.
 */
struct work_segment *requests_cut(struct requests *requests,
				  struct thread_endpoint *endpoint,
				  uint64_t time_ns);

/* Like requests_cut(), but at @mark, whose reference it consumes; NULL when out
 * of memory.
 */
struct work_segment *requests_cut_at(struct requests *requests,
				     struct thread_endpoint *endpoint,
				     struct clock_mark *mark);

/* Calls work_segment_give(), and makes @segment the newest segment on the path
 * of @request.
 */
void requests_give(struct requests *requests, struct work_segment *segment,
		   struct request *request, struct work_segment *parent);

/* Like requests_give(), but leaves the newest segment on the path of @request
 * unchanged.
 */
void requests_give_beside(struct requests *requests,
			  struct work_segment *segment, struct request *request,
			  struct work_segment *parent);

/* Assigns the segment of the kworker that carried @message to @request, after
 * @before (or NULL). Returns the parent for the receiver's segment: the
 * carrier's segment, or @before.
 */
struct work_segment *requests_give_carrier(struct requests *requests,
					   const struct message *message,
					   struct request *request,
					   struct work_segment *before);

/* Makes the open segment of @endpoint continue the request of the segment
 * before its newest wait.
 */
void requests_resume(struct requests *requests,
		     struct thread_endpoint *endpoint);

/* Like requests_resume(), but only until @endpoint reads a message that shows
 * otherwise.
 */
void requests_wait(struct requests *requests, struct thread_endpoint *endpoint);

/* requests_leave() handles that a thread ends: a request whose answer may have
 * been sent stays open for its client, and the work of the end itself is for
 * the thread's last request. requests_fork() handles a new thread, which works
 * for the same message as its parent: a request, or one whose sender is
 * unknown.
 */
void requests_leave(struct requests *requests, struct thread_endpoint *endpoint,
		    uint64_t time_ns);
void requests_fork(struct requests *requests, struct thread_endpoint *parent,
		   const struct sideband_record *record);

/* Returns whether @client is a client of @server, by @medium:
 * roles_is_server().
 */
bool requests_is_server(const struct requests *requests,
			const struct task *server, const struct task *client,
			enum message_medium medium);

/* Returns the endpoint of thread @tid, which runs on @cpu or did so last,
 * creating it at @time_ns if it is new. NULL if the thread is idle or unknown.
 */
struct thread_endpoint *requests_endpoint_on(struct requests *requests,
					     int32_t cpu, int32_t tid,
					     uint64_t time_ns);

/* Returns the endpoint of the task in which @event happened, or NULL. */
struct thread_endpoint *requests_endpoint_at(struct requests *requests,
					     const struct event_record *event);

/* Returns the innermost kernel context that @endpoint is in, not counting the
 * tracer, the scheduler and reclaim; CONTEXT_NONE: none.
 */
enum context_kind requests_context_of(const struct requests *requests,
				      const struct thread_endpoint *endpoint);

/* Return the serial number of the soft interrupt that @task (or NULL) is in, or
 * in which @event happened; 0: none.
 */
uint64_t requests_softirq_of(const struct requests *requests,
			     const struct task *task);
uint64_t requests_softirq_at(const struct requests *requests,
			     const struct event_record *event);

/* Returns whether the current work of @endpoint is part of its send. Work of an
 * interrupt during the send is not, except of the soft interrupts that carry
 * network packets.
 */
bool requests_is_sending(const struct requests *requests,
			 const struct thread_endpoint *endpoint);

/* Requests to block devices, with the segments that sent them. The interrupt
 * that completes a request may queue a work item, which is then charged to the
 * request of that segment. requests_disk_done() applies a completion.
 */

void requests_disk_done(struct requests *requests,
			const struct event_record *event);

void requests_disk_open(struct requests *requests);
void requests_disk_free(struct requests *requests);

/* Deferred work: a thread that works for a request queues a work item, or sends
 * a request to the disk, whose interrupt queues an item, or wakes the journal's
 * thread. The kworker or that thread then works for the same request, beside
 * the first thread. That work is on the request's path if the first thread
 * sleeps until the work wakes it.
 */

/* Handles a request to a block device sent by the task of @event. */
void requests_deferred_asked(struct requests *requests,
			     const struct event_record *event);

/* Records that @endpoint (NULL: no task) or an interrupt queues the work item
 * of @event, which carries no message.
 */
void requests_deferred_queued(struct requests *requests,
			      const struct thread_endpoint *endpoint,
			      const struct event_record *event);

/* Records that a kworker starts the work item of @event. */
void requests_deferred_begins(struct requests *requests,
			      const struct event_record *event);

/* Records that @worker enters or leaves a function for which
 * message_kind_carries() is true: a function that executes work items or the
 * flush item, or writes the journal.
 */
void requests_deferred_step(struct requests *requests,
			    struct thread_endpoint *worker,
			    const struct call_step *step);

/* Records that @woken, which does not wait for a message, is woken; NULL: a
 * thread not seen before.
 */
void requests_deferred_wakes(struct requests *requests,
			     const struct event_record *event,
			     struct thread_endpoint *woken);

void requests_deferred_open(struct requests *requests);
void requests_deferred_free(struct requests *requests);

#endif
