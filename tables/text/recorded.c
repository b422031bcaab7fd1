/* SPDX-License-Identifier: MIT */
#include "tables/text/recorded.h"

#include "attribution/attribution_input.h"
#include "decoder/recording/graph_trace.h"

#include <string.h>

/* Sets of record --events, in the order of their names in a list. */
enum set {
	SET_SCHED,
	SET_ATTRIBUTION, /* includes all of sched, as does locks */
	SET_LOCKS,
	SET_SYSCALLS,
	SET_FAULTS,
	SETS,
};

static const char *const set_names[SETS] = {
	[SET_SCHED] = "sched",	 [SET_ATTRIBUTION] = "attribution",
	[SET_LOCKS] = "locks",	 [SET_SYSCALLS] = "syscalls",
	[SET_FAULTS] = "faults",
};

/* The set that has an event, and the Linux version that added it
 * (include/trace/events/).
 */
static const struct origin {
	uint8_t set;	/* enum set */
	uint16_t since; /* 0x0513: Linux 5.19; 0: older than perf's AUX */
	bool is_x86_only;
} origins[KNOWN_EVENTS] = {
	[EVENT_SCHED_SWITCH] = { SET_SCHED, 0, false },
	[EVENT_SCHED_WAKING] = { SET_SCHED, 0, false },
	[EVENT_SCHED_WAKEUP_NEW] = { SET_SCHED, 0, false },
	[EVENT_IRQ_ENTRY] = { SET_ATTRIBUTION, 0, false },
	[EVENT_SOFTIRQ_RAISE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_TASKLET_ENTRY] = { SET_ATTRIBUTION, 0x0604, false },
	[EVENT_SYS_ENTER] = { SET_SYSCALLS, 0, false },
	[EVENT_SYS_EXIT] = { SET_SYSCALLS, 0, false },
	[EVENT_PAGE_FAULT_USER] = { SET_FAULTS, 0, true },
	[EVENT_NET_RECEIVE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_NET_RX] = { SET_ATTRIBUTION, 0, false },
	[EVENT_GRO_RECEIVE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_NAPI_POLL] = { SET_ATTRIBUTION, 0, false },
	[EVENT_NET_QUEUE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_NET_XMIT] = { SET_ATTRIBUTION, 0, false },
	[EVENT_SKB_COPY] = { SET_ATTRIBUTION, 0, false },
	[EVENT_SKB_CONSUME] = { SET_ATTRIBUTION, 0, false },
	[EVENT_SKB_FREE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_SOCKET_READY] = { SET_ATTRIBUTION, 0x0603, false },
	[EVENT_SOCKET_SENT] = { SET_ATTRIBUTION, 0x0603, false },
	[EVENT_SOCKET_TAKEN] = { SET_ATTRIBUTION, 0x0603, false },
	[EVENT_SOCKET_STATE] = { SET_ATTRIBUTION, 0x0410, false },
	[EVENT_LOCK_BEGIN] = { SET_LOCKS, 0x0513, false },
	[EVENT_LOCK_END] = { SET_LOCKS, 0x0513, false },
	[EVENT_FILE_FLOCK] = { SET_LOCKS, 0, false },
	[EVENT_FILE_POSIX] = { SET_LOCKS, 0, false },
	[EVENT_BIO_QUEUE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_BIO_REMAP] = { SET_ATTRIBUTION, 0, false },
	[EVENT_BIO_COMPLETE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_REQUEST_COMPLETE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_WORK_QUEUE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_WORK_BEGIN] = { SET_ATTRIBUTION, 0, false },
	[EVENT_TIMER_START] = { SET_ATTRIBUTION, 0, false },
	[EVENT_TIMER_CANCEL] = { SET_ATTRIBUTION, 0, false },
	[EVENT_TIMER_EXPIRE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_HRTIMER_START] = { SET_ATTRIBUTION, 0, false },
	[EVENT_HRTIMER_CANCEL] = { SET_ATTRIBUTION, 0, false },
	[EVENT_HRTIMER_EXPIRE] = { SET_ATTRIBUTION, 0, false },
};

