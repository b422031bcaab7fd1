/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUESTS_REQUEST_SUMS_H
#define KT_TABLES_REQUESTS_REQUEST_SUMS_H

#include "attribution/requests/request.h"

#include <stdbool.h>
#include <stdint.h>

struct work_segment;
struct task;
struct task_names;

/* The time of one request by state. wall_ns is the sum of client_ns,
 * client_wait_ns, remote_ns, queue_ns and way_ns[], since exactly one of them
 * counts at any time:
 *
 *	client    |client_ns|                                     |client_wait|client_ns|
 *	socket              |queue_ns|
 *	server A                     |way_ns|          |  way_ns  |
 *	server B                            |  way_ns  |
 *	thread of A                         |...beside_ns, not in wall_ns...|
 *
 * If the server is on another machine (SIDE_CLIENT), remote_ns is in place of
 * queue_ns and way_ns[].
 */
struct request_sums {
	uint64_t begin_ns; /* start of the client's send */
	/* until the client has read the answer; without one: until the last
	 * server finishes
	 */
	uint64_t wall_ns;
	uint64_t client_ns; /* the client sends it, or reads the answer */
	/* the client was not on a CPU while it did so; or the answer waited for
	 * the client
	 */
	uint64_t client_wait_ns;
	/* SIDE_CLIENT: from the send to the arrival of the answer. */
	uint64_t remote_ns;
	uint64_t queue_ns; /* it was sent, and no thread has read it */
	/* By enum request_part, of the threads that had it one after the other.
	 * PART_IDLE: they waited for other messages, mostly answers of servers.
	 */
	uint64_t way_ns[REQUEST_PARTS];
	/* Of threads that worked for it in parallel, or after the answer. */
	uint64_t beside_ns[REQUEST_PARTS];
};

/* Where the time of a request went, for lists of columns (rows/column.h) of a
 * struct with the member sums.
 */
#define REQUEST_WAY(type, name, part, meaning) \
	NS_COLUMN(name, meaning, MEMBER(type, sums.way_ns[part]))
#define REQUEST_TIME_COLUMNS(type) \
	NS_COLUMN("wall_ns", \
		  "time until the client had the answer, otherwise until " \
		  "the work on the request ended: the sum of the next " \
		  "columns, up to unknown_ns", \
		  MEMBER(type, sums.wall_ns)), \
		NS_COLUMN("client_ns", \
			  "the client is on a CPU to send the request or to " \
			  "receive the answer", \
			  MEMBER(type, sums.client_ns)), \
		NS_COLUMN( \
			"client_wait_ns", \
			"the client waits for a CPU in these phases, or the " \
			"answer waits for the client", \
			MEMBER(type, sums.client_wait_ns)), \
		NS_COLUMN( \
			"remote_ns", \
			"the request is on another machine, or on the way there " \
			"or back", \
			MEMBER(type, sums.remote_ns)), \
		NS_COLUMN("queue_ns", \
			  "the request is queued: no thread has it", \
			  MEMBER(type, sums.queue_ns)), \
		REQUEST_WAY( \
			type, "runnable_ns", PART_RUNNABLE, \
			"the server's thread that has the request waits for a CPU"), \
		REQUEST_WAY( \
			type, "kernel_ns", PART_KERNEL, \
			"that thread is in the kernel: calls, faults, other work"), \
		REQUEST_WAY(type, "user_ns", PART_USER, \
			    "that thread is in user space"), \
		REQUEST_WAY(type, "interrupt_ns", PART_INTERRUPT, \
			    "that thread is interrupted"), \
		REQUEST_WAY(type, "tracer_ns", PART_TRACER, \
			    "that thread is in the tracer"), \
		REQUEST_WAY( \
			type, "guest_ns", PART_GUEST, \
			"that thread is in a virtual machine, as one of its CPUs"), \
		REQUEST_WAY(type, "asleep_ns", PART_ASLEEP, \
			    "that thread is asleep"), \
		REQUEST_WAY( \
			type, "downstream_ns", PART_IDLE, \
			"that thread sleeps until messages arrive, mostly answers"), \
		REQUEST_WAY(type, "unknown_ns", PART_UNKNOWN, \
			    "the recording has no data")

