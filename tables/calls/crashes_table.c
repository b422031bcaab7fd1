/* SPDX-License-Identifier: MIT */
#include "tables/calls/crashes_table.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/table_records.h"
#include "attribution/time/task_time.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "report/steps/call_step.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/arch/system_call_numbers.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/stack_text.h"
#include "tables/text/table_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The signal that an unhandled exception sends, by a part of the name of the
 * exception's handler on x86 or arm64.
 */
static const struct {
	const char *handler;
	const char *signal;
} exceptions[] = {
	{ "page_fault", "SIGSEGV or SIGBUS (page fault)" },
	{ "mem_abort", "SIGSEGV or SIGBUS (memory abort)" },
	{ "el0_da", "SIGSEGV or SIGBUS (data abort)" },
	{ "el0_ia", "SIGSEGV or SIGBUS (instruction abort)" },
	{ "general_protection", "SIGSEGV (general protection)" },
	{ "divide_error", "SIGFPE (division)" },
	{ "coprocessor_error", "SIGFPE (floating point)" },
	{ "invalid_op", "SIGILL (invalid instruction)" },
	{ "undef", "SIGILL (undefined instruction)" },
	{ "int3", "SIGTRAP (breakpoint)" },
	{ "brk", "SIGTRAP (breakpoint)" },
};

static const struct function *function_of(const struct crash_stack *stack,
					  const struct crash_names *names,
					  size_t depth)
{
	return function_at(names->functions, stack->frames[depth].function);
}

static bool is_kernels(const struct function *function, const char *base)
{
	return function->space == 'k' && !strcmp(function->base, base);
}

bool crash_names_is_end(const struct crash_names *names, uint32_t function)
{
	return is_kernels(function_at(names->functions, function),
			  "do_group_exit");
}

bool crash_names_is_oom(const struct crash_names *names, uint32_t function)
{
	return is_kernels(function_at(names->functions, function),
			  "__oom_kill_process");
}

void crash_free(struct crash *crash)
{
	free(crash->signal);
	free(crash->stack);
	free(crash->calls);
}

void crash_pack(struct pack *pack, struct crash *crash)
{
	pack_i32(pack, &crash->pid);
	pack_i32(pack, &crash->tid);
	pack_u64(pack, &crash->time_ns);
	pack_i32(pack, &crash->sender_pid);
	table_records_pack_text(pack, &crash->signal);
	table_records_pack_text(pack, &crash->stack);
	table_records_pack_text(pack, &crash->calls);
}

void crash_stack_exit_call(struct crash_stack *stack, int64_t number)
{
	stack->number = number;
	stack->is_number_new = true;
}

/* The start of the names of functions that send a signal to the current thread
 * because of an exception or for seccomp.
 */
static const char force_signal[] = "force_sig";
/* The function that sends SIGSYS for the current system call. */
static const char seccomp_signal[] = "force_sig_seccomp";
/* The function in which seccomp starts to check the current system call. */
static const char seccomp_check[] = "__secure_computing";

/* The function that sends a signal to the current thread; among others,
 * pipe_writers[] call it.
 */
static const char send_signal[] = "send_sig";

/* Functions that call send_sig() only to send SIGPIPE: fs/pipe.c, fs/splice.c,
 * net/core/stream.c, net/unix/af_unix.c.
 */
static const char *const pipe_writers[] = {
	"pipe_write",	   "anon_pipe_write",	  "splice_to_pipe",
	"sk_stream_error", "unix_stream_sendmsg",
};

static const char *const pipe_texts[] = {
	[PIPE_SIGNAL] = "SIGPIPE (nobody reads any more)",
	[PIPE_HANDLER] = "a signal that it raised after SIGPIPE",
};

bool crash_is_of_pipe(const struct crash *crash)
{
	return !strcmp(crash->signal, pipe_texts[PIPE_SIGNAL]) ||
	       !strcmp(crash->signal, pipe_texts[PIPE_HANDLER]);
}

/* Calls of a signal handler that removes its files and raises the signal again.
 */
static const char *const handler_calls[] = {
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "getpid",   "gettid",
	"kill",		"tgkill",	  "unlink",	  "unlinkat",
};

/* Returns the state after the start of the system call @name. */
static enum crash_pipe next_pipe(enum crash_pipe pipe, const char *name)
{
	size_t count = sizeof(handler_calls) / sizeof(*handler_calls);

