/* SPDX-License-Identifier: MIT */
#include "attribution/allowed_cpus.h"

#include "attribution/calls/call_items.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/events/known_events.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/call_data.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/arch/system_call_numbers.h"
#include "symbolize/kernel/kernel_symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MASK_WORDS = 16, /* 1,024 CPUs */
	WORD_BITS = 64,
	MASK_CPUS = MASK_WORDS * WORD_BITS,
	MASK_BYTES = MASK_CPUS / 8,
};

struct cpu_mask {
	uint64_t words[MASK_WORDS];
};

/* From since_ns on, a thread may use the CPUs of a mask. */
struct mask_change {
	uint64_t since_ns;
	uint32_t mask;	   /* its number in masks + 1; 0: unknown */
	uint32_t previous; /* number of its previous change + 1; 0: none */
};

struct thread_cpus {
	int32_t tid;   /* key */
	uint32_t last; /* number of the last change + 1; 0: none */
	uint32_t end;  /* mask at the end, as in struct mask_change */
};

/* A call of sched_setaffinity(2) that has not returned. */
struct affinity_call {
	int32_t tid; /* key: the caller */
	int32_t target;
	bool is_open;
	bool is_native; /* the kernel's function for such calls has begun */
	bool has_mask;
	struct cpu_mask mask;
};

struct allowed_cpus {
	struct event_handler handler;
	struct function_marks *marks;
	struct keyed_array masks;   /* struct cpu_mask */
	struct array changes;	    /* struct mask_change */
	struct keyed_array threads; /* struct thread_cpus */
	struct keyed_array calls;   /* struct affinity_call */
	int64_t number;		    /* of the system call */
	uint64_t unknown_calls;
	bool is_recorded;
	int status;
};

/* Function marks. */
enum { MARK_CALL = 1, MARK_CPUSET = 2 };

/* kernel/sched/syscalls.c, kernel/cgroup/cpuset.c */
static const struct name_rule rules[] = {
	{ "__x64_sys_sched_setaffinity", false, MARK_CALL },
	{ "__ia32_sys_sched_setaffinity", false, MARK_CALL },
	{ "__ia32_compat_sys_sched_setaffinity", false, MARK_CALL },
	{ "__arm64_sys_sched_setaffinity", false, MARK_CALL },
	{ "__arm64_compat_sys_sched_setaffinity", false, MARK_CALL },
	{ "cpuset_write_resmask", false, MARK_CPUSET },
	{ "cpuset_partition_write", false, MARK_CPUSET },
	{ "sched_partition_write", false, MARK_CPUSET },
	{ "cpuset_handle_hotplug", false, MARK_CPUSET },
	{ "cpuset_hotplug_workfn", false, MARK_CPUSET },
};

/* Returns the number of @mask + 1, adding it if it is new; 0 when out of
 * memory.
 */
static uint32_t mask_number(struct allowed_cpus *allowed,
			    const struct cpu_mask *mask)
{
	const struct cpu_mask *found = keyed_array_add(&allowed->masks, mask);
	const struct cpu_mask *first = allowed->masks.items.items;

	if (!found) {
		allowed->status = -ERROR_MEMORY;
		return 0;
	}
	return (uint32_t)(found - first) + 1;
}

/* Returns thread @tid, adding it if it is new; NULL when out of memory. */
static struct thread_cpus *thread_of(struct allowed_cpus *allowed, int32_t tid)
{
	struct thread_cpus *thread = keyed_array_add(
		&allowed->threads, &(struct thread_cpus){ .tid = tid });

	if (!thread)
		allowed->status = -ERROR_MEMORY;
	return thread;
}

/* Returns the mask of @thread now, as in struct mask_change. */
static uint32_t current_of(const struct allowed_cpus *allowed,
			   const struct thread_cpus *thread)
{
	const struct mask_change *change =
		thread && thread->last ?
			array_at(&allowed->changes, thread->last - 1) :
			NULL;

	return change ? change->mask : 0;
}

/* Makes @mask, as in struct mask_change, that of @thread from @time_ns on. */
static void set(struct allowed_cpus *allowed, struct thread_cpus *thread,
		uint32_t mask, uint64_t time_ns)
{
	const struct mask_change change = {
		.since_ns = time_ns,
		.mask = mask,
		.previous = thread ? thread->last : 0,
	};

	if (!thread || array_append(&allowed->changes, &change) < 0)
		allowed->status = -ERROR_MEMORY;
	else
		thread->last = (uint32_t)allowed->changes.count;
}

