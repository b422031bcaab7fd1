/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/packets/net_packets.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "sql/rows/sql_table.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/read_calls.h"
#include "tables/text/recorded.h"
#include "tables/waits/block_io.h"
#include "tables/waits/idle_exits.h"
#include "tables/waits/off_intervals.h"
#include "tables/waits/spins.h"

#include <inttypes.h>
#include <stdio.h>

/* Tables whose rows are single items from the trackers of reports: I/O of block
 * devices and the sleeps that it ended, packets, waits of CPUs, intervals with
 * interrupts or preemption off, ends of idle states, and calls with their
 * arguments. Each tracker runs only for its tables.
 */
struct wait_rows {
	struct row_source source;
	struct block_callback block;
	struct net_callback net;
	struct spin_callback spin;
	struct off_callback off;
	struct off_callback preemption;
	struct idle_callback idle;
	const struct attribution_input *recording;
	const struct row_choice *choice;
	struct row_out *const *outs;
	/* NULL, like the members below: the table is not wanted */
	struct block_tracker *blocks;
	struct spin_tracker *spins;
	struct off_tracker *offs;
	struct off_tracker *preemptions;
	struct idle_tracker *idles;
	struct idle_names *idle_names; /* with idles */
	struct read_calls *calls;
};

/* Puts the name of a thread, and whether it is the recorder's. */
static void put_thread(const struct wait_rows *rows, struct row_out *out,
		       const struct task *task, uint64_t time_ns)
{
	row_put_task(out, rows->recording, task, time_ns);
	row_put_number(out, task_is_recorder(rows->recording, task->tid));
}

/* The columns that put_thread() puts. */
#define THREAD_COLUMNS(who) \
	INT_COLUMN("pid", "process of the thread that " who, \
		   .role = ROLE_PID), \
		INT_COLUMN("tid", "that thread", .role = ROLE_TID), \
		TEXT_COLUMN("comm", "name of the thread at begin_ns"), \
		INT_COLUMN( \
			"is_recorder", \
			"1: a thread of the recorder, omitted from reports")

#define OF_IO(member) MEMBER(struct block_io, member)

static const struct column block_columns[] = {
	NS_COLUMN("begin_ns", "time at which the I/O was queued",
		  .role = ROLE_BEGIN, OF_IO(queued_ns)),
	NS_COLUMN("end_ns",
		  "time at which it was complete; begin_ns if it never was: "
		  "queue_ns is NULL then",
		  .role = ROLE_END),
	NS_COLUMN("queue_ns",
		  "time until it was sent to the device; NULL if unknown"),
	NS_COLUMN("device_ns",
		  "time that the device needed; NULL if unknown: queue_ns + "
		  "device_ns = end_ns - begin_ns"),
	THREAD_COLUMNS("queued it"),
	TEXT_COLUMN("function",
		    "the function that called the block layer; NULL if not in "
		    "the trace",
		    .role = ROLE_FUNCTION),
	TEXT_COLUMN("device", "major:minor, such as 254:0"),
	TEXT_COLUMN("operation",
		    "letters as in blktrace: R read, W write, D discard, F "
		    "flush (before or after), S synchronous, M metadata"),
	INT_COLUMN("inode",
		   "number of the file that it reads or writes, by its first "
		   "page; NULL: direct I/O or metadata, or not recorded (record "
		   "--args=block_files)"),
	INT_COLUMN("sector", "the first sector, of 512 bytes",
		   OF_IO(range.sector)),
	BYTES_COLUMN("bytes", "length; 0: a flush"),
	INT_COLUMN("requests",
		   "number of requests to the device that start with this I/O",
		   OF_IO(requests)),
	INT_COLUMN("is_merged",
		   "1: it went to the device in the request of an earlier I/O",
		   OF_IO(is_merged)),
	INT_COLUMN("is_inferred",
		   "1: another I/O with the same operation and sectors was in "
		   "flight, so the times may be that one's",
		   OF_IO(is_inferred)),
};