	for (size_t i = 0; pipe != PIPE_NONE && i < count; i++)
		if (!strcmp(name, handler_calls[i]))
			return PIPE_HANDLER;
	return PIPE_NONE;
}

static bool is_signal_function(const char *base)
{
	return !strncmp(base, force_signal, strlen(force_signal)) ||
	       !strcmp(base, seccomp_check) || !strcmp(base, send_signal);
}

/* Returns whether the caller of the innermost function is one of
 * pipe_writers[].
 */
static bool is_of_pipe(const struct crash_stack *stack,
		       const struct crash_names *names)
{
	for (size_t i = 0; stack->count > 1 &&
			   i < sizeof(pipe_writers) / sizeof(*pipe_writers);
	     i++)
		if (is_kernels(function_of(stack, names, stack->count - 2),
			       pipe_writers[i]))
			return true;
	return false;
}

/* force_sig_seccomp() of kernel/signal.c sends SIGSYS for the call during which
 * it is entered, before the kernel reports the call's number in sys_exit.
 */
void crash_stack_enter(struct crash_stack *stack,
		       const struct crash_names *names, uint32_t function)
{
	const char *base = function_at(names->functions, function)->base;
	const char *call;

	if (!strncmp(base, force_signal, strlen(force_signal)))
		stack->is_forced = true;
	if (!strcmp(base, seccomp_signal)) {
		stack->is_seccomp = true;
		stack->is_number_new = false;
	}
	if (!strcmp(base, seccomp_check))
		stack->is_seccomp = false;
	if (!strcmp(base, send_signal))
		stack->pipe = is_of_pipe(stack, names) ? PIPE_SIGNAL :
							 PIPE_NONE;
	call = arch_system_call(names->arch, base);
	if (!call)
		return;
	stack->is_forced = false;
	stack->is_seccomp = false;
	stack->pipe = next_pipe(stack->pipe, call);
	stack->sender_pid = 0;
	stack->calls[stack->call_count++ % CRASH_CALLS] = function;
}

/* The system calls that send signals. */
static const char *const sending_calls[] = {
	"kill",
	"tkill",
	"tgkill",
	"pidfd_send_signal",
	"rt_sigqueueinfo",
	"rt_tgsigqueueinfo",
};

static bool is_sending_call(const struct crash_names *names,
			    const struct function *function)
{
	const char *call =
		function->space == 'k' ?
			arch_system_call(names->arch, function->base) :
			NULL;

	for (size_t i = 0;
	     call && i < sizeof(sending_calls) / sizeof(*sending_calls); i++)
		if (!strcmp(call, sending_calls[i]))
			return true;
	return false;
}

/* Functions of kernel/signal.c that wake the receiver, with interrupts off:
 * compilers inline all but some of them.
 */
static const char *const waking_functions[] = {
	"send_signal_locked",
	"complete_signal",
	"signal_wake_up_state",
};

static bool is_waking(const struct function *function)
{
	size_t count = sizeof(waking_functions) / sizeof(*waking_functions);

	for (size_t i = 0; i < count; i++)
		if (is_kernels(function, waking_functions[i]))
			return true;
	return false;
}

void crash_stack_wake(struct crash_stack *stack,
		      const struct crash_names *names,
		      const struct path_frame *frames, size_t count,
		      int32_t sender_pid)
{
	bool is_sending = false;

	for (size_t i = 0; i < count; i++) {
		const struct function *function =
			function_at(names->functions, frames[i].function);

		if (is_sending_call(names, function))
			is_sending = true;
		else if (is_sending && is_waking(function))
			stack->sender_pid = sender_pid;
	}
}

bool crash_stack_is_in_signal(const struct crash_stack *stack,
			      const struct crash_names *names)
{
	for (size_t i = 0; i + 1 < stack->count; i++)
		if (is_kernels(function_of(stack, names, i), "get_signal"))
			return true;
	return false;
}

/* Returns the signal of the exception with which the program entered the
 * kernel, according to the first kernel functions on the stack; NULL if it
 * entered the kernel otherwise, or the exception sent no signal.
 */
static const char *exception_of(const struct crash_stack *stack,
				const struct crash_names *names)
{
	for (size_t i = 0; stack->is_forced && i < stack->count; i++) {
		const struct function *function = function_of(stack, names, i);

		for (size_t e = 0; function->space == 'k' &&
				   e < sizeof(exceptions) / sizeof(*exceptions);
		     e++)
			if (strstr(function->base, exceptions[e].handler))
				return exceptions[e].signal;
	}
	return NULL;
}

