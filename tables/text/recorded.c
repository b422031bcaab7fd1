/* SPDX-License-Identifier: MIT */
#include "tables/text/recorded.h"

#include "attribution/attribution_input.h"
#include "decoder/recording/tracepoint.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Sets of record --events, in the order of their names in a list. */
enum set {
	SET_SCHED,
	SET_ATTRIBUTION, /* includes all of sched, as does locks */
	SET_LOCKS,
	SET_SYSCALLS,
	SET_FAULTS,
	SET_IDLE,
	SETS,
};

static const char *const set_names[SETS] = {
	[SET_SCHED] = "sched",	 [SET_ATTRIBUTION] = "attribution",
	[SET_LOCKS] = "locks",	 [SET_SYSCALLS] = "syscalls",
	[SET_FAULTS] = "faults", [SET_IDLE] = "idle",
};

/* The set that has an event, and the Linux version that added it
 * (include/trace/events/).
 */
static const struct origin {
	uint8_t set; /* enum set */
	/* 0x0513: Linux 5.19; 0: in every version that has perf's AUX area */
	uint16_t since;
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
	[EVENT_KSWAPD_WAKE] = { SET_ATTRIBUTION, 0, false },
	[EVENT_CGROUP_MOVE] = { SET_SCHED, 0, false },
	[EVENT_CPU_IDLE] = { SET_IDLE, 0, false },
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
	if (need->event == RECORDED_FUNCTIONS)
		return recorded->has_functions;
	if (need->event == RECORDED_USER_STACKS)
		return recorded->has_user_stacks || recorded->has_user;
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
	case SET_IDLE:
		return has_event(recorded, EVENT_CPU_IDLE);
	case SETS:
		break;
	}
	return false;
}

/* Why the traced kernel cannot write an event. */
enum lack {
	LACK_NONE, /* it can */
	LACK_ON_ARM,
	LACK_BEFORE, /* a later version added it */
	LACK_IN_BUILD,
};

static enum lack lack_of(const struct recorded *recorded, int event)
{
	const struct origin *origin = &origins[event];

	if (origin->is_x86_only && (recorded->arch == RECORDING_ARCH_ARM64 ||
				    recorded->arch == RECORDING_ARCH_ARM))
		return LACK_ON_ARM;
	if (origin->since && recorded->linux_version &&
	    recorded->linux_version < origin->since)
		return LACK_BEFORE;
	if (event != EVENT_SCHED_SWITCH &&
	    has_set(recorded, (enum set)origin->set) &&
	    recorded->recorder == RECORDER_OURS)
		return LACK_IN_BUILD;
	return LACK_NONE;
}