static uint32_t version_of(const char *release)
{
	unsigned int major;
	unsigned int minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2 || major > 255)
		return 0;
	return major << 8 | (minor > 255 ? 255 : minor);
}

static enum recorder recorder_of(const struct recording *recording)
{
	const char *version = recording_info(recording)->version;

	if (!strcmp(version, "trace-cmd"))
		return RECORDER_TRACE_CMD;
	return strncmp(version, "ktrace-hw", 9) == 0 ? RECORDER_OURS :
						       RECORDER_PERF;
}

struct recorded recorded_of(const struct recording *recording,
			    const struct known_events *events)
{
	bool is_graph = recording_trace(recording) ==
			RECORDING_TRACE_FUNCTION_GRAPH;
	struct recorded recorded = {
		.recorder = recorder_of(recording),
		.arch = recording_arch(recording),
		.linux_version =
			version_of(recording_info(recording)->os_release),
		.has_user = recording_traces_user(recording),
		.has_user_stacks = known_events_has_user_stacks(events),
	};

	if (recording_trace(recording) == RECORDING_TRACE_NONE)
		recorded.has_functions = false;
	else
		recorded.has_functions =
			!is_graph ||
			recording_graph_trace(recording)->has_functions;
	recorded.has_kernel = recorded.has_functions &&
			      recording_traces_kernel(recording);
	if (is_graph && recording_graph_trace(recording)->ids[GRAPH_SWITCH])
		recorded.events |= UINT64_C(1) << EVENT_SCHED_SWITCH;
	for (int i = 0; i < KNOWN_EVENTS; i++)
		if (known_events_has(events, (enum known_event)i))
			recorded.events |= UINT64_C(1) << i;
	return recorded;
}

static bool has_event(const struct recorded *recorded, int event)
{
	return recorded->events >> event & 1;
}

bool recorded_has(const struct recorded *recorded,
		  const struct table_need *need)
{
	if (need->event == RECORDED_KERNEL)
		return recorded->has_kernel;
	if (need->event == RECORDED_USER_STACKS)
		return recorded->has_user_stacks;
	if (need->event == RECORDED_TRIGGERS)
		return false;
	return has_event(recorded, need->event) ||
	       (need->or_event && has_event(recorded, need->or_event));
}

/* Returns whether record was run with @set, judging by events that every kernel
 * has.
 */
static bool has_set(const struct recorded *recorded, enum set set)
{
	switch (set) {
	case SET_SCHED:
		return has_event(recorded, EVENT_SCHED_WAKING);
	case SET_ATTRIBUTION:
		return has_event(recorded, EVENT_WORK_QUEUE) &&
		       has_event(recorded, EVENT_HRTIMER_EXPIRE);
	case SET_LOCKS:
		return has_event(recorded, EVENT_FILE_FLOCK) ||
		       has_event(recorded, EVENT_LOCK_BEGIN);
	case SET_SYSCALLS:
		return has_event(recorded, EVENT_SYS_EXIT);
	case SET_FAULTS:
		return has_event(recorded, EVENT_PAGE_FAULT_USER);
	case SETS:
		break;
	}
	return false;
}

/* Writes "--events=LIST": the recording's sets and @wanted. */
static void write_events(const struct recorded *recorded, enum set wanted,
			 FILE *out)
{
	bool wants[SETS];
	const char *comma = "";

	for (int i = 0; i < SETS; i++)
		wants[i] = i == (int)wanted || has_set(recorded, (enum set)i);
	if (wants[SET_ATTRIBUTION] || wants[SET_LOCKS])
		wants[SET_SCHED] = false;
	fputs("--events=", out);
	for (int i = 0; i < SETS; i++) {
		if (!wants[i])
			continue;
		fprintf(out, "%s%s", comma, set_names[i]);
		comma = ",";
	}
}