static const struct sql_need block_needs[] = {
	{ .event = EVENT_BIO_QUEUE },
	{ "function", NULL, RECORDED_KERNEL, 0 },
	{ "queue_ns device_ns requests is_merged", NULL, EVENT_REQUEST_ISSUE,
	  0 },
};

const struct sql_table sql_block_io_table = {
	.id = TABLE_BLOCK_IO,
	.name = "block_io",
	.meaning = "All I/O of block devices; report --block adds it up.",
	COLUMN_LIST(block_columns),
	.rows_per_mb = 10,
	.source = &wait_source,
	SQL_NEEDS(block_needs),
};

static void write_device(FILE *file, const void *ctx)
{
	const struct block_io *io = ctx;

	fprintf(file, "%" PRIu64 ":%" PRIu64, device_major(io->range.device),
		device_minor(io->range.device));
}

static void write_operation(FILE *file, const void *ctx)
{
	const struct block_io *io = ctx;

	fprintf(file, "%.*s", BLOCK_LETTERS, io->letters);
}

static int add_block_io(struct block_callback *callback,
			const struct block_io *io)
{
	const struct wait_rows *rows =
		container_of(callback, struct wait_rows, block);
	struct row_out *out = rows->outs[TABLE_BLOCK_IO];
	bool is_complete = io->completed_ns;
	bool is_timed = is_complete && io->issued_ns;

	if (!out || !row_out_start(out, io))
		return out ? out->status : 0;
	row_put_number(out, (int64_t)(is_complete ? io->completed_ns :
						    io->queued_ns));
	row_put_known(out, is_timed, (int64_t)(io->issued_ns - io->queued_ns));
	row_put_known(out, is_timed,
		      (int64_t)(io->completed_ns - io->issued_ns));
	put_thread(rows, out, &io->task, io->queued_ns);
	row_put_function(out, rows->recording, io->function != FUNCTION_UNKNOWN,
			 io->function);
	row_put_written(out, write_device, io);
	row_put_written(out, write_operation, io);
	row_put_known(out, io->inode, (int64_t)io->inode);
	row_put_number(out, (int64_t)block_range_bytes(&io->range));
	row_out_end(out);
	return 0;
}

#define OF_SLEPT(member) MEMBER(struct block_sleep, member)

static const struct column block_sleep_columns[] = {
	NS_COLUMN("begin_ns", "time at which the thread left its CPU",
		  .role = ROLE_BEGIN),
	NS_COLUMN("end_ns", "time at which the completion woke it",
		  .role = ROLE_END),
	NS_COLUMN("asleep_ns", "end_ns - begin_ns", OF_SLEPT(asleep_ns)),
	NS_COLUMN("queue_ns",
		  "part of asleep_ns before the I/O was sent to the device",
		  OF_SLEPT(queue_ns)),
	NS_COLUMN("device_ns", "part of asleep_ns while the device had it",
		  OF_SLEPT(device_ns)),
	THREAD_COLUMNS("slept"),
	TEXT_COLUMN("function",
		    "wait channel: the function that decided to wait; NULL if "
		    "not in the trace",
		    .role = ROLE_FUNCTION),
	NS_COLUMN("io_begin_ns", "begin_ns of the I/O in block_io"),
	INT_COLUMN("io_tid", "the thread that queued the I/O"),
	TEXT_COLUMN("device", "of the I/O, as in block_io"),
	TEXT_COLUMN("operation", "of the I/O"),
	INT_COLUMN("inode", "of the I/O"),
	INT_COLUMN("sector", "of the I/O"),
	BYTES_COLUMN("bytes", "of the I/O"),
	INT_COLUMN("waiters_at_begin",
		   "number of other threads that waited for this I/O at the "
		   "start of this sleep",
		   OF_SLEPT(others_at_begin)),
	INT_COLUMN("waiters_at_end",
		   "number of such threads when the completion woke this one",
		   OF_SLEPT(others_at_end)),
};