static void write_lack(const struct recorded *recorded, int event, FILE *out)
{
	uint16_t since = origins[event].since;
	const char *name = known_event_name((enum known_event)event);

	switch (lack_of(recorded, event)) {
	case LACK_NONE:
		break;
	case LACK_ON_ARM:
		fprintf(out, "Arm's kernels have no %s", name);
		break;
	case LACK_BEFORE:
		fprintf(out, "Linux %u.%u has no %s, which came with %u.%u",
			recorded->linux_version >> 8,
			recorded->linux_version & 255, name,
			(unsigned int)since >> 8, since & 255U);
		break;
	case LACK_IN_BUILD:
		fprintf(out, "the traced kernel has no %s", name);
		break;
	}
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

/* Returns whether an option of record records @need and can be combined with the
 * options for other needs.
 */
static bool can_be_added(const struct recorded *recorded, int need)
{
	return need == RECORDED_USER_STACKS || need == EVENT_SYS_DATA ||
	       (need < KNOWN_EVENTS && lack_of(recorded, need) == LACK_NONE);
}

/* A list of needs that one command records. */
struct wanted {
	const struct recorded *recorded;
	bool events[KNOWN_EVENTS];
	bool has_events; /* events has at least one event */
	bool has_user_stacks;
	bool has_call_data;
};

static struct wanted wanted_of(const struct recorded *recorded,
			       const struct table_need *needs, size_t count)
{
	struct wanted wanted = { .recorded = recorded };

	for (size_t i = 0; i < count; i++) {
		if (!can_be_added(recorded, needs[i].event))
			continue;
		if (needs[i].event == RECORDED_USER_STACKS) {
			wanted.has_user_stacks = true;
		} else if (needs[i].event == EVENT_SYS_DATA) {
			wanted.has_call_data = true;
		} else {
			wanted.events[needs[i].event] = true;
			wanted.has_events = true;
		}
	}
	return wanted;
}

/* Writes the names of the events, each after a @comma except the first. */
static void write_names(const struct wanted *wanted, const char *comma,
			FILE *out)
{
	const char *separator = "";

	for (int i = 0; i < KNOWN_EVENTS; i++) {
		if (!wanted->events[i])
			continue;
		fprintf(out, "%s%s", separator,
			known_event_name((enum known_event)i));
		separator = comma;
	}
}

/* Writes "--events=LIST": the recording's sets and those of the events. */
static void write_events(const struct wanted *wanted, FILE *out)
{
	bool wants[SETS];
	const char *comma = "";

	for (int i = 0; i < SETS; i++)
		wants[i] = has_set(wanted->recorded, (enum set)i);
	for (int i = 0; i < KNOWN_EVENTS; i++)
		if (wanted->events[i])
			wants[origins[i].set] = true;
	if (wants[SET_ATTRIBUTION] || wants[SET_LOCKS])
		wants[SET_SCHED] = false;
	fputs(" --events=", out);
	for (int i = 0; i < SETS; i++) {
		if (!wants[i])
			continue;
		fprintf(out, "%s%s", comma, set_names[i]);
		comma = ",";
	}
}

/* Returns whether --events chose more than record's default. */
static bool has_more_than_default(const struct recorded *recorded)
{
	for (int i = 0; i < SETS; i++)
		if (i != SET_SCHED && has_set(recorded, (enum set)i))
			return true;
	return false;
}

/* Writes "the recording has no EVENTS (record --events=LIST)". */
static void write_reason(const struct wanted *wanted, FILE *out)
{
	enum recorder recorder = wanted->recorded->recorder;
	bool is_cut = recorder == RECORDER_TRACE_CMD && wanted->has_events;

	if (is_cut) {
		fputs("only functions and switches of a trace.dat are read (",
		      out);
	} else {
		fputs("the recording has no ", out);
		write_names(wanted, ", ", out);
		if (wanted->has_user_stacks)
			fprintf(out, "%suser stacks at system calls",
				wanted->has_events ? ", " : "");
		if (wanted->has_call_data)
			fprintf(out, "%sdata of system calls",
				wanted->has_events || wanted->has_user_stacks ?
					", " :
					"");
		fputs(" (", out);
	}
	if (recorder == RECORDER_PERF && wanted->has_events) {
		fputs("perf record -e ", out);
		write_names(wanted, ",", out);
		fputs(", or ", out);
	}
	if (recorder != RECORDER_OURS)
		fputs("ktrace-hw ", out);
	fputs("record", out);
	if (wanted->has_events || has_more_than_default(wanted->recorded))
		write_events(wanted, out);
	fprintf(out, "%s%s)", wanted->has_user_stacks ? " --user-stacks" : "",
		wanted->has_call_data ? " --syscall-data" : "");
}

/* Writes the first sentence about a need that requires a command of its own,
 * because no option adds it to another command.
 */
static void write_alone(const struct recorded *recorded,
			const struct table_need *need, FILE *out)
{
	fprintf(out, "Not recorded: %s: ", need->columns);
	if (need->event == RECORDED_KERNEL || need->event == RECORDED_FUNCTIONS)
		write_kernel_reason(recorded, out);
	else if (need->event == EVENT_CALL_ARGUMENTS)
		fputs("no function was chosen (record --args=LIST)", out);
	else if (need->event == RECORDED_TRIGGERS)
		fputs("the recording has no triggers (record --trigger=SPEC)",
		      out);
	else
		write_lack(recorded, need->event, out);
	fputs(".\n", out);
}

/* Returns whether an earlier need of the same command has the columns of need
 * @index.
 */
static bool is_named(const struct recorded *recorded,
		     const struct table_need *needs, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (can_be_added(recorded, needs[i].event) &&
		    !strcmp(needs[i].columns, needs[index].columns))
			return true;
	return false;
}

void recorded_missing_all(const struct recorded *recorded,
			  const struct table_need *needs, size_t count,
			  FILE *out)
{
	const struct wanted wanted = wanted_of(recorded, needs, count);
	const char *comma = "Not recorded: ";

	for (size_t i = 0; i < count; i++)
		if (!can_be_added(recorded, needs[i].event))
			write_alone(recorded, &needs[i], out);
	if (!wanted.has_events && !wanted.has_user_stacks &&
	    !wanted.has_call_data)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!can_be_added(recorded, needs[i].event) ||
		    is_named(recorded, needs, i))
			continue;
		fprintf(out, "%s%s", comma, needs[i].columns);
		comma = ", ";
	}
	fputs(": ", out);
	write_reason(&wanted, out);
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
	recorded_missing_all(recorded, need, 1, out);
	fclose(out);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/* Maximum number of needs of a table. */
enum { MOST_NEEDS = 16 };

bool recorded_explain(const struct recorded *recorded,
		      const struct table_need *needs, size_t count, FILE *out)
{
	struct table_need missing[MOST_NEEDS];
	size_t missing_count = 0;

	assert(count <= MOST_NEEDS);
	for (size_t i = 0; i < count; i++) {
		if (recorded_has(recorded, &needs[i]))
			continue;
		if (needs[i].is_all) {
			recorded_missing_all(recorded, &needs[i], 1, out);
			return false;
		}
		missing[missing_count++] = needs[i];
	}
	recorded_missing_all(recorded, missing, missing_count, out);
	return true;
}

static bool can_have_rows(const struct recorded *recorded,
			  const struct table_need *needs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (needs[i].is_all && !recorded_has(recorded, &needs[i]))
			return false;
	return true;
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
	fprintf(out, "%s%s%s.\n", none,
		chooses(input) ? " by the tasks, on the CPUs and in the time "
				 "that your options choose" :
				 "",
		attribution_input_has_losses(input) ?
			", in the records that were not lost" :
			"");
}

static void write_losses(const struct attribution_input *input, FILE *out)
{
	if (attribution_input_has_losses(input))
		fprintf(out,
			"Incomplete: %" PRIu64 " records of events were lost, "
			"so rows may be missing.\n",
			recording_counts(input->recording)->lost_records);
}

void recorded_table(const struct attribution_input *input,
		    const struct table_need *needs, size_t count, uint64_t rows,
		    const char *none, FILE *out)
{
	struct recorded recorded = recorded_of(input->recording, input->events);

	if (!rows && can_have_rows(&recorded, needs, count))
		recorded_none(input, none, out);
	recorded_explain(&recorded, needs, count, out);
	write_losses(input, out);
}
