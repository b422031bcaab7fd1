/* SPDX-License-Identifier: MIT */
#include "tables/text/column_help.h"

#include "report/text/record_writer.h"
#include "tables/table.h"

#include <string.h>

static const struct column_help list[] = {
	{ NULL, "pid", "number of the process" },
	{ NULL, "tid", "number of the thread" },
	{ NULL, "comm", "name of the process, or of the thread" },
	{ NULL, "group",
	  "what --by groups: thread, process, comm, cgroup or choice" },
	{ NULL, "threads", "number of threads" },
	{ NULL, "wall_ns", "time from its start to its end" },
	{ "processes", "wall_ns",
	  "lives of all threads of the process, added up" },
	{ NULL, "user_ns", "in user space" },
	{ NULL, "system_call_ns", "in the kernel for a system call, on a CPU" },
	{ NULL, "fault_ns", "in the kernel for page faults, on a CPU" },
	{ NULL, "reclaim_ns",
	  "frees memory that it needs, in calls and faults too, on a CPU" },
	{ NULL, "kernel_ns", "in the kernel for other reasons, on a CPU" },
	{ NULL, "runnable_ns", "ready to run, and waiting for a CPU" },
	{ NULL, "throttled_ns",
	  "ready to run, and kept from it by its cgroup's CPU quota" },
	{ NULL, "asleep_ns",
	  "asleep, until a thread or an interrupt wakes it" },
	{ NULL, "interrupt_benefited_ns",
	  "work of interrupts for this process, whichever process they interrupted" },
	{ NULL, "interrupt_stolen_ns",
	  "work of interrupts that interrupted this process, for itself or others" },
	{ NULL, "interrupt_ns", "work of interrupts that interrupted it" },
	{ NULL, "stolen_ns", "work of interrupts that interrupted the call" },
	{ NULL, "tracer_ns", "the recorder's own work" },
	{ NULL, "guest_ns", "in a virtual machine that the process runs" },
	{ NULL, "not_asked_ns", "outside the calls that record --only chose" },
	{ NULL, "unknown_ns", "not in the recording" },
	{ NULL, "context_switches", "how often a thread left its CPU" },
	{ NULL, "system_calls", "number of system calls" },
	{ NULL, "faults", "number of page faults" },
	{ NULL, "recorder_wait",
	  "part of runnable: while the recorder used the CPU" },
	{ NULL, "interrupt_work_elsewhere",
	  "work of interrupts for this process while other processes ran" },
	{ NULL, "kernel_work_elsewhere",
	  "work of kernel threads for this process" },
	{ NULL, "unknown_because",
	  "reasons of unknown time, with the time of each" },
	{ NULL, "uncertain", "time whose class is not certain, within bounds" },
	{ NULL, "count", "how often" },
	{ NULL, "total_ns", "all of them added up" },
	{ NULL, "mean_ns", "mean" },
	{ NULL, "median_ns", "half of them took at most this long" },
	{ NULL, "p99_ns", "99 of 100 took at most this long" },
	{ NULL, "max_ns", "the longest" },
	{ NULL, "on_cpu_ns", "on a CPU: in the kernel or in user space" },
	{ NULL, "call", "name of the system call" },
	{ NULL, "errors", "calls that returned an error" },
	{ NULL, "restarts", "calls that the kernel restarted after a signal" },
	{ NULL, "no_return", "calls that do not return, such as exit" },
	{ NULL, "cut",
	  "those that the recording or the window has only in part" },
	{ NULL, "cut_ns", "time of those that are cut" },
	{ "sleeps", "blocking_file",
	  "the kernel's source file, if its debug information is there" },
	{ "sleeps", "blocking_line", "line of the longest sleep in it" },
	{ "locks", "variable",
	  "the variable that contains the lock, such as rtnl_mutex" },
	{ "locks", "inferred_member",
	  "which member of which of the kernel's structs the lock is, inferred "
	  "from the function's code" },
	{ NULL, "function", "function of the kernel" },
	{ "user-sites", "function", "function that made the call" },
	{ "user-sites", "entry", "system call, page_fault or exception" },
	{ "user-sites", "offset", "position in the function, in bytes" },
	{ "user-sites", "line", "file and line of the source" },
	{ "user-sites", "file", "program or library" },
	{ "user-sites", "address", "address of the instruction" },
	{ "user-sites", "caller", "function that called this function" },
	{ "user-sites", "caller_line", "file and line of that call" },
	{ NULL, "kind", "interrupt, soft interrupt, timer, work item" },
	{ "locks", "kind", "kind of lock" },
	{ NULL, "time", "which time of the function: all calls, or a part" },
	{ NULL, "on_group", "group that was interrupted" },
	{ NULL, "on_pid", "process that was interrupted" },
	{ NULL, "on_comm", "its name" },
	{ NULL, "for_group", "group that it was for" },
	{ NULL, "for_pid", "process that it was for" },
	{ NULL, "for_comm", "its name" },
	{ NULL, "irq", "number of the interrupt" },
	{ NULL, "device", "its device" },
	{ NULL, "exact_ns", "time whose beneficiary is certain" },
	{ NULL, "exact_percent", "the same as a share" },
	{ NULL, "inferred_ns", "time whose beneficiary is inferred" },
	{ "servers", "inferred_ns",
	  "time that is inferred to be for this client" },
	{ NULL, "inferred_percent", "the same as a share" },
	{ NULL, "nobody_ns", "time that was for no process" },
	{ NULL, "nobody_percent", "the same as a share" },
	{ NULL, "request", "number of the request" },
	{ NULL, "parent", "number of the request in which it was made" },
	{ NULL, "begin_s", "time of its start" },
	{ NULL, "by",
	  "how client and server are joined: connection, pipe, futex" },
	{ NULL, "client_pid", "process that sent it" },
	{ NULL, "client_tid", "thread that sent it" },
	{ NULL, "client", "name of the client" },
	{ NULL, "server_pid", "process that answered it" },
	{ NULL, "server_tid", "thread that answered it" },
	{ NULL, "server", "name of the server" },
	{ NULL, "answered", "whether it was answered in the recording" },
	{ NULL, "inferred", "whether it is inferred" },
	{ NULL, "side",
	  "client or server, if the other one is on another machine" },
	{ NULL, "client_address", "address of the client" },
	{ NULL, "client_port", "port of the client" },
	{ NULL, "server_address", "address of the server" },
	{ NULL, "server_port", "port of the server" },
	{ NULL, "stream_position", "position in the bytes of the connection" },
	{ NULL, "client_ns",
	  "client: until the request was sent, and after the answer arrived" },
	{ NULL, "client_wait_ns",
	  "client: waiting for a CPU after the answer" },
	{ NULL, "remote_ns", "on the other machine, or on the way" },
	{ NULL, "queue_ns", "in the socket, until the server received it" },
	{ NULL, "downstream_ns", "further servers that the server called" },
	{ NULL, "beside_runnable_ns",
	  "other threads that worked for it: waiting for a CPU" },
	{ NULL, "beside_kernel_ns",
	  "other threads that worked for it: in the kernel" },
	{ NULL, "beside_user_ns",
	  "other threads that worked for it: in user space" },
	{ NULL, "beside_interrupt_ns",
	  "other threads that worked for it: interrupted" },
	{ NULL, "beside_tracer_ns",
	  "other threads that worked for it: the recorder" },
	{ NULL, "beside_guest_ns",
	  "other threads that worked for it: virtual machine" },
	{ NULL, "beside_asleep_ns",
	  "other threads that worked for it: asleep" },
	{ NULL, "sleeps", "where it slept longest, and who ended that" },
	{ NULL, "requests", "number of requests" },
	{ NULL, "which", "typical requests or the slowest" },
	{ NULL, "p90_ns", "90 of 100 took at most this long" },
	{ NULL, "label", "kernel function in which it slept" },
	{ NULL, "stack", "functions of the kernel, the innermost first" },
	{ NULL, "user_stack", "functions of the program, the innermost first" },
	{ NULL, "wakers",
	  "threads and interrupts that ended the sleeps, with their own wakers" },
	{ NULL, "fds", "descriptors that it waited for" },
	{ NULL, "preempted", "times that it lost its CPU to another thread" },
	{ NULL, "recorder_ns", "while the recorder used the CPU" },
	{ NULL, "idle_ns", "while the CPU had nothing to run" },
	{ NULL, "idle_elsewhere_ns", "while another CPU had nothing to run" },
	{ NULL, "instead", "threads that used the CPU meanwhile" },
	{ NULL, "lock", "address of the lock, or its name" },
	{ NULL, "waiters_at_begin",
	  "threads that already waited when it began to wait" },
	{ NULL, "waiters_at_end", "threads that waited when it got the lock" },
	{ NULL, "released_by", "thread that released the lock, and where" },
	{ "args", "function", "function that was called" },
	{ NULL, "arguments", "its arguments" },
	{ NULL, "result", "what it returned" },
	{ "spins", "kind", "what was waited for" },
	{ "spins", "function",
	  "function that waited, or made a call that did" },
	{ "spins", "pid", "process that waited" },
	{ NULL, "ended_by",
	  "threads that answered or released, and the function they were in" },
	{ NULL, "off_by",
	  "what switched interrupts off: an instruction, or an interrupt, exception or system call that began" },
	{ "irqsoff", "function", "function in which that was" },
	{ "irqsoff", "inferred",
	  "intervals whose end or start restored a value that the trace does not show" },
	{ "irqsoff", "uncertain_ns",
	  "bound of the total's error: the ends lie between packets" },
	{ "preemptoff", "off_by",
	  "what preemption was first forbidden by: an instruction, softirq, interrupt" },
	{ "preemptoff", "function", "function in which that was" },
	{ "preemptoff", "inferred", "always 0" },
	{ "preemptoff", "uncertain_ns",
	  "bound of the total's error: the ends lie between packets" },
	{ "preemptoff", "delayed", "threads that ran once it ended" },
	{ NULL, "max_at_ns", "when the longest began" },
	{ NULL, "max_path", "function and callers of the longest" },
	{ NULL, "delayed",
	  "interrupts served at the end of an interval, and threads that they woke" },
	{ "block", "device", "block device, as major:minor" },
	{ NULL, "operation", "its letters as in blktrace: R, WS, FWFS" },
	{ "block", "function", "function that called the block layer" },
	{ NULL, "inode", "number of the file, by record --args=block_files" },
	{ NULL, "merged", "I/Os that joined the request of an earlier one" },
	{ "block", "requests", "requests that were sent to the device" },
	{ NULL, "open", "I/Os whose completion was not recorded" },
	{ NULL, "inferred",
	  "I/Os that the events do not distinguish from another one" },
	{ NULL, "bytes", "size of them all" },
	{ "block", "queue_ns", "until the device got them" },
	{ NULL, "device_ns", "from then until they were complete" },
	{ NULL, "sleeps", "sleeps that their completion ended" },
	{ NULL, "slept_ns", "duration of these sleeps" },
	{ NULL, "slept_queue_ns", "of these, while the I/O was in the queue" },
	{ NULL, "slept_device_ns", "of these, while the device had it" },
	{ NULL, "hit", "number of the hit" },
	{ NULL, "trigger", "trigger that hit" },
	{ NULL, "time_ns", "time of the event" },
	{ NULL, "frozen_ns", "end of the saved trace" },
	{ NULL, "cpu", "CPU" },
	{ NULL, "latency_ns", "time that exceeded the trigger's limit" },
	{ NULL, "not_kept", "why its trace was not saved" },
	{ NULL, "others", "what else used its CPU" },
	{ NULL, "signal", "signal that ended the process" },
	{ NULL, "calls", "its last calls" },
	{ NULL, "typical_wall_ns", "the same of a typical call: duration" },
	{ NULL, "typical_on_cpu_ns", "the same of a typical call: on a CPU" },
	{ NULL, "typical_asleep_ns", "the same of a typical call: asleep" },
	{ NULL, "typical_runnable_ns",
	  "the same of a typical call: waiting for a CPU" },
	{ NULL, "typical_stolen_ns", "the same of a typical call: interrupts" },
	{ NULL, "typical_tracer_ns",
	  "the same of a typical call: the recorder" },
	{ NULL, "typical_unknown_ns",
	  "the same of a typical call: not in the recording" },
};

const struct column_help *column_help_at(size_t index)
{
	return index < sizeof(list) / sizeof(*list) ? &list[index] : NULL;
}

const char *column_help_find(const char *table, const char *name)
{
	const char *text = NULL;
	const struct column_help *help;

	for (size_t i = 0; (help = column_help_at(i)); i++) {
		if (strcmp(help->name, name) != 0)
			continue;
		if (help->table && !strcmp(help->table, table))
			return help->text;
		if (!help->table)
			text = help->text;
	}
	return text;
}

static void write_one(const char *table, const char *name, FILE *out)
{
	const char *text = column_help_find(table, name);

	fprintf(out, "  %-26s %-26s %s\n",
		record_head_of(name, INT16_MAX).lines[1], name,
		text ? text : "");
}

void column_help_write(const struct attribution_table *table, FILE *out)
{
	const char *name = table->columns ? table->columns : "";

	fprintf(out, "--%s: heading, name, meaning\n", table->name);
	while (*name) {
		size_t size = strcspn(name, " ");
		char word[64];

		snprintf(word, sizeof(word), "%.*s", (int)size, name);
		write_one(table->name, word, out);
		name += size + (name[size] == ' ');
	}
}