/* The times of threads that worked for it in parallel, or after the answer. */
#define REQUEST_BESIDE(type, name, part, meaning) \
	NS_COLUMN("beside_" name, \
		  "other threads that work for it, or its server after the " \
		  "answer: " meaning, \
		  MEMBER(type, sums.beside_ns[part]))
#define REQUEST_BESIDE_COLUMNS(type) \
	REQUEST_BESIDE(type, "runnable_ns", PART_RUNNABLE, \
		       "waiting for a CPU"), \
		REQUEST_BESIDE(type, "kernel_ns", PART_KERNEL, \
			       "in the kernel"), \
		REQUEST_BESIDE(type, "user_ns", PART_USER, "in user space"), \
		REQUEST_BESIDE(type, "interrupt_ns", PART_INTERRUPT, \
			       "interrupted"), \
		REQUEST_BESIDE(type, "tracer_ns", PART_TRACER, \
			       "in the tracer"), \
		REQUEST_BESIDE(type, "guest_ns", PART_GUEST, \
			       "in a virtual machine"), \
		REQUEST_BESIDE(type, "asleep_ns", PART_ASLEEP, "asleep")

/* An interval when one thread had a request. */
struct request_interval {
	const struct task *task;
	/* Sender of the message that woke the thread at the start, and its
	 * sending function; NULL: unknown.
	 */
	const struct task *waker;
	uint32_t waker_function;
	const struct thread_clock *clock; /* of the thread */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Appends to @intervals (struct request_interval) the intervals that way_ns of
 * @request are summed from. Returns 0 or -ERROR_MEMORY.
 */
int request_way_of(const struct request *request, struct array *intervals);

/* Sets @parts to the thread's time in @segment by part. The segment must have
 * ended.
 */
void work_segment_parts(const struct work_segment *segment,
			uint64_t parts[REQUEST_PARTS]);

/* One request as a table row. */
struct request_row {
	uint64_t number;
	uint64_t parent;    /* number of the request that caused it, or 0 */
	int32_t client_pid; /* -1: SIDE_SERVER */
	int32_t client_tid;
	/* process that answered, else the last that read it; -1: SIDE_CLIENT */
	int32_t server_pid;
	int32_t server_tid;
	uint8_t side;	/* enum request_side */
	uint8_t kind;	/* enum message_kind */
	uint8_t medium; /* enum message_medium */
	bool is_answered;
	bool is_inferred;
	bool has_connection;
	bool has_position;
	struct connection connection;
	/* bytes that the client had sent on the connection before this request
	 */
	uint64_t position;
	struct request_sums sums;
};

/* Buffer size for the name of a request's client or server. */
enum { REQUEST_NAME_SIZE = ENDPOINT_TEXT_SIZE };

/* Fills *@row from @request, as a callback received it. Returns 0 or
 * -ERROR_MEMORY.
 */
int request_row_of(const struct request *request, struct request_row *row);

/* Returns the medium of the request: "pipe" or "connect". */
const char *request_row_by(const struct request_row *row);

/* Returns which sides were recorded: "both", "client" or "server". */
const char *request_row_side(const struct request_row *row);

/* Return the name of the client or server: a thread's name, or its address on
 * another machine, for a server with the port. The name is in @text, or lives
 * as long as @names.
 */
const char *request_row_client(const struct request_row *row,
			       const struct task_names *names,
			       char text[REQUEST_NAME_SIZE]);
const char *request_row_server(const struct request_row *row,
			       const struct task_names *names,
			       char text[REQUEST_NAME_SIZE]);

/* Orders rows by start time. */
int request_row_compare(const void *a, const void *b);

#endif
