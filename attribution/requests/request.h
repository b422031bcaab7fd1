/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_REQUEST_H
#define KT_ATTRIBUTION_REQUESTS_REQUEST_H

/* The values that requests are made of: messages, segments of work (struct
 * work_segment), requests, and the clocks of threads.
 *
 * A message goes from its send to its reader. It is a request, or the answer to
 * one: members asks and answers show which, once that is decided. A request is
 * open until its answer is sent (is_answered) and ends when its client has read
 * the answer, or when none is expected any more (is_ended). It can be emitted
 * when all times of its segments are known (request_is_settled()), since the
 * reason for time off the CPU is known only after that time.
 *
 * Invariants:
 * 1. Messages, segments, requests and marks are reference counted: X_refer()
 *    adds a reference, X_drop() removes one and accepts NULL.
 * 2. A segment refers to its request, and the request to its segments;
 *    request_clear() must break this circle.
 * 3. The parents of a segment contain no circle (work_segment_give()).
 * 4. Lists are sorted, oldest first, and have a limit; what falls out is no
 *    evidence any more.
 *
 * Functions return -ERROR_MEMORY, or NULL, when out of memory; nothing else
 * fails.
 */

#include "common/array.h"
#include "common/files/connection.h"
#include "common/maps.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_mark;
struct function_marks;
struct function_table;
struct work_segment;
struct request;
struct task;
struct time_span;

/* The role of a kernel function in messages between threads. */
enum message_kind {
	MESSAGE_NONE,
	MESSAGE_SEND,	 /* delivers a message, itself or by soft interrupts */
	MESSAGE_CONNECT, /* like MESSAGE_SEND, to an accepting socket */
	MESSAGE_SIGNAL,	 /* wakes the waiters of a word in memory (futex) */
	MESSAGE_COPY,	 /* copies a message to its reader */
	MESSAGE_MERGE,	 /* merges a packet into the previous one */
	/* an io_uring's entry (MEDIUM_RING) or an epoll's object is ready */
	MESSAGE_POLL,
	MESSAGE_ISSUE, /* executes an entry of an io_uring */
	/* starts to execute entries of an io_uring, which another thread may
	 * have queued
	 */
	MESSAGE_ENTRY,
	MESSAGE_ITEM, /* executes a work item, which may carry a message */
	/* the item queued after an item for which a thread waits */
	MESSAGE_FLUSH,
	MESSAGE_COMMIT, /* writes the journal for the thread that woke it */
	MESSAGE_WAIT,	/* waits for a message and reads it */
	MESSAGE_MANY,	/* waits for a message on any of several objects */
	MESSAGE_ACCEPT, /* waits for a connection */
	MESSAGE_WORD,	/* waits for a word in memory */
};

/* The means of sending a message. */
enum message_medium {
	MEDIUM_UNKNOWN,
	MEDIUM_PIPE,
	MEDIUM_EVENTFD,
	MEDIUM_QUEUE, /* System V's and POSIX's message queues */
	MEDIUM_TTY,   /* terminals, whose data work items carry */
	MEDIUM_UNIX,  /* Unix sockets */
	MEDIUM_TCP,
	MEDIUM_UDP, /* and raw sockets */
	MEDIUM_FUTEX,
	MEDIUM_RING, /* io_uring */
	MEDIA,
};

struct message_function {
	uint8_t kind;	/* enum message_kind */
	uint8_t medium; /* enum message_medium */
};

static inline bool message_kind_waits(enum message_kind kind)
{
	return kind >= MESSAGE_WAIT;
}

/* Returns whether functions of this kind are only evidence about other calls.
 */
static inline bool message_kind_is_evidence(enum message_kind kind)
{
	return kind >= MESSAGE_COPY && kind <= MESSAGE_ENTRY;
}

/* Returns whether functions of @kind work for other threads, by work items or
 * the journal.
 */
static inline bool message_kind_carries(enum message_kind kind)
{
	return kind >= MESSAGE_ITEM && kind <= MESSAGE_COMMIT;
}

/* Returns whether the medium is a socket, which has events of its own. */
static inline bool message_medium_is_socket(enum message_medium medium)
{
	return medium >= MEDIUM_UNIX && medium <= MEDIUM_UDP;
}