static const struct sql_need block_sleep_needs[] = {
	{ .event = EVENT_BIO_QUEUE },
	{ .event = EVENT_SCHED_WAKING },
	{ .event = RECORDED_KERNEL },
	{ "queue_ns device_ns", NULL, EVENT_REQUEST_ISSUE, 0 },
};

const struct sql_table sql_block_sleep_table = {
	.id = TABLE_BLOCK_SLEEP,
	.name = "block_sleep",
	.meaning = "The sleeps that the completion of an I/O ended, with that "
		   "I/O; report --block adds them up.",
	COLUMN_LIST(block_sleep_columns),
	.rows_per_mb = 10,
	.source = &wait_source,
	SQL_NEEDS(block_sleep_needs),
};

static int add_block_sleep(struct block_callback *callback,
			   const struct block_sleep *slept)
{
	const struct wait_rows *rows =
		container_of(callback, struct wait_rows, block);
	struct row_out *out = rows->outs[TABLE_BLOCK_SLEEP];
	const struct sleep *sleep = slept->sleep;
	const struct block_io *io = slept->io;

	if (!out || !row_out_start(out, slept))
		return out ? out->status : 0;
	row_put_number(out, (int64_t)sleep->begin_ns);
	row_put_number(out, (int64_t)(sleep->begin_ns + sleep->asleep_ns));
	put_thread(rows, out, sleep->task, sleep->begin_ns);
	row_put_function(out, rows->recording, sleep->label != FUNCTION_UNKNOWN,
			 sleep->label);
	row_put_number(out, (int64_t)io->queued_ns);
	row_put_number(out, io->task.tid);
	row_put_written(out, write_device, io);
	row_put_written(out, write_operation, io);
	row_put_known(out, io->inode, (int64_t)io->inode);
	row_put_number(out, (int64_t)io->range.sector);
	row_put_number(out, (int64_t)block_range_bytes(&io->range));
	row_out_end(out);
	return 0;
}

#define OF_PACKET(member) MEMBER(struct net_packet, member)

static const struct column packet_columns[] = {
	NS_COLUMN("begin_ns",
		  "start of the interrupt that announced it, or else when the "
		  "driver delivered it; sent: when it was queued to the device",
		  .role = ROLE_BEGIN),
	NS_COLUMN("end_ns",
		  "time at which a task read it, or the device had sent it; "
		  "begin_ns if that was not recorded: is_open is 1 then",
		  .role = ROLE_END),
	INT_COLUMN("is_open", "1: neither read nor sent, as far as recorded"),
	THREAD_COLUMNS("read or sent it; -1 if unknown"),
	TEXT_COLUMN("kind",
		    "received, acknowledged (received without data for a "
		    "reader), sent"),
	TEXT_COLUMN("device", "network device"),
	BYTES_COLUMN("bytes", "size", OF_PACKET(bytes)),
	TEXT_COLUMN("socket", "address of the kernel's struct sock, such as "
			      "0xffff888003c41200; NULL if unknown"),
	NS_COLUMN("interrupt_ns",
		  "from the interrupt until the driver delivered it; NULL if "
		  "unknown, as the following parts, or of another kind"),
	NS_COLUMN("backlog_ns",
		  "from then until the protocols got it: GRO, backlog"),
	NS_COLUMN("stack_ns",
		  "from then until a socket reported it to its readers"),
	NS_COLUMN("socket_ns", "from then until a task read it"),
	NS_COLUMN("queue_ns", "sent: in the device's queue"),
	NS_COLUMN("device_ns", "sent: from then until the device had sent it"),
	INT_COLUMN("is_backlog", "1: passed the backlog of a CPU",
		   OF_PACKET(is_backlog)),
	INT_COLUMN("is_thread",
		   "1: ksoftirqd or another kernel thread processed it",
		   OF_PACKET(is_thread)),
	INT_COLUMN("is_inferred", "1: the thread or the end is inferred",
		   OF_PACKET(is_inferred)),
};