/* Returns a text about the call that seccomp sent SIGSYS for, or NULL when out
 * of memory.
 */
static char *seccomp_text(const struct crash_stack *stack,
			  const struct crash_names *names)
{
	const char *name = stack->is_number_new ?
				   system_call_number_name(names->arch->arch,
							   false,
							   stack->number) :
				   NULL;
	char *text = NULL;

	if (!name)
		return strdup("SIGSYS by seccomp");
	return asprintf(&text, "SIGSYS by seccomp, in %s", name) < 0 ? NULL :
								       text;
}

static const char sent_text[] = "a signal that was sent to it";

bool crash_is_sent(const struct crash *crash)
{
	return !strcmp(crash->signal, sent_text);
}

/* Returns the text of the signal; NULL when out of memory. Sets *@sender_pid to
 * the sender if the signal has no other known reason.
 */
static char *signal_of(const struct crash_stack *stack,
		       const struct crash_names *names, bool *is_oom,
		       int32_t *sender_pid)
{
	const char *exception = exception_of(stack, names);

	if (exception)
		return strdup(exception);
	if (stack->pipe != PIPE_NONE)
		return strdup(pipe_texts[stack->pipe]);
	if (stack->is_seccomp)
		return seccomp_text(stack, names);
	if (*is_oom) {
		*is_oom = false;
		return strdup("SIGKILL (out of memory)");
	}
	*sender_pid = stack->sender_pid;
	return strdup(sent_text);
}

/* Returns the length of the stack without the kernel functions that handle the
 * signal.
 */
static size_t place_count(const struct crash_stack *stack,
			  const struct crash_names *names)
{
	size_t count = 0;

	while (count < stack->count &&
	       function_of(stack, names, count)->space == 'u')
		count++;
	/* Keep one kernel function, the entry, which is all there is without
	 * user traces.
	 */
	return count < stack->count ? count + 1 : count;
}

static char *path_text(const struct crash_stack *stack,
		       const struct crash_names *names)
{
	size_t count = place_count(stack, names);
	size_t left_out;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	left_out = stack_left_out(count);
	for (size_t i = 0; i < count; i++) {
		bool is_gap = left_out && i == STACK_ENDS;
		const struct stack_gap gap = stack_gap_of(left_out);
		const char *name = is_gap ? gap.text :
					    function_of(stack, names, i)->name;

		if (i)
			fputc(';', out);
		for (; *name; name++)
			fputc(stack_text_char(*name), out);
		i += is_gap ? left_out - 1 : 0;
	}
	fclose(out);
	return text;
}

static char *calls_text(const struct crash_stack *stack,
			const struct crash_names *names)
{
	uint64_t first = stack->call_count > CRASH_CALLS ?
				 stack->call_count - CRASH_CALLS :
				 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (uint64_t i = first; i < stack->call_count; i++)
		fprintf(out, "%s%s", i > first ? ";" : "",
			arch_system_call(
				names->arch,
				function_at(names->functions,
					    stack->calls[i % CRASH_CALLS])
					->name));
	fclose(out);
	return text;
}

int crash_stack_describe(const struct crash_stack *stack,
			 const struct crash_names *names,
			 const struct call_step *step, bool *is_oom,
			 struct crash *crash)
{
	*crash = (struct crash){
		.pid = step->task->pid,
		.tid = step->task->tid,
		.time_ns = step->time_ns,
		.stack = path_text(stack, names),
		.calls = calls_text(stack, names),
	};
	crash->signal = signal_of(stack, names, is_oom, &crash->sender_pid);
	return crash->signal && crash->stack && crash->calls ? 0 :
							       -ERROR_MEMORY;
}

/* report --crashes: the processes that a signal ended, where they crashed, and
 * their last system calls.
 */
struct crashes_table {
	struct event_handler handler;
	struct attribution_input input;
	struct crash_names names;
	const struct task_paths *paths;
	struct array stacks;  /* struct crash_stack by task index */
	struct array ended;   /* int32_t: processes that have started to end */
	struct array crashes; /* struct crash */
	/* of all crashes; NULL: records are not written */
	struct cache_file_writer *writer;
	bool is_oom; /* a process was killed for memory, and has not ended */
	int status;
};

static bool has_ended(const struct crashes_table *table, int32_t pid)
{
	for (size_t i = 0; i < table->ended.count; i++)
		if (*(int32_t *)array_at(&table->ended, i) == pid)
			return true;
	return false;
}