/* Returns the name of @medium: "pipe"; "" for MEDIUM_UNKNOWN. */
const char *message_medium_name(enum message_medium medium);

/* Returns marks of all @functions, which the caller frees with free(); NULL
 * when out of memory.
 */
struct function_marks *
message_kinds_new(const struct function_table *functions);

/* Returns the role of @function by these marks: MESSAGE_NONE for most. */
struct message_function message_kinds_of(const struct function_marks *kinds,
					 uint32_t function);

/* One message, from being sent to being read. */
struct message {
	const struct task *sender;
	/* the thread that it woke or that read it; or NULL */
	const struct task *receiver;
	struct work_segment
		*segment; /* the sender's segment, which ended with the send */
	struct clock_mark *begin;
	struct clock_mark *sent;
	/* The segment of a kworker that carried it, and the time at which the
	 * kworker woke the receiver; or NULL.
	 */
	struct work_segment *carrier;
	struct clock_mark *carried;
	/* work item that carries it, always to the same receiving end; 0:
	 * unknown
	 */
	uint64_t item;
	int32_t reader;	   /* process that reads at that end; 0: unknown */
	uint32_t function; /* the function that sent it */
	uint32_t wakes; /* number of wake-ups of its sender before the send */
	uint8_t kind;	/* enum message_kind */
	uint8_t medium; /* enum message_medium */
	bool is_taken;
	bool is_inferred;
	bool is_polled;	 /* its receiver waited for several objects */
	bool is_entry;	 /* it woke its receiver for an entry of an io_uring */
	bool is_watched; /* an epoll has the object that it was sent to */
	bool is_queued;	 /* it was sent for an entry of an io_uring */
	/* it is the first on a connection made for a request */
	bool is_opening;
	/* Packets determine its reader, unless they were merged into others. */
	bool has_packets;
	bool is_merged;	      /* its packets were merged */
	uint64_t from;	      /* the sender's socket, 0: unknown */
	uint64_t to;	      /* the receiver's socket */
	uint64_t bytes;	      /* its size; 0: unknown */
	uint64_t taken_bytes; /* bytes already read */
	/* The request that it is, or the request that it answers; both NULL if
	 * undecided.
	 */
	struct request *asks;
	struct request *answers;
	uint32_t references;
};

struct message *message_refer(struct message *message);
void message_drop(struct message *message); /* NULL is allowed. */

/* Returns whether the reader of @message, by @medium, can only be inferred. */
bool message_is_guessable(const struct message *message,
			  enum message_medium medium);

/* Returns whether @message may be meant for @client. If @is_bold, also returns
 * true if the sender may work for another client, but that is uncertain.
 */
bool message_may_be_for(const struct message *message,
			const struct task *client, bool is_bold);

/* Returns whether @message was sent before @other, or @other is NULL. */
bool message_is_older(const struct message *message,
		      const struct message *other);

/* Adds @message, with a reference, to a list that is sorted oldest first. If it
 * has more than @most messages then, removes the oldest, as very old unread
 * messages are no evidence.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int message_list_add(struct array *list, struct message *message, size_t most);
enum { MESSAGES_LISTED = 64 }; /* maximum for one thread */

/* Removes and returns the message at @index; the caller owns the reference. */
struct message *message_list_take(struct array *list, size_t index);

/* Remove from a list: @message; all messages that were read; all messages.
 * message_list_free() also frees the list.
 */
void message_list_forget(struct array *list, const struct message *message);
void message_list_forget_taken(struct array *list);
void message_list_clear(struct array *list);

void message_list_free(struct array *list);

/* Sets the message of @key in a map that holds references, replacing any
 * previous one; NULL removes it. Returns 0 or -ERROR_MEMORY.
 */
int message_map_set(struct number_map *map, uint64_t key,
		    struct message *message);

void message_map_free(struct number_map *map);

/* Returns the message at @index. */
static inline struct message *message_in(const struct array *list, size_t index)
{
	return *(struct message **)array_at(list, index);
}

/* Which message is in which packet, by the address of its struct sk_buff, and
 * which packet each CPU is delivering. Over the loopback device the packet that
 * is sent is also the one that is received and read. Memory grows with the
 * number of different addresses, which the kernel reuses.
 */