/* Writes why the traced kernel cannot write @event. Returns false if it can. */
static bool write_lack(const struct recorded *recorded, int event, FILE *out)
{
	const struct origin *origin = &origins[event];
	const char *name = known_event_name((enum known_event)event);

	if (origin->is_x86_only && (recorded->arch == RECORDING_ARCH_ARM64 ||
				    recorded->arch == RECORDING_ARCH_ARM))
		fprintf(out, "Arm's kernels have no %s", name);
	else if (origin->since && recorded->linux_version &&
		 recorded->linux_version < origin->since)
		fprintf(out, "Linux %u.%u has no %s, which came with %u.%u",
			recorded->linux_version >> 8,
			recorded->linux_version & 255, name,
			(unsigned int)origin->since >> 8, origin->since & 255U);
	else if (event != EVENT_SCHED_SWITCH &&
		 has_set(recorded, (enum set)origin->set) &&
		 recorded->recorder == RECORDER_OURS)
		fprintf(out, "the traced kernel has no %s", name);
	else
		return false;
	return true;
}

static void write_event_reason(const struct recorded *recorded, int event,
			       FILE *out)
{
	const char *name = known_event_name((enum known_event)event);

	if (write_lack(recorded, event, out))
		return;
	if (recorded->recorder == RECORDER_TRACE_CMD) {
		fprintf(out,
			"only functions and switches of a trace.dat are read "
			"(ktrace-hw record ");
	} else {
		fprintf(out, "the recording has no %s (", name);
		if (recorded->recorder == RECORDER_PERF)
			fprintf(out, "perf record -e %s, or ktrace-hw ", name);
		fputs("record ", out);
	}
	write_events(recorded, (enum set)origins[event].set, out);
	fputs(")", out);
}

/* Writes why no kernel function was traced. */
static void write_kernel_reason(const struct recorded *recorded, FILE *out)
{
	if (recorded->has_functions)
		fputs("the kernel was not traced (perf record -e intel_pt//k, "
		      "or ktrace-hw record)",
		      out);
	else if (recorded->recorder == RECORDER_TRACE_CMD)
		fputs("the recording has no functions (trace-cmd record -p "
		      "function_graph)",
		      out);
	else
		fputs("the recording has no trace (ktrace-hw record)", out);
}

void recorded_missing(const struct recorded *recorded,
		      const struct table_need *need, FILE *out)
{
	fprintf(out, "Not recorded: %s: ", need->columns);
	if (need->event == RECORDED_KERNEL)
		write_kernel_reason(recorded, out);
	else if (need->event == RECORDED_USER_STACKS)
		fputs("the recording has no user stacks at system calls "
		      "(record --user-stacks)",
		      out);
	else if (need->event == RECORDED_TRIGGERS)
		fputs("the recording has no triggers (record --trigger=SPEC)",
		      out);
	else
		write_event_reason(recorded, need->event, out);
	fputs(".\n", out);
}

char *recorded_missing_text(const struct recorded *recorded,
			    const struct table_need *need)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	recorded_missing(recorded, need, out);
	fclose(out);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

bool recorded_explain(const struct recorded *recorded,
		      const struct table_need *needs, size_t count, FILE *out)
{
	bool has_rows = true;

	for (size_t i = 0; i < count && has_rows; i++) {
		if (recorded_has(recorded, &needs[i]))
			continue;
		recorded_missing(recorded, &needs[i], out);
		has_rows = !needs[i].is_all;
	}
	return has_rows;
}

static bool chooses(const struct attribution_input *input)
{
	return (input->filter && (step_filter_has_tasks(input->filter) ||
				  input->filter->cpu_count)) ||
	       input->window.since_ns || input->window.until_ns != UINT64_MAX;
}

void recorded_none(const struct attribution_input *input, const char *none,
		   FILE *out)
{
	fprintf(out, "%s%s.\n", none,
		chooses(input) ? " by the tasks, on the CPUs and in the time "
				 "that your options choose" :
				 "");
}

void recorded_table(const struct attribution_input *input,
		    const struct table_need *needs, size_t count, uint64_t rows,
		    const char *none, FILE *out)
{
	struct recorded recorded = recorded_of(input->recording, input->events);

	if (recorded_explain(&recorded, needs, count, out) && !rows)
		recorded_none(input, none, out);
}