/* Adds @crash to the rows if the filter selects it. Takes ownership of its
 * texts, also on error. Returns 0 or -ERROR_MEMORY.
 */
static int count_crash(struct crashes_table *table, struct crash *crash)
{
	const struct task task = { .tid = crash->tid, .pid = crash->pid };
	bool is_wanted = table_wants(&table->input, &task, crash->time_ns);
	int status = is_wanted ? array_append(&table->crashes, crash) : 0;

	if (!is_wanted || status < 0)
		crash_free(crash);
	return status;
}

static void keep_crash(const struct crashes_table *table, struct crash *crash)
{
	const struct cached_span span =
		cached_span_of(crash->time_ns, crash->time_ns);

	crash_pack(cache_file_writer_pack(table->writer), crash);
	cache_file_writer_add(table->writer, &span);
}

static int consume_crash(struct crashes_table *table,
			 const struct call_step *step,
			 const struct crash_stack *stack)
{
	struct crash crash;

	if (crash_stack_describe(stack, &table->names, step, &table->is_oom,
				 &crash) < 0) {
		crash_free(&crash);
		return -ERROR_MEMORY;
	}
	if (table->writer)
		keep_crash(table, &crash);
	return count_crash(table, &crash);
}

/* Records the crash of a process only once: a signal ends its other threads,
 * too, but only the first thread counts.
 */
static int consume_end(struct crashes_table *table,
		       const struct call_step *step,
		       const struct crash_stack *stack)
{
	const int32_t pid = step->task->pid;

	if (has_ended(table, pid))
		return 0;
	if (array_append(&table->ended, &pid) < 0)
		return -ERROR_MEMORY;
	return crash_stack_is_in_signal(stack, &table->names) ?
		       consume_crash(table, step, stack) :
		       0;
}

static void consume(struct event_handler *handler, const struct call_step *step)
{
	struct crashes_table *table = (struct crashes_table *)handler;
	struct crash_stack *stack;

	if (step->kind != STEP_ENTER)
		return;
	stack = array_reach(&table->stacks, step->task->index);
	if (!stack) {
		table->status = -ERROR_MEMORY;
		return;
	}
	stack->frames =
		task_paths_of(table->paths, step->task->index, &stack->count);
	crash_stack_enter(stack, &table->names, step->function);
	if (crash_names_is_oom(&table->names, step->function))
		table->is_oom = true;
	if (!crash_names_is_end(&table->names, step->function))
		return;
	if (consume_end(table, step, stack) < 0)
		table->status = -ERROR_MEMORY;
}

/* Returns whether crash_stack_enter() or consume() does anything for @function. */
static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	const struct crash_names *names =
		&((const struct crashes_table *)handler)->names;
	const char *base = function_at(names->functions, function)->base;

	return is_signal_function(base) ||
	       arch_system_call(names->arch, base) ||
	       crash_names_is_oom(names, function) ||
	       crash_names_is_end(names, function);
}

static const struct task *task_of(const struct crashes_table *table,
				  const struct event_record *event, int32_t tid)
{
	return task_time_task(
		thread_tracker_time(trackers_threads(table->input.trackers)),
		event->cpu, tid);
}

static void consume_wake(const struct crashes_table *table,
			 const struct event_record *event,
			 struct crash_stack *stack)
{
	const struct task *sender = task_of(table, event, event->tid);
	const struct path_frame *frames;
	size_t count;

	if (!sender)
		return;
	frames = task_paths_of(table->paths, sender->index, &count);
	crash_stack_wake(stack, &table->names, frames, count, sender->pid);
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct crashes_table *table = (struct crashes_table *)handler;
	bool is_wake = event->event == EVENT_SCHED_WAKING;
	const struct task *task;
	struct crash_stack *stack;

	if (!is_wake && event->event != EVENT_SYS_EXIT)
		return;
	task = task_of(table, event,
		       is_wake ? (int32_t)event->values[WAKING_TID] :
				 event->tid);
	stack = task ? array_reach(&table->stacks, task->index) : NULL;
	if (stack && is_wake)
		consume_wake(table, event, stack);
	else if (stack)
		crash_stack_exit_call(stack, event->values[SYSTEM_CALL_NUMBER]);
}

const struct crash *crashes_table_found(const struct event_handler *handler,
					size_t *count)
{
	const struct crashes_table *table =
		(const struct crashes_table *)handler;

	*count = table->crashes.count;
	return table->crashes.items;
}