struct packets;

/* Returns a table without packets; NULL when out of memory. */
struct packets *packets_new(void);
void packets_free(struct packets *packets);

/* Records that @packet, which is newly sent, contains (the start of) @message,
 * with a reference; NULL: no known message. Returns 0 or -ERROR_MEMORY.
 */
int packets_set(struct packets *packets, uint64_t packet,
		struct message *message);

/* Returns the message in @packet, borrowed, or NULL. */
struct message *packets_find(const struct packets *packets, uint64_t packet);

/* Records that @packet is sent during the delivery of @delivered, thus from the
 * socket that @delivered arrives at. Returns 0 or -ERROR_MEMORY.
 */
int packets_set_reply(struct packets *packets, uint64_t packet,
		      struct message *delivered);

/* Returns the message during whose delivery @packet was sent, borrowed, or
 * NULL.
 */
struct message *packets_find_delivered(const struct packets *packets,
				       uint64_t packet);

/* Records that @cpu delivers @packet in the soft interrupt number @softirq.
 * Returns 0 or -ERROR_MEMORY.
 */
int packets_deliver(struct packets *packets, int32_t cpu, uint64_t packet,
		    uint64_t softirq);

/* Returns the message that @cpu delivers in @softirq (0: none), borrowed, or
 * NULL.
 */
struct message *packets_delivered(const struct packets *packets, int32_t cpu,
				  uint64_t softirq);

/* Forgets the packet being delivered, which was merged into another: its
 * address will be reused.
 */
void packets_forget_delivered(struct packets *packets, int32_t cpu,
			      uint64_t softirq);

/* The kind of a thread's time, relative to the request that it works for. */
enum request_part {
	PART_KERNEL, /* system calls, faults, other kernel work */
	PART_USER,
	PART_INTERRUPT,
	PART_TRACER,
	PART_GUEST, /* in a virtual machine, as its virtual CPU */
	PART_RUNNABLE,
	PART_ASLEEP,
	PART_IDLE, /* asleep, waiting for the next message */
	PART_UNKNOWN,
	REQUEST_PARTS,
};

/* Returns the part of @span. @is_idle: a sleep is one that waits for a message.
 */
enum request_part request_part_of(const struct time_span *span, bool is_idle);

/* A point in a thread's life, with the parts of its time until then. The parts
 * are known only once the span that contains the point arrives, since the
 * reason for time off the CPU is known only afterwards. Reference counted.
 */
struct clock_mark {
	uint64_t time_ns;
	uint64_t parts[REQUEST_PARTS]; /* valid if is_known is set */
	bool is_known;
	uint32_t references;
};

struct clock_mark *clock_mark_refer(struct clock_mark *mark);
void clock_mark_drop(struct clock_mark *mark); /* NULL is allowed. */