static const struct sql_need packet_needs[] = {
	{ .event = EVENT_NET_RECEIVE },
	{ "interrupt_ns is_backlog is_thread", NULL, RECORDED_KERNEL, 0 },
	{ "stack_ns socket_ns", NULL, EVENT_SOCKET_READY, 0 },
};

const struct sql_table sql_packet_table = {
	.id = TABLE_PACKET,
	.name = "packet",
	.meaning = "The packets of network devices, from the interrupt to the "
		   "reader and from the sender to the device's end; report "
		   "--network adds them up.",
	COLUMN_LIST(packet_columns),
	.rows_per_mb = 100,
	.source = &wait_source,
	SQL_NEEDS(packet_needs),
};

static void write_socket(FILE *file, const void *ctx)
{
	const struct net_packet *packet = ctx;

	fprintf(file, "0x%" PRIx64, packet->socket);
}

static int add_packet(struct net_callback *callback,
		      const struct net_packet *packet)
{
	const struct wait_rows *rows =
		container_of(callback, struct wait_rows, net);
	struct row_out *out = rows->outs[TABLE_PACKET];
	uint64_t begin_ns = net_packet_start(packet);
	bool is_ended = packet->ended_ns >= begin_ns && packet->ended_ns;

	if (!row_out_start(out, packet))
		return out->status;
	row_put_number(out, (int64_t)begin_ns);
	row_put_number(out, (int64_t)(is_ended ? packet->ended_ns : begin_ns));
	row_put_number(out, !is_ended);
	put_thread(rows, out, &packet->task, begin_ns);
	row_put_text(out, net_kind_name(packet->kind));
	row_put_text(out, row_out_text(out, packet->device));
	if (packet->socket)
		row_put_written(out, write_socket, packet);
	else
		row_put_text(out, NULL);
	for (int i = 0; i < NET_PARTS; i++) {
		struct time_window part =
			net_packet_part(packet, (enum net_part)i);

		row_put_known(out, part.since_ns,
			      (int64_t)(part.until_ns - part.since_ns));
	}
	row_out_end(out);
	return 0;
}

#define OF_SPIN(member) MEMBER(struct spin_wait, member)

static const struct column spin_columns[] = {
	NS_COLUMN("begin_ns", "time at which the CPU started to wait",
		  .role = ROLE_BEGIN, OF_SPIN(begin_ns)),
	NS_COLUMN("end_ns", "time at which it went on", .role = ROLE_END,
		  OF_SPIN(end_ns)),
	NS_COLUMN("own_ns",
		  "time in the function that waits, without its callees and "
		  "the interrupts served meanwhile",
		  OF_SPIN(own_ns)),
	THREAD_COLUMNS("waited"),
	INT_COLUMN("cpu", "CPU on which the wait started", .role = ROLE_CPU),
	TEXT_COLUMN("kind",
		    "ipi, stop, spinlock, rwlock, mutex, rwsem, queue: as in "
		    "report --spins"),
	TEXT_COLUMN("function", "the function that made the call that waits",
		    .role = ROLE_FUNCTION),
	INT_COLUMN("ended_by_tid",
		   "the thread on another CPU that probably ended the wait; "
		   "NULL: none was seen",
		   ID_MEMBER(struct spin_wait, end_tid)),
	TEXT_COLUMN("ended_by_comm", "last name of that thread"),
	TEXT_COLUMN("ended_by_function",
		    "its function: the one that released the lock, or that "
		    "the interrupt interrupted; NULL: user space, or none"),
};

static const struct sql_need spin_needs[] = {
	{ .event = RECORDED_KERNEL },
};

const struct sql_table sql_spin_table = {
	.id = TABLE_SPIN,
	.name = "spin",
	.meaning = "All waits of CPUs for other CPUs without sleep; report "
		   "--spins adds them up.",
	COLUMN_LIST(spin_columns),
	.rows_per_mb = 20,
	.source = &wait_source,
	SQL_NEEDS(spin_needs),
};