/* Applies a change that may concern any thread: invariant 2. */
static void doubt_all(struct allowed_cpus *allowed, uint64_t time_ns)
{
	struct thread_cpus *threads = allowed->threads.items.items;

	for (size_t i = 0; i < allowed->threads.items.count; i++) {
		uint32_t current = current_of(allowed, &threads[i]);

		if (current && current != threads[i].end)
			set(allowed, &threads[i], 0, time_ns);
	}
}

/* Applies a call that is not known: invariant 1. */
static void doubt_call(struct allowed_cpus *allowed, uint64_t time_ns)
{
	allowed->unknown_calls++;
	doubt_all(allowed, time_ns);
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct allowed_cpus *allowed = (struct allowed_cpus *)handler;
	struct affinity_call *call;
	uint8_t mark;

	if (step->kind != STEP_ENTER)
		return;
	mark = function_marks_at(allowed->marks, step->function);
	if (mark == MARK_CPUSET)
		doubt_all(allowed, step->time_ns);
	if (mark != MARK_CALL)
		return;
	call = keyed_array_find(&allowed->calls, &step->task->tid);
	if (call && call->is_open)
		call->is_native = true;
	else
		doubt_call(allowed, step->time_ns);
}

static void begin_call(struct allowed_cpus *allowed,
		       const struct event_record *event)
{
	struct affinity_call *call = keyed_array_add(
		&allowed->calls, &(struct affinity_call){ .tid = event->tid });
	int32_t target = (int32_t)event->values[SYSTEM_CALL_ARGUMENT];

	if (call)
		*call = (struct affinity_call){
			.tid = event->tid,
			.target = target ? target : event->tid,
			.is_open = true,
		};
	else
		allowed->status = -ERROR_MEMORY;
}

/* Sets the mask of @call, if all of it was recorded and it has at most MASK_CPUS
 * CPUs.
 */
static void read_mask(struct affinity_call *call,
		      const struct event_record *event,
		      const struct call_data *head)
{
	enum { MASK_ARGUMENT = 2 };
	const struct sideband_sample *sample = &event->sideband->sample;
	struct call_items items = { .bytes = { 0 } };
	struct call_item item;

	if (!call_items_add(&items, head, sample->raw, sample->raw_size) &&
	    call_items_data(&items, MASK_ARGUMENT, &item) &&
	    item.size <= MASK_BYTES && item.size == item.info) {
		memset(&call->mask, 0, sizeof(call->mask));
		for (size_t i = 0; i < item.size; i++)
			call->mask.words[i / 8] |= (uint64_t)item.bytes[i]
						   << i % 8 * 8;
		call->has_mask = true;
	}
	call_items_free(&items);
}

static void consume_data(struct allowed_cpus *allowed,
			 const struct event_record *event)
{
	struct affinity_call *call =
		keyed_array_find(&allowed->calls, &event->tid);
	const struct sideband_sample *sample = &event->sideband->sample;
	struct call_data head;

	if (call && call->is_open &&
	    call_data_read(sample->raw, sample->raw_size, &head) &&
	    head.number == allowed->number && !head.is_exit)
		read_mask(call, event, &head);
}

/* Applies a call that has returned, unless it failed. */
static void end_call(struct allowed_cpus *allowed,
		     const struct event_record *event)
{
	struct affinity_call *call =
		keyed_array_find(&allowed->calls, &event->tid);

	if (!call || !call->is_open)
		return;
	call->is_open = false;
	if (event->values[SYSTEM_CALL_RESULT])
		return;
	if (call->is_native && call->has_mask)
		set(allowed, thread_of(allowed, call->target),
		    mask_number(allowed, &call->mask), event->time_ns);
	else
		doubt_call(allowed, event->time_ns);
}

/* Applies that a thread moves to another cgroup: invariant 3. */
static void move(struct allowed_cpus *allowed, const struct event_record *event)
{
	struct thread_cpus *thread =
		thread_of(allowed, (int32_t)event->values[MOVED_TID]);

	if (thread && current_of(allowed, thread) != thread->end)
		set(allowed, thread, thread->end, event->time_ns);
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct allowed_cpus *allowed = (struct allowed_cpus *)handler;

	if (event->event == EVENT_CGROUP_MOVE)
		move(allowed, event);
	else if (event->event == EVENT_SYS_DATA)
		consume_data(allowed, event);
	else if (event->event == EVENT_SYS_ENTER &&
		 event->values[SYSTEM_CALL_NUMBER] == allowed->number)
		begin_call(allowed, event);
	else if (event->event == EVENT_SYS_EXIT)
		end_call(allowed, event);
}