/* An interval that a thread was off its CPU. */
struct away_span {
	enum request_part part; /* PART_RUNNABLE, PART_ASLEEP or PART_IDLE */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* The parts of one thread's time so far, from its spans. Initialise a zeroed
 * one with THREAD_CLOCK_NEW.
 */
struct thread_clock {
	uint64_t parts[REQUEST_PARTS];
	uint64_t end_ns;    /* end of the last span */
	struct array marks; /* struct clock_mark *: not known yet, by time */
	struct array away;  /* struct away_span: the last 256 or more */
};

#define THREAD_CLOCK_NEW \
	((struct thread_clock){ \
		.marks = ARRAY_OF(struct clock_mark *), \
		.away = ARRAY_OF(struct away_span), \
	})

/* Creates a mark at @time_ns, or at the end of the last span if that is later.
 *
 * Returns it with one reference, which the caller owns; NULL when out of
 * memory.
 */
struct clock_mark *thread_clock_mark(struct thread_clock *clock,
				     uint64_t time_ns);

/* Adds the thread's next span, whose kind of time is @part. Returns whether a
 * mark became known. When out of memory, the interval off the CPU is not
 * recorded.
 */
bool thread_clock_consume(struct thread_clock *clock,
			  const struct time_span *span, enum request_part part);

/* Sets @parts to the time off the CPU in [@begin_ns, @end_ns), as far as that
 * is among the stored intervals.
 */
void thread_clock_away(const struct thread_clock *clock, uint64_t begin_ns,
		       uint64_t end_ns, uint64_t parts[REQUEST_PARTS]);

/* Ends the clock: marks that are still unknown are set to its end. */
void thread_clock_end(struct thread_clock *clock);

/* Like thread_clock_end(), and frees the members. */
void thread_clock_free(struct thread_clock *clock);

/* A work segment: an interval of one thread's life in which it works for one
 * request, or for none that is known. If the request was passed on from another
 * segment, of this or another thread, that one is the parent. The segment that
 * sent the answer and its ancestors are the request's path, back to the thread
 * that read the request.
 */
struct work_segment {
	const struct task *task;
	const struct thread_clock *clock; /* clock of the thread */
	struct request *request;	  /* holds a reference; NULL: none */
	struct work_segment *parent;	  /* holds a reference; or NULL */
	uint32_t length; /* upper bound of the number of ancestors */
	struct clock_mark *begin;
	struct clock_mark *end; /* NULL: still open */
	/* The thread was woken or started to read: earlier segments are no
	 * evidence of its request.
	 */
	bool is_start;
	/* The sender that woke the thread at the start, or NULL; and the
	 * function that it woke with.
	 */
	const struct task *waker;
	uint32_t waker_function;
	/* The thread waits: until it reads a message, the segment counts for
	 * the request of the previous segment.
	 */
	bool is_waiting;
	bool is_carrier; /* in it, a kworker carried a message */
	/* in it, the thread executed work that another one had queued */
	bool is_deferred;
	bool is_child;	 /* the thread of its parent created its thread */
	bool is_parent;	 /* is or was the parent of a segment */
	bool is_charged; /* its request was emitted */
	bool is_answer;	 /* it ended when the answer to its request was sent */
	uint32_t references;
};

struct work_segment *work_segment_refer(struct work_segment *segment);
void work_segment_drop(struct work_segment *segment); /* NULL is allowed. */

/* Creates a segment without a request. Borrows @clock; consumes the reference
 * to @begin. Returns NULL when out of memory.
 */
struct work_segment *work_segment_new(const struct task *task,
				      const struct thread_clock *clock,
				      struct clock_mark *begin);

/* The chain of ancestors is cut when it reaches twice this length. */
enum { MOST_PARENTS = 1024 };

/* Assigns @segment to @request (NULL: none) with the parent @parent, and
 * removes it from its previous request. @parent may be NULL, and counts as NULL
 * if @segment is among its ancestors.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int work_segment_give(struct work_segment *segment, struct request *request,
		      struct work_segment *parent);

/* Which sides of a request are in the recording. A request over a TCP
 * connection to another machine has only one.
 */
enum request_side {
	SIDE_BOTH,
	SIDE_CLIENT,
	SIDE_SERVER,
	REQUEST_SIDES,
};

/* A message that other threads worked for, until its answer arrived. */
struct request {
	/* number of the request, from 1, in the order of creation */
	uint64_t number;
	/* the request that its sender worked for, or NULL */
	struct request *parent;
	struct work_segment *origin; /* the sender's segment when it was sent */
	/* the message that it is; NULL: of a connection to another machine, or
	 * emitted. The message refers to the request, too: request_clear() ends
	 * that.
	 */
	struct message *source;
	/* found_ns of its sender's struct thread_endpoint at that time */
	uint64_t found_ns;
	uint64_t taken_ns; /* when it was first read; 0: unknown */
	uint32_t wakes; /* number of wake-ups of its client before the send */
	const struct task *client; /* NULL: SIDE_SERVER */
	/* The thread that answered, else the last reader; NULL: SIDE_CLIENT. */
	const struct task *server;
	uint8_t kind;
	uint8_t medium;
	bool is_answered; /* the answer was sent */
	bool is_ended;	  /* the answer was read, or none is expected */
	bool is_swapped;  /* perhaps answered by another thread of the server */
	bool is_inferred;
	/* The request is one of several messages that may have woken the
	 * server, and no answer has shown yet which of them did.
	 */
	bool is_polled;
	/* servers that work for it have sent requests of their own */
	bool has_children;
	bool is_opening; /* see struct message; its parent is final */
	bool is_one_way; /* a message by a pipe that is never answered */
	bool is_queued;	 /* it was read for an entry of an io_uring */
	bool is_misread; /* its reader turned out to have read another message */
	/* its client received the answer to another request */
	bool is_overtaken;
	/* The reader of the request waits for its next message, or has read
	 * it, and no other thread works for the request.
	 */
	bool is_left;
	/* The client received the answer to a later request, or sent a later
	 * request after a sleep, and this request was left (is_left).
	 */
	bool is_passed;
	uint8_t side;	     /* enum request_side */
	uint64_t socket;     /* the client's socket; 0: unknown */
	bool has_connection; /* for TCP: connection is known */
	bool has_position;   /* position is known, too */
	struct connection connection;
	/* bytes that its client had sent on the connection before */
	uint64_t position;
	/* SIDE_CLIENT: arrival of the answer; 0: unknown */
	uint64_t arrived_ns;
	struct clock_mark *begin;
	struct clock_mark *sent;
	struct array segments; /* struct work_segment *, with references */
	/* the newest segment on its path, one of segments */
	struct work_segment *last;
	struct clock_mark *answered; /* when the answer was sent */
	/* when the client starts to read the answer */
	struct clock_mark *heard;
	struct clock_mark *end; /* when the client has read it */
	uint32_t references;
};

struct request *request_refer(struct request *request);
void request_drop(struct request *request); /* NULL is allowed. */

/* Creates the request that @message is. Returns it with one reference, which
 * the caller owns; NULL when out of memory.
 */
struct request *request_new(struct message *message);

/* Records that @request was sent for @parent. */
void request_set_parent(struct request *request, struct request *parent);

/* Returns whether all times of an ended request are known, so that it can be
 * emitted.
 */
bool request_is_settled(const struct request *request);

/* Removes the segments of an emitted request, which are then charged, and its
 * message. They refer to the request, so it cannot be freed before this.
 */
void request_clear(struct request *request);

/* Returns whether an answer to one of the requests, from the same server to the
 * same client, may be the answer to the other: not if their sockets differ.
 */
static inline bool request_shares_way(const struct request *request,
				      const struct request *other)
{
	return !request->socket || !other->socket ||
	       request->socket == other->socket;
}

/* Returns whether @request may still be answered. */
static inline bool request_is_open(const struct request *request)
{
	return !request->is_answered && !request->is_ended;
}

/* Adds @request, with a reference, to a list that is sorted oldest first. If it
 * has more than a few dozen then, ends and removes the oldest.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int request_list_add(struct array *list, struct request *request);

/* Removes and returns the request at @index; the caller owns the reference. */
struct request *request_list_take(struct array *list, size_t index);

/* Removes all requests that are answered or ended. */
void request_list_forget_closed(struct array *list);

void request_list_free(struct array *list);

/* Returns the request at @index. */
static inline struct request *request_in(const struct array *list, size_t index)
{
	return *(struct request **)array_at(list, index);
}

/* Called for each request when it is complete; the request is valid during the
 * call only.
 */
struct request_callback {
	void (*consume)(struct request_callback *callback,
			const struct request *request);
	/* Called for each interval of a thread's time, with its part; may be
	 * NULL.
	 */
	void (*passed)(struct request_callback *callback,
		       const struct time_span *span, enum request_part part);
};

/* The input of requests_new(); all borrowed. */
struct requests_options {
	/* receives everything before requests do */
	struct thread_tracker *threads;
	const struct function_table *functions;
	const struct task_names *names;
	/* command line of the recorder, whose messages are no requests; NULL:
	 * no recorder (task_choice.h)
	 */
	const char *recorder;
	/* wake-ups were recorded; without them no readers are inferred */
	bool has_wakes;
	bool has_socket_events; /* sk_data_ready and the sock_*_length events */
	/* Packets sent, received and copied; used only without socket events.
	 */
	bool has_packets;
	/* records were lost: the lost one may be a message or its receiver, so
	 * all requests are inferred
	 */
	bool has_losses;
	/* connections from before the recording; NULL: unknown */
	const char *sockets_path;
};

#endif