static int add_spin(struct spin_callback *callback,
		    const struct spin_wait *wait)
{
	const struct wait_rows *rows =
		container_of(callback, struct wait_rows, spin);
	struct row_out *out = rows->outs[TABLE_SPIN];
	bool is_ended = wait->end_tid >= 0;

	if (!row_out_start(out, wait))
		return out->status;
	put_thread(rows, out, wait->task, wait->begin_ns);
	row_put_number(out, wait->task->cpu);
	row_put_text(out, spin_kind_name(wait->kind));
	row_put_function(out, rows->recording, true, wait->function);
	row_put_text(out, is_ended ? task_names_last(rows->recording->names,
						     wait->end_tid) :
				     NULL);
	row_put_function(out, rows->recording,
			 is_ended && wait->end_function != FUNCTION_NONE,
			 wait->end_function);
	row_out_end(out);
	return 0;
}

#define OF_OFF(member) MEMBER(struct off_interval, member)

/* The columns of both tables of intervals; the last ones depend on what was
 * switched off.
 */
#define OFF_COLUMNS(began, ended, by) \
	NS_COLUMN("begin_ns", "time at which " began, .role = ROLE_BEGIN, \
		  OF_OFF(begin_ns)), \
		NS_COLUMN("end_ns", "time at which " ended, .role = ROLE_END, \
			  OF_OFF(end_ns)), \
		NS_COLUMN("duration_ns", "end_ns - begin_ns"), \
		NS_COLUMN("uncertain_ns", "limit of the error of duration_ns", \
			  OF_OFF(uncertain_ns)), \
		THREAD_COLUMNS("ran at the start"), \
		INT_COLUMN("cpu", "its CPU", .role = ROLE_CPU, OF_OFF(cpu)), \
		TEXT_COLUMN("off_by", by), \
		TEXT_COLUMN("function", "the function that began it", \
			    .role = ROLE_FUNCTION), \
		TEXT_COLUMN("path", \
			    "that function and its callers, innermost first, " \
			    "separated by ;")

static const struct column off_columns[] = {
	OFF_COLUMNS("interrupts were switched off",
		    "they were let through again",
		    "instruction, interrupt, nmi, exception or system call"),
	TEXT_COLUMN("delayed_interrupt",
		    "handler of an interrupt that waited until end_ns, at most "
		    "since begin_ns; NULL: none"),
	TEXT_COLUMN("delayed_threads",
		    "the threads that this interrupt then woke, such as "
		    "cat-123, separated by spaces; NULL: none"),
	INT_COLUMN("is_inferred",
		   "1: the flag at the end is that of an earlier instruction, "
		   "as the trace does not contain what the last one restored",
		   OF_OFF(is_inferred)),
};

static const struct column preemption_columns[] = {
	OFF_COLUMNS("preemption was switched off", "it was possible again",
		    "instruction (preempt_disable(), a spinlock), bottom "
		    "halves, softirq, interrupt or nmi"),
	INT_COLUMN("delayed_tid",
		   "the thread that ran next, because the interval had ended; "
		   "NULL: none"),
	NS_COLUMN("delayed_ns",
		  "how long it had waited for that: since it was woken, or "
		  "begin_ns"),
};

static const struct sql_need off_needs[] = {
	{ .event = RECORDED_KERNEL },
	{ "delayed_threads", NULL, EVENT_SCHED_WAKING, 0 },
};

static const struct sql_need preemption_needs[] = {
	{ .event = RECORDED_KERNEL },
	{ "delayed_tid delayed_ns", NULL, EVENT_SCHED_WAKING, 0 },
};

const struct sql_table sql_interrupts_off_table = {
	.id = TABLE_INTERRUPTS_OFF,
	.name = "interrupts_off",
	.meaning = "All intervals in which a CPU let no interrupts through; "
		   "report --irqsoff adds them up.",
	COLUMN_LIST(off_columns),
	.rows_per_mb = 500,
	.source = &wait_source,
	SQL_NEEDS(off_needs),
};