static void close_table(struct event_handler *handler)
{
	struct crashes_table *table = (struct crashes_table *)handler;

	for (size_t i = 0; i < table->crashes.count; i++)
		crash_free(array_at(&table->crashes, i));
	array_free(&table->stacks);
	array_free(&table->ended);
	array_free(&table->crashes);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct crashes_table *table = (struct crashes_table *)handler;

	table->handler.step = consume;
	table->handler.needs = needs_function;
	if (known_events_has(input->events, EVENT_SYS_EXIT) ||
	    known_events_has(input->events, EVENT_SCHED_WAKING))
		table->handler.event = consume_event;
	table->input = *input;
	table->names = (struct crash_names){
		.functions = symbols_functions(input->symbols),
		.arch = symbols_arch(input->symbols),
	};
	table->stacks = ARRAY_OF(struct crash_stack);
	table->ended = ARRAY_OF(int32_t);
	table->crashes = ARRAY_OF(struct crash);
	table->paths = thread_tracker_paths(trackers_threads(input->trackers));
	return table->paths;
}

static const char *comm_of(const struct column_row *row)
{
	const struct crash *crash = row->fact;

	return task_names_comm(row->input->names, crash->tid, crash->time_ns);
}

#define OF(member) MEMBER(struct crash, member)

static const struct column columns[] = {
	PID_COLUMN(OF(pid)),
	TID_COLUMN(OF(tid)),
	COMM_COLUMN(NAMED(comm_of)),
	NS_COLUMN("time_ns", "time of the event", OF(time_ns)),
	TEXT_COLUMN("signal", "signal that ended the process", OF(signal)),
	STACK_COLUMN(OF(stack)),
	TEXT_COLUMN("calls", "its last calls", OF(calls)),
	END_OF_COLUMNS,
};

/* Prints @list, names separated by semicolons, last one first. */
static void print_backwards(const char *title, const char *list, FILE *out)
{
	const char *end = list + strlen(list);

	while (end > list) {
		const char *begin = end;

		while (begin > list && begin[-1] != ';')
			begin--;
		fprintf(out, "    %-9s ", title);
		name_write_part(out, NAME_TEXT, begin, (size_t)(end - begin));
		fputs("\n", out);
		title = "";
		end = begin > list ? begin - 1 : list;
	}
}

static void print_row(const struct crashes_table *table,
		      const struct crash *crash, FILE *out)
{
	task_label_write(table->input.names, crash->tid, crash->time_ns, out);
	fputs("  ended by ", out);
	name_write(out, NAME_TEXT, crash->signal);
	if (crash->sender_pid) {
		fputs(" by ", out);
		task_label_write(table->input.names, crash->sender_pid,
				 crash->time_ns, out);
	}
	fprintf(out, " at %s s\n",
		moment_text(crash->time_ns, table->input.origin_ns).text);
	print_backwards("at", crash->stack, out);
	print_backwards("calls", crash->calls, out);
	fputs("\n", out);
}

static const struct table_need needs[] = {
	{ .columns = "crashes", .event = RECORDED_KERNEL, .is_all = true },
};

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	const struct crashes_table *table = (struct crashes_table *)handler;
	uint64_t count = table->crashes.count;

	if (table->status < 0)
		return table->status;
	if (output->format != RECORD_TABLE)
		return table_rows_show(output, &(struct table_rows)TABLE_ROWS(
						       &crashes_table, table,
						       &table->crashes));
	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       count, "No process was ended by a signal", output->out);
	for (uint64_t i = 0; i < count && i < output->top; i++)
		print_row(table, array_at(&table->crashes, i), output->out);
	return 0;
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	struct crashes_table *table = (struct crashes_table *)handler;
	struct crash crash = { 0 };

	crash_pack(pack, &crash);
	if (pack->failed)
		crash_free(&crash);
	else if (count_crash(table, &crash) < 0)
		table->status = -ERROR_MEMORY;
}

static const struct table_records records = {
	.name = "crashes",
	.writer = offsetof(struct crashes_table, writer),
	.pack_rest = table_records_refer_to_nothing,
	.consume = consume_record,
	.wanted = table_records_begin_in,
};

const struct attribution_table crashes_table = {
	.name = "crashes",
	.columns = columns,
	.help = "processes ended by a signal: where, and their last calls",
	.size = sizeof(struct crashes_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &records,
};