/* Applies a fork, unless it is one of the records of the tasks that existed at
 * the start, which have no time.
 */
static void consume_record(struct event_handler *handler,
			   const struct sideband_record *record)
{
	struct allowed_cpus *allowed = (struct allowed_cpus *)handler;
	uint32_t mask;

	if (record->kind != SIDEBAND_FORK || !record->time_ns)
		return;
	mask = current_of(allowed, keyed_array_find(&allowed->threads,
						    &record->fork.parent_tid));
	set(allowed, thread_of(allowed, record->tid), mask, record->time_ns);
}

static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	return function_marks_has(((const struct allowed_cpus *)handler)->marks,
				  function);
}

/* Parses a list such as "0-3,8". Returns false if it is none, or has CPUs that
 * a mask cannot have.
 */
static bool parse_cpus(const char *text, struct cpu_mask *mask)
{
	memset(mask, 0, sizeof(*mask));
	for (;;) {
		unsigned int first;
		unsigned int last;
		int length = 0;

		if (sscanf(text, "%4u%n", &first, &length) != 1)
			return false;
		last = first;
		text += length;
		if (*text == '-') {
			if (sscanf(text + 1, "%4u%n", &last, &length) != 1)
				return false;
			text += 1 + length;
		}
		if (last >= MASK_CPUS)
			return false;
		for (; first <= last; first++)
			mask->words[first / WORD_BITS] |= UINT64_C(1)
							  << first % WORD_BITS;
		if (*text != ',')
			return !*text;
		text++;
	}
}

/* Applies a line of a list: "allowed 137 0-3,8". */
static void read_line(struct allowed_cpus *allowed, const char *line,
		      size_t length, bool is_end)
{
	enum { MOST_BYTES = 4096 };
	char text[MOST_BYTES];
	struct thread_cpus *thread;
	struct cpu_mask mask;
	int32_t tid;
	int list = 0;
	uint32_t number;

	if (length >= sizeof(text))
		return;
	memcpy(text, line, length);
	text[length] = '\0';
	if (sscanf(text, "allowed %" SCNd32 " %n", &tid, &list) != 1 || !list ||
	    !parse_cpus(text + list, &mask))
		return;
	number = mask_number(allowed, &mask);
	thread = thread_of(allowed, tid);
	if (!thread)
		return;
	if (!is_end)
		set(allowed, thread, number, 0);
	else
		thread->end = number;
	/* Invariant 4. */
	if (is_end && thread->last && current_of(allowed, thread) != number)
		set(allowed, thread, 0, 0);
}

int allowed_cpus_read(struct allowed_cpus *allowed, const char *text,
		      size_t size, bool is_end)
{
	while (size) {
		const char *line = text;
		size_t length = text_skip_line(&text, &size);

		read_line(allowed, line, length, is_end);
	}
	return allowed->status;
}

static void read_file(struct allowed_cpus *allowed, const char *path,
		      bool is_end)
{
	struct text_file file;

	if (!path || text_file_read(path, NULL, &file) < 0)
		return;
	allowed->is_recorded = true;
	allowed_cpus_read(allowed, file.text, file.size_bytes, is_end);
	text_file_free(&file);
}

/* Returns the number of sched_setaffinity(2) in kernels of @arch; -1: none. */
static int64_t number_of(enum recording_arch arch)
{
	enum { MOST_NUMBERS = 512 };

	for (int64_t number = 0; number < MOST_NUMBERS; number++) {
		const char *name = system_call_number_name(arch, false, number);

		if (name && !strcmp(name, "sched_setaffinity"))
			return number;
	}
	return -1;
}

void allowed_cpus_free(struct allowed_cpus *allowed)
{
	if (!allowed)
		return;
	keyed_array_free(&allowed->masks);
	array_free(&allowed->changes);
	keyed_array_free(&allowed->threads);
	keyed_array_free(&allowed->calls);
	free(allowed->marks);
	free(allowed);
}