const struct sql_table sql_preemption_off_table = {
	.id = TABLE_PREEMPTION_OFF,
	.name = "preemption_off",
	.meaning = "All intervals in which a CPU's task could not be preempted "
		   "(x86-64); report --preemptoff adds them up.",
	COLUMN_LIST(preemption_columns),
	.rows_per_mb = 500,
	.source = &wait_source,
	SQL_NEEDS(preemption_needs),
};

/* A text column of an interval. */
struct off_text {
	const struct wait_rows *rows;
	const struct off_interval *interval;
};

static const char *name_of(const struct wait_rows *rows, uint32_t function)
{
	return function_at(symbols_functions(rows->recording->symbols),
			   function)
		->name;
}

static void write_path(FILE *file, const void *ctx)
{
	const struct off_text *text = ctx;

	for (uint32_t i = 0; i < text->interval->count; i++)
		fprintf(file, "%s%s", i ? ";" : "",
			name_of(text->rows, text->interval->path[i]));
}

static void write_delayed(FILE *file, const void *ctx)
{
	const struct off_text *text = ctx;
	const struct off_delay *delays = text->interval->delays;

	for (uint32_t i = 1; i < text->interval->delay_count; i++)
		fprintf(file, "%s%s", i > 1 ? " " : "",
			task_label_last(text->rows->recording->names,
					delays[i].tid)
				.text);
}

/* Puts the columns of OFF_COLUMNS(). */
static void put_interval(const struct wait_rows *rows, struct row_out *out,
			 const struct off_interval *interval)
{
	const struct off_text text = { rows, interval };

	row_put_number(out, (int64_t)(interval->end_ns - interval->begin_ns));
	put_thread(rows, out, interval->task, interval->begin_ns);
	row_put_text(out, off_kind_name(interval->kind));
	row_put_function(out, rows->recording, true, interval->path[0]);
	row_put_written(out, write_path, &text);
}

static int add_off(struct off_callback *callback,
		   const struct off_interval *interval)
{
	const struct wait_rows *rows =
		container_of(callback, struct wait_rows, off);
	struct row_out *out = rows->outs[TABLE_INTERRUPTS_OFF];
	const struct off_text text = { rows, interval };
	uint32_t delays = interval->delay_count;

	if (!row_out_start(out, interval))
		return out->status;
	put_interval(rows, out, interval);
	row_put_function(out, rows->recording, delays,
			 interval->delays[0].handler);
	if (delays > 1)
		row_put_written(out, write_delayed, &text);
	else
		row_put_text(out, NULL);
	row_out_end(out);
	return 0;
}

static int add_preemption(struct off_callback *callback,
			  const struct off_interval *interval)
{
	const struct wait_rows *rows =
		container_of(callback, struct wait_rows, preemption);
	struct row_out *out = rows->outs[TABLE_PREEMPTION_OFF];
	const struct off_delay *delay = interval->delays;

	if (!row_out_start(out, interval))
		return out->status;
	put_interval(rows, out, interval);
	row_put_known(out, interval->delay_count, delay->tid);
	row_put_known(out, interval->delay_count, (int64_t)delay->ns);
	row_out_end(out);
	return 0;
}

#define OF_READ(member) MEMBER(struct read_call, member)

static const struct column read_columns[] = {
	NS_COLUMN("begin_ns", "time at which the function was called",
		  .role = ROLE_BEGIN, OF_READ(begin_ns)),
	NS_COLUMN("end_ns",
		  "time at which it returned; begin_ns if it did not: wall_ns "
		  "is NULL then",
		  .role = ROLE_END),
	NS_COLUMN("wall_ns", "end_ns - begin_ns; NULL: it did not return"),
	THREAD_COLUMNS("called it"),
	TEXT_COLUMN("function", "the function", .role = ROLE_FUNCTION),
	TEXT_COLUMN("arguments", "such as file=0xffff888003c41200, count=4096"),
	TEXT_COLUMN("result", "NULL: it did not return"),
	INT_COLUMN("depth",
		   "stack depth of the call in table call; NULL: it is not in "
		   "the trace, and its times are those of its records"),
};

static const struct sql_need read_needs[] = {
	{ .event = EVENT_CALL_ARGUMENTS },
};

const struct sql_table sql_read_call_table = {
	.id = TABLE_READ_CALL,
	.name = "read_call",
	.meaning = "The calls of the functions of record --args, with their "
		   "arguments and results; report --args shows them.",
	COLUMN_LIST(read_columns),
	.rows_per_mb = 10,
	.source = &wait_source,
	SQL_NEEDS(read_needs),
};

static void add_read_call(const struct wait_rows *rows,
			  const struct read_call *call)
{
	struct row_out *out = rows->outs[TABLE_READ_CALL];
	bool has_returned = call->end_ns && call->result;

	if (!row_out_start(out, call))
		return;
	row_put_number(out,
		       (int64_t)(has_returned ? call->end_ns : call->begin_ns));
	row_put_known(out, has_returned,
		      (int64_t)(call->end_ns - call->begin_ns));
	put_thread(rows, out, &call->task, call->begin_ns);
	row_put_function(out, rows->recording, true, call->function);
	row_put_text(out, row_out_text(out, call->arguments));
	row_put_text(out,
		     call->result ? row_out_text(out, call->result) : NULL);
	row_put_known(out, call->depth != READ_CALL_UNTRACED, call->depth);
	row_out_end(out);
}

#define OF_IDLE(member) MEMBER(struct idle_exit, member)

static const struct column idle_columns[] = {
	NS_COLUMN("begin_ns", "time at which the idle state began",
		  .role = ROLE_BEGIN, OF_IDLE(begin_ns)),
	NS_COLUMN("end_ns",
		  "start of the handler that ended it; without a handler, the "
		  "return from the state",
		  .role = ROLE_END, OF_IDLE(end_ns)),
	INT_COLUMN("cpu", "the idle CPU", .role = ROLE_CPU, OF_IDLE(cpu)),
	INT_COLUMN("state", "number of the idle state", OF_IDLE(state)),
	TEXT_COLUMN("name", "name of the idle state; NULL if the kernel has "
			    "none"),
	TEXT_COLUMN("handler",
		    "handler of the interrupt; NULL: the CPU was woken "
		    "without one",
		    .role = ROLE_FUNCTION),
	TEXT_COLUMN("cause",
		    "timer, or cpu: an interrupt that another CPU sent; NULL "
		    "if unknown"),
	INT_COLUMN("by_cpu", "the CPU that sent it; NULL for other causes",
		   ID_MEMBER(struct idle_exit, by_cpu)),
	NS_COLUMN("delay_ns",
		  "time from the timer's expiry, or the start of the function "
		  "that sent the interrupt, to end_ns; NULL if unknown"),
	INT_COLUMN("is_exact",
		   "1: both ends of delay_ns are in the trace; 0: one is "
		   "derived",
		   OF_IDLE(is_exact)),
};

static const struct sql_need idle_needs[] = {
	{ .event = EVENT_CPU_IDLE },
	{ "handler cause by_cpu delay_ns is_exact", NULL, RECORDED_KERNEL, 0 },
};

const struct sql_table sql_idle_exit_table = {
	.id = TABLE_IDLE_EXIT,
	.name = "idle_exit",
	.meaning = "All times that a CPU was idle, and what woke it; report "
		   "--idle adds them up.",
	COLUMN_LIST(idle_columns),
	.rows_per_mb = 100,
	.source = &wait_source,
	SQL_NEEDS(idle_needs),
};

static int add_idle(struct idle_callback *callback,
		    const struct idle_exit *exit)
{
	const struct wait_rows *rows =
		container_of(callback, struct wait_rows, idle);
	struct row_out *out = rows->outs[TABLE_IDLE_EXIT];
	const char *name;

	if (!row_out_start(out, exit))
		return out->status;
	name = idle_names_find(rows->idle_names, exit->cpu, exit->state);
	row_put_text(out, name ? row_out_text(out, name) : NULL);
	row_put_function(out, rows->recording, exit->handler != FUNCTION_NONE,
			 exit->handler);
	row_put_text(out, idle_cause_name(exit->cause));
	row_put_known(out, exit->cause != IDLE_BY_UNKNOWN,
		      (int64_t)exit->delay_ns);
	row_out_end(out);
	return 0;
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct wait_rows *rows = (const struct wait_rows *)source;

	return time_ns >= rows->choice->end.until_ns;
}