struct allowed_cpus *allowed_cpus_new(const struct recording *recording,
				      const struct function_table *functions)
{
	struct allowed_cpus *allowed = calloc(1, sizeof(*allowed));

	if (!allowed)
		return NULL;
	allowed->handler = (struct event_handler){ .step = consume_step,
						   .needs = needs_function,
						   .event = consume_event,
						   .record = consume_record };
	allowed->masks = KEYED_ARRAY_OF(struct cpu_mask, words);
	allowed->changes = ARRAY_OF(struct mask_change);
	allowed->threads = KEYED_ARRAY_OF(struct thread_cpus, tid);
	allowed->calls = KEYED_ARRAY_OF(struct affinity_call, tid);
	allowed->number = number_of(recording ? recording_arch(recording) :
						RECORDING_ARCH_X86_64);
	allowed->marks = function_marks_by_rules(
		functions, rules, sizeof(rules) / sizeof(*rules));
	if (recording) {
		read_file(allowed, recording_cpus_path(recording), false);
		read_file(allowed, recording_cpus_end_path(recording), true);
	}
	if (allowed->marks && !allowed->status)
		return allowed;
	allowed_cpus_free(allowed);
	return NULL;
}

struct event_handler *allowed_cpus_handler(struct allowed_cpus *allowed)
{
	return &allowed->handler;
}

bool allowed_cpus_is_recorded(const struct allowed_cpus *allowed)
{
	return allowed->is_recorded;
}

uint64_t allowed_cpus_unknown_calls(const struct allowed_cpus *allowed)
{
	return allowed->unknown_calls;
}

int allowed_cpus_status(const struct allowed_cpus *allowed)
{
	return allowed->status;
}

void idle_elsewhere_free(struct idle_elsewhere *idle)
{
	array_free(&idle->forbidden);
	array_free(&idle->allowed);
}

/* Returns whether @mask, as in struct mask_change, contains @cpu, or is
 * unknown.
 */
static bool may_contain(const struct allowed_cpus *allowed, uint32_t mask,
			uint32_t cpu)
{
	const struct cpu_mask *found =
		mask ? array_at(&allowed->masks.items, mask - 1) : NULL;

	return !found || cpu >= MASK_CPUS ||
	       found->words[cpu / WORD_BITS] >> cpu % WORD_BITS & 1;
}

int idle_elsewhere_add(struct idle_elsewhere *idle,
		       const struct allowed_cpus *allowed, int32_t tid,
		       uint32_t cpu, struct time_window window)
{
	const struct thread_cpus *thread =
		keyed_array_find(&allowed->threads, &tid);
	uint32_t number = thread ? thread->last : 0;
	int status = 0;

	while (!status && window.since_ns < window.until_ns) {
		const struct mask_change *change =
			number ? array_at(&allowed->changes, number - 1) : NULL;
		struct time_window part = window;

		if (change && change->since_ns > part.since_ns)
			part.since_ns = change->since_ns;
		if (part.since_ns < part.until_ns) {
			bool may_run = may_contain(
				allowed, change ? change->mask : 0, cpu);

			status = array_append(may_run ? &idle->allowed :
							&idle->forbidden,
					      &part);
			window.until_ns = part.since_ns;
		}
		number = change ? change->previous : 0;
	}
	return status;
}

int idle_elsewhere_forbidden(struct idle_elsewhere *idle, struct array *parts)
{
	const struct time_window *allowed;
	uint64_t done_ns = 0; /* all before has been appended or is allowed */
	size_t next = 0;
	int status = 0;

	array_sort_by(&idle->forbidden,
		      KEYS(RISING(struct time_window, since_ns)));
	array_sort_by(&idle->allowed,
		      KEYS(RISING(struct time_window, since_ns)));
	allowed = idle->allowed.items;
	for (size_t i = 0; i < idle->forbidden.count && !status; i++) {
		struct time_window left =
			*(struct time_window *)array_at(&idle->forbidden, i);

		if (left.since_ns < done_ns)
			left.since_ns = done_ns;
		for (; next < idle->allowed.count &&
		       allowed[next].since_ns < left.until_ns && !status;
		     next++) {
			const struct time_window part = {
				left.since_ns, allowed[next].since_ns
			};

			if (part.since_ns < part.until_ns)
				status = array_append(parts, &part);
			if (left.since_ns < allowed[next].until_ns)
				left.since_ns = allowed[next].until_ns;
		}
		if (left.since_ns < left.until_ns && !status)
			status = array_append(parts, &left);
		done_ns = left.since_ns > left.until_ns ? left.since_ns :
							  left.until_ns;
	}
	return status;
}