/* Adds the rows that are known only at the end. */
static int end(struct row_source *source, const struct row_end *pass)
{
	const struct wait_rows *rows = (const struct wait_rows *)source;
	struct array *list = NULL;
	int status = 0;

	if (rows->blocks)
		status = block_tracker_end(rows->blocks, !pass->is_early);
	if (rows->spins && !status)
		status = spin_tracker_end(rows->spins);
	if (rows->offs && !status)
		status = off_tracker_end(rows->offs);
	if (rows->preemptions && !status)
		status = off_tracker_end(rows->preemptions);
	if (rows->idles && !status)
		status = idle_tracker_status(rows->idles);
	if (rows->calls && !status)
		status = read_calls_end(rows->calls, &list);
	for (size_t i = 0; list && i < list->count && !status; i++)
		add_read_call(rows, array_at(list, i));
	return status;
}

static void close_rows(struct row_source *source)
{
	struct wait_rows *rows = (struct wait_rows *)source;

	block_tracker_free(rows->blocks);
	spin_tracker_free(rows->spins);
	off_tracker_free(rows->offs);
	off_tracker_free(rows->preemptions);
	idle_tracker_free(rows->idles);
	idle_names_free(rows->idle_names);
	read_calls_free(rows->calls);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	const struct attribution_input *recording = input->recording;
	struct wait_rows *rows = (struct wait_rows *)source;
	bool has_blocks = input->outs[TABLE_BLOCK_IO] ||
			  input->outs[TABLE_BLOCK_SLEEP];

	source->needs_begin = true;
	rows->block.done = add_block_io;
	rows->block.slept = add_block_sleep;
	rows->net.done = add_packet;
	rows->spin.consume = add_spin;
	rows->off.consume = add_off;
	rows->preemption.consume = add_preemption;
	rows->idle.consume = add_idle;
	rows->recording = recording;
	rows->choice = input->choice;
	rows->outs = input->outs;
	if (has_blocks)
		rows->blocks = block_tracker_new(recording, &rows->block);
	if (input->outs[TABLE_SPIN])
		rows->spins = spin_tracker_new(recording, &rows->spin);
	if (input->outs[TABLE_INTERRUPTS_OFF])
		rows->offs = interrupts_off_tracker_new(recording, &rows->off);
	if (input->outs[TABLE_PREEMPTION_OFF])
		rows->preemptions = preemption_off_tracker_new(
			recording, &rows->preemption);
	if (input->outs[TABLE_IDLE_EXIT]) {
		rows->idles = idle_tracker_new(recording, &rows->idle);
		rows->idle_names = idle_names_of(recording);
	}
	if (input->outs[TABLE_READ_CALL])
		rows->calls = read_calls_new(recording);
	return (rows->blocks || !has_blocks) &&
	       (!input->outs[TABLE_PACKET] ||
		trackers_packets(recording->trackers, &rows->net)) &&
	       (rows->spins || !input->outs[TABLE_SPIN]) &&
	       (rows->offs || !input->outs[TABLE_INTERRUPTS_OFF]) &&
	       (rows->preemptions || !input->outs[TABLE_PREEMPTION_OFF]) &&
	       ((rows->idles && rows->idle_names) ||
		!input->outs[TABLE_IDLE_EXIT]) &&
	       (rows->calls || !input->outs[TABLE_READ_CALL]);
}

const struct row_source_class wait_source = {
	.needs_time = true,
	.size = sizeof(struct wait_rows),
	.open = open_rows,
	.is_done = is_done,
	.end = end,
	.close = close_rows,
};
