/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_set.h"

#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/trigger/bpf_program.h"
#include "collector/trigger/function_names_internal.h"
#include "collector/trigger/probe_events.h"
#include "common/error.h"
#include "common/files/regular_file.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Arms triggers one by one. A trigger that cannot be armed is refused with a
 * reason in the log (refuse()), and the others stay armed. Common parts come
 * first: descriptors that are closed at the end, maps, events, the loading of
 * programs; then the kinds: on existing events (tracepoints, signals, named
 * pipes), and on probes.
 *
 * A program decides in the kernel whether an event is a hit, and reports hits
 * to an event that wakes the recorder at once. All CPUs share the programs, so
 * a program finds the event of its CPU in a map.
 */

/* The capacity of maps with tasks as keys, and with numbers as keys. */
enum { TASKS_AT_ONCE = 16384, PROCESSES = 1024 };

/* Logs that the trigger is ignored, and why. */
static int refuse(const struct trigger_arming *arming, const char *format, ...)
{
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (*arming->trigger->spec.text)
		log_message(arming->setup->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "%s='%s': %s%s", arming->setup->option,
			    arming->trigger->spec.text, text,
			    arming->setup->sequel);
	else
		log_message(arming->setup->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "%s: %s%s", arming->setup->option, text,
			    arming->setup->sequel);
	return -1;
}

int trigger_refuse_errno(const struct trigger_arming *arming, const char *what)
{
	if (errno == EPERM || errno == EACCES)
		return refuse(arming,
			      "%s: not permitted: record as root "
			      "(needs CAP_BPF, CAP_PERFMON and "
			      "tracefs, and a kernel that is not "
			      "locked down)",
			      what);
	return refuse(arming, "%s: %s", what, strerror(errno));
}

/* Stores @fd to close it at the end; if it is -1, refuses the trigger because
 * of errno.
 */
static int keep_fd(const struct trigger_arming *arming, int fd,
		   const char *what)
{
	if (fd < 0)
		return trigger_refuse_errno(arming, what);
	if (array_append(&arming->set->fds, &fd) < 0)
		return refuse(arming, "out of memory");
	return 0;
}

int trigger_map(const struct trigger_arming *arming, enum bpf_map_type type,
		size_t key_bytes, size_t value_bytes, size_t entries, int *map)
{
	*map = bpf_map_new(type, key_bytes, value_bytes, entries);
	return keep_fd(arming, *map, "a BPF map");
}

int trigger_task_map(const struct trigger_arming *arming, int *map)
{
	return trigger_map(arming, BPF_MAP_TYPE_HASH, sizeof(uint64_t),
			   sizeof(struct trigger_begin), TASKS_AT_ONCE, map);
}

int trigger_process_map(const struct trigger_arming *arming, int *map)
{
	return trigger_map(arming, BPF_MAP_TYPE_HASH, sizeof(uint32_t),
			   sizeof(uint32_t), PROCESSES, map);
}

/* Adds @spec as number *@index and opens its events. @what describes them, for
 * the message if the kernel refuses.
 */
static int open_events(const struct trigger_arming *arming,
		       struct event_spec spec, const char *what, size_t *index)
{
	const struct trigger_setup *setup = arming->setup;
	int added = event_list_add(setup->events, spec);

	if (added < 0)
		return refuse(arming, "out of memory");
	*index = (size_t)added;
	if (setup->open(setup->context, *index))
		return trigger_refuse_errno(arming, what);
	return 0;
}

/* Stores the CPUs' events in the map, an array indexed by CPU. */
static int fill_hits(const struct trigger_arming *arming, size_t spec)
{
	const struct trigger_setup *setup = arming->setup;
	int map = arming->trigger->maps.hits;

	for (size_t i = 0; i < setup->cpu_count; i++) {
		const struct event *event =
			event_list_find(setup->events, spec, setup->cpus[i]);

		if (event && bpf_map_set(map, &event->cpu, &event->fd))
			return trigger_refuse_errno(arming, "a BPF map");
	}
	return 0;
}

int trigger_output_map(const struct trigger_arming *arming,
		       struct event_spec output)
{
	const struct trigger_setup *setup = arming->setup;
	struct trigger *trigger = arming->trigger;
	int last = 0;

	for (size_t i = 0; i < setup->cpu_count; i++)
		if (setup->cpus[i] > last)
			last = setup->cpus[i];
	if (open_events(arming, output, "a BPF output event",
			&trigger->hit_spec))
		return -1;
	trigger->has_events = true;
	if (trigger_map(arming, BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(int),
			sizeof(int), (size_t)last + 1, &trigger->maps.hits))
		return -1;
	return fill_hits(arming, trigger->hit_spec);
}

/* Opens the event that receives the trigger's reports, and creates the map
 * through which programs find it.
 */
static int hits_map(const struct trigger_arming *arming)
{
	char name[64];

	snprintf(name, sizeof(name), "trigger:%s", arming->trigger->spec.text);
	return trigger_output_map(arming,
				  event_spec_bpf_output(name, RING_HITS));
}

int trigger_open_probe(const struct trigger_arming *arming, size_t number,
		       bool is_return, enum event_aux_action action,
		       size_t *spec)
{
	const struct trigger_setup *setup = arming->setup;
	struct event_spec probe;
	char name[PROBE_NAME_SIZE];
	uint64_t id;

	probe_event_name(number, is_return, name);
	if (tracefs_id(name, &id)) {
		errno = ENOENT;
		return trigger_refuse_errno(arming, "a probe");
	}
	probe = event_spec_tracepoint(name, id, EVENT_OF_CPUS);
	probe.ring = RING_NONE;
	if (action && setup->can_pause)
		event_spec_act(&probe, setup->trace_spec, action);
	return open_events(arming, probe, "a probe's perf event", spec);
}

static int load(const struct trigger_arming *arming, enum bpf_prog_type type,
		const struct bpf_code *code)
{
	char why[200];
	int program = bpf_program_load(type, code, why, sizeof(why));

	if (program < 0 && *why)
		return refuse(arming,
			      "the kernel refuses a BPF "
			      "program: %s",
			      why);
	return keep_fd(arming, program, "a BPF program") ? -1 : program;
}

/* Attaches the program through the event of one CPU: it then runs at the probe
 * on all CPUs.
 */
int trigger_attach(const struct trigger_arming *arming, size_t spec,
		   const struct bpf_code *code)
{
	const struct trigger_setup *setup = arming->setup;
	const struct event *event =
		event_list_find(setup->events, spec, setup->cpus[0]);
	int program = load(arming, BPF_PROG_TYPE_KPROBE, code);

	if (program < 0)
		return -1;
	if (!event)
		errno = ENOENT;
	/* Enabled only now: without the program each call would be a hit. */
	if (event && !ioctl(event->fd, PERF_EVENT_IOC_SET_BPF, program) &&
	    !event_list_control(setup->events, spec, PERF_EVENT_IOC_ENABLE,
				NULL))
		return 0;
	return trigger_refuse_errno(arming, "a BPF program at a probe");
}

int trigger_attach_raw(const struct trigger_arming *arming, const char *name,
		       const struct bpf_code *code)
{
	int program = load(arming, BPF_PROG_TYPE_RAW_TRACEPOINT, code);

	if (program < 0)
		return -1;
	return keep_fd(arming, bpf_raw_tracepoint_open(name, program), name);
}

int trigger_forget_dead(const struct trigger_arming *arming, int map)
{
	struct bpf_code code = { .count = 0 };

	trigger_program_forget(&code, map);
	return trigger_attach_raw(arming, "sched_process_free", &code);
}

/* The triggers based on existing events: tracepoints, signals, named pipes. */

static int set_filter(const struct trigger_arming *arming)
{
	const struct trigger *trigger = arming->trigger;
	const char *name = trigger->spec.name;
	int system = (int)strcspn(name, ":");

	if (!trigger->spec.filter[0] ||
	    !event_list_control(arming->setup->events, trigger->hit_spec,
				PERF_EVENT_IOC_SET_FILTER,
				(void *)(uintptr_t)trigger->spec.filter))
		return 0;
	return refuse(arming,
		      "the kernel refuses the filter '%s': the fields "
		      "are in %s/events/%.*s/%s/format",
		      trigger->spec.filter, tracefs_folder(), system, name,
		      name + system + 1);
}

static int arm_tracepoint(const struct trigger_arming *arming)
{
	const struct trigger_setup *setup = arming->setup;
	struct trigger *trigger = arming->trigger;
	struct event_spec spec;
	uint64_t id;

	if (tracefs_id(trigger->spec.name, &id))
		return refuse(arming,
			      "the kernel has no tracepoint %s, or "
			      "tracefs cannot be read (root can)",
			      trigger->spec.name);
	spec = event_spec_tracepoint(trigger->spec.name, id, EVENT_OF_CPUS);
	spec.ring = RING_HITS;
	spec.attr.wakeup_watermark = 1;
	spec.attr.disabled = 0;
	if (setup->can_pause)
		event_spec_act(&spec, setup->trace_spec, AUX_PAUSE);
	if (open_events(arming, spec, trigger->spec.name, &trigger->hit_spec))
		return -1;
	trigger->has_events = true;
	if (!set_filter(arming))
		return 0;
	event_list_control(setup->events, trigger->hit_spec,
			   PERF_EVENT_IOC_DISABLE, NULL);
	trigger->has_events = false;
	return -1;
}

static int arm_signal(const struct trigger_arming *arming)
{
	const struct trigger_condition condition = {
		.test = TEST_SIGNAL,
		.signals = arming->trigger->spec.signals,
	};
	struct bpf_code code = { .count = 0 };

	if (hits_map(arming))
		return -1;
	trigger_program_hit(&code, &arming->trigger->maps, &condition);
	return trigger_attach_raw(arming, "signal_deliver", &code);
}

/* Opens the pipe @found, a descriptor of O_PATH; nothing else is opened, since
 * opening a device may have any effect. Opens for writing as well: otherwise
 * the pipe would signal its end after the last writer closes it. Returns -1
 * with errno, which is 0 if @found is not a pipe.
 */
static int open_pipe(int found)
{
	char path[32];
	struct stat stat;

	errno = 0;
	if (fstat(found, &stat) < 0 || !S_ISFIFO(stat.st_mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

int trigger_open_line(const struct trigger_arming *arming, const char *path,
		      int *line)
{
	int found = trusted_path_open(AT_FDCWD, path);

	if (found < 0 && errno == ENOENT && !mkfifo(path, 0600))
		found = trusted_path_open(AT_FDCWD, path);
	if (found < 0)
		return trigger_refuse_errno(arming, path);
	*line = open_pipe(found);
	close(found);
	if (*line < 0 && !errno)
		return refuse(arming, "%s is not a named pipe (mkfifo)", path);
	return keep_fd(arming, *line, path);
}

static int arm_line(const struct trigger_arming *arming)
{
	struct trigger *trigger = arming->trigger;

	return trigger_open_line(arming, trigger->spec.path, &trigger->line);
}

/* The triggers based on probes. */

int trigger_find_function(const struct trigger_arming *arming, const char *name,
			  char *function, size_t size)
{
	struct kernel_symbols *symbols = arming->setup->symbols;
	char near[3 * 64 + 8];
	size_t count;

	/* Read once, since the kernel generates the lines slowly. */
	if (!symbols->text.bytes &&
	    kernel_symbols_read(symbols, "/proc/kallsyms"))
		return trigger_refuse_errno(arming, "/proc/kallsyms");
	count = function_name_find(symbols, name, function, size);
	if (count == 1)
		return 0;
	if (count)
		return refuse(arming,
			      "the kernel has %zu functions called %s: "
			      "give one of %s",
			      count, name, function);
	function_name_suggest(symbols, name, near, sizeof(near));
	return refuse(arming,
		      "the kernel has neither a system call nor a "
		      "function called %s%s%s",
		      name, *near ? "; did you mean " : "", near);
}

int trigger_probe_kernel(const struct trigger_arming *arming, size_t number,
			 bool is_return, const char *function)
{
	arming->set->has_probes = true;
	if (!probe_event_add_kernel(number, is_return, function))
		return 0;
	if (errno == EINVAL || errno == EADDRNOTAVAIL)
		return refuse(arming, "the kernel allows no probe at %s",
			      function);
	return trigger_refuse_errno(arming, function);
}

/* Creates a probe at @offset of the trigger's program. */
static int probe_user(const struct trigger_arming *arming, size_t number,
		      bool is_return, uint64_t offset)
{
	const char *path = arming->trigger->spec.path;

	arming->set->has_probes = true;
	if (!probe_event_add_user(number, is_return, path, offset))
		return 0;
	return trigger_refuse_errno(arming, path);
}

/* Attaches the programs that detect a hit to the probes @number. */
static int measure_at(const struct trigger_arming *arming, size_t number,
		      const struct trigger_condition *condition)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	bool has_begin = maps->begins >= 0 && condition->test != TEST_WAIT;
	struct bpf_code begin = { .count = 0 };
	struct bpf_code hit = { .count = 0 };
	size_t spec;

	if (has_begin) {
		trigger_program_begin(&begin, maps);
		if (trigger_open_probe(arming, number, false, AUX_NONE,
				       &spec) ||
		    trigger_attach(arming, spec, &begin))
			return -1;
	}
	trigger_program_hit(&hit, maps, condition);
	if (trigger_open_probe(arming, number, has_begin, AUX_PAUSE, &spec))
		return -1;
	return trigger_attach(arming, spec, &hit);
}

static int measure_sleeps(const struct trigger_arming *arming)
{
	struct bpf_code on_switch = { .count = 0 };
	struct bpf_code on_waking = { .count = 0 };

	trigger_program_sleep_switch(&on_switch, &arming->trigger->maps);
	trigger_program_sleep_waking(&on_waking, &arming->trigger->maps);
	if (trigger_attach_raw(arming, "sched_switch", &on_switch))
		return -1;
	return trigger_attach_raw(arming, "sched_waking", &on_waking);
}

/* Creates the maps of calls or waits in progress, and of hits. */
static int make_maps(const struct trigger_arming *arming)
{
	struct trigger_maps *maps = &arming->trigger->maps;

	if (hits_map(arming) || trigger_task_map(arming, &maps->begins))
		return -1;
	return trigger_forget_dead(arming, maps->begins);
}

/* The functions arm_*() arm a trigger, one for each kind of condition. */
static int arm_call(const struct trigger_arming *arming)
{
	const struct trigger_spec *spec = &arming->trigger->spec;
	const struct trigger_condition condition = {
		.test = spec->kind == TRIGGER_SLEEP ? TEST_SLEEP : TEST_CALL,
		.limit_ns = spec->limit_ns,
	};
	size_t number = arming->set->probes++;
	char function[TRIGGER_FUNCTION_SIZE];

	if (trigger_find_function(arming, spec->name, function,
				  sizeof(function)) ||
	    trigger_probe_kernel(arming, number, false, function) ||
	    trigger_probe_kernel(arming, number, true, function) ||
	    make_maps(arming))
		return -1;
	if (spec->kind == TRIGGER_SLEEP && measure_sleeps(arming))
		return -1;
	return measure_at(arming, number, &condition);
}

/* The point where a task starts to run on its CPU after a switch: the first
 * function that the scheduler calls there (kernel/sched/core.c).
 */
static const char got_cpu[] = "finish_task_switch";

static int arm_runnable(const struct trigger_arming *arming)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	const struct trigger_condition condition = {
		.test = TEST_WAIT,
		.limit_ns = arming->trigger->spec.limit_ns,
	};
	size_t number = arming->set->probes++;
	char function[TRIGGER_FUNCTION_SIZE];
	struct bpf_code on_switch = { .count = 0 };
	struct bpf_code on_waking = { .count = 0 };

	if (trigger_find_function(arming, got_cpu, function,
				  sizeof(function)) ||
	    trigger_probe_kernel(arming, number, false, function) ||
	    make_maps(arming))
		return -1;
	trigger_program_wait_switch(&on_switch, maps);
	trigger_program_wait_waking(&on_waking, maps);
	if (trigger_attach_raw(arming, "sched_switch", &on_switch) ||
	    trigger_attach_raw(arming, "sched_waking", &on_waking) ||
	    trigger_attach_raw(arming, "sched_wakeup_new", &on_waking))
		return -1;
	return measure_at(arming, number, &condition);
}

/* Refuses an ambiguous name: logs how to distinguish the functions @found. */
static int refuse_several(const struct trigger_arming *arming,
			  const struct user_functions *found)
{
	const struct trigger_spec *spec = &arming->trigger->spec;
	char list[256] = "";
	size_t length = 0;

	for (size_t i = 0; i < found->count && i < USER_FUNCTIONS_KEPT &&
			   length < sizeof(list);
	     i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length,
					   "%s%s@0x%" PRIx64, i ? ", " : "",
					   spec->name, found->addresses[i]);
	return refuse(arming,
		      "%s has %zu functions called %s: give one of "
		      "%s%s",
		      spec->path, found->count, spec->name, list,
		      found->count > USER_FUNCTIONS_KEPT ? ", ..." : "");
}

static int arm_user(const struct trigger_arming *arming)
{
	const struct trigger_spec *spec = &arming->trigger->spec;
	const struct trigger_condition condition = {
		.test = spec->limit_ns ? TEST_CALL : TEST_NOTHING,
		.limit_ns = spec->limit_ns,
	};
	size_t number = arming->set->probes++;
	struct user_functions found;
	int error = user_functions_find(spec->path, spec->name, &found);

	if (error == -ERROR_SYSTEM)
		return trigger_refuse_errno(arming, spec->path);
	if (error)
		return refuse(arming,
			      "%s is not a program or library with a "
			      "function %s (nm, or nm -D, lists them)",
			      spec->path, spec->name);
	if (found.count > 1)
		return refuse_several(arming, &found);
	if (probe_user(arming, number, false, found.offset) ||
	    (spec->limit_ns && probe_user(arming, number, true, found.offset)))
		return -1;
	if (spec->limit_ns ? make_maps(arming) : hits_map(arming))
		return -1;
	return measure_at(arming, number, &condition);
}

/* Arms the condition on the command's exit. The status of its child processes
 * does not matter.
 */
static int arm_exit(const struct trigger_arming *arming)
{
	const struct trigger_condition condition = { .test = TEST_ARGUMENT };
	size_t number = arming->set->probes++;

	arming->trigger->maps.members = -1;
	if (trigger_probe_kernel(arming, number, false, "do_group_exit") ||
	    hits_map(arming))
		return -1;
	return measure_at(arming, number, &condition);
}

static const struct trigger_maps no_maps = { -1, -1, -1, -1 };

struct trigger_set trigger_set_new(void)
{
	return (struct trigger_set){
		.triggers = ARRAY_OF(struct trigger),
		.fds = ARRAY_OF(int),
		.target = no_maps,
	};
}

void trigger_set_free(struct trigger_set *set)
{
	const int *fds = set->fds.items;

	for (size_t i = 0; i < set->fds.count; i++)
		close(fds[i]);
	if (set->has_probes)
		probe_events_remove();
	array_free(&set->fds);
	array_free(&set->triggers);
}

static int (*const arm[])(const struct trigger_arming *arming) = {
	[TRIGGER_CALL] = arm_call,
	[TRIGGER_SLEEP] = arm_call,
	[TRIGGER_RUNNABLE] = arm_runnable,
	[TRIGGER_TRACEPOINT] = arm_tracepoint,
	[TRIGGER_USER] = arm_user,
	[TRIGGER_SIGNAL] = arm_signal,
	[TRIGGER_EXIT] = arm_exit,
	[TRIGGER_LINE] = arm_line,
};

/* Creates set->target, a filter that accepts setup->processes and the children
 * that they fork from now on.
 */
static int make_target(const struct trigger_arming *arming)
{
	const struct trigger_setup *setup = arming->setup;
	struct trigger_maps *target = &arming->set->target;
	struct bpf_code code = { .count = 0 };
	uint32_t yes = 1;

	if (trigger_process_map(arming, &target->seeds) ||
	    trigger_task_map(arming, &target->members))
		return -1;
	for (size_t i = 0; i < setup->process_count; i++)
		if (bpf_map_set(target->seeds, &setup->processes[i], &yes))
			return trigger_refuse_errno(arming, "a BPF map");
	trigger_program_fork(&code, target);
	if (trigger_attach_raw(arming, "sched_process_fork", &code))
		return -1;
	return trigger_forget_dead(arming, target->members);
}

int trigger_target_maps(const struct trigger_arming *arming)
{
	struct trigger_maps *target = &arming->set->target;

	if (!arming->setup->process_count || target->seeds >= 0)
		return 0;
	if (!make_target(arming))
		return 0;
	/* The next trigger must not use an incomplete filter. */
	*target = no_maps;
	return -1;
}

int trigger_set_arm(struct trigger_set *set, const struct trigger_setup *setup,
		    const char *const *texts, size_t count)
{
	probe_events_remove();
	for (size_t i = 0; i < count; i++) {
		struct trigger *trigger = array_add(&set->triggers);
		struct trigger_arming arming = { set, setup, trigger };

		if (!trigger)
			return -ERROR_MEMORY;
		trigger->line = -1;
		trigger_spec_parse(texts[i], &trigger->spec);
		if (trigger->spec.kind != TRIGGER_LINE &&
		    trigger_target_maps(&arming))
			continue;
		trigger->maps = set->target;
		set->armed += !arm[trigger->spec.kind](&arming);
	}
	return 0;
}

const struct trigger *trigger_set_of_spec(const struct trigger_set *set,
					  size_t spec)
{
	const struct trigger *triggers = set->triggers.items;

	for (size_t i = 0; i < set->triggers.count; i++)
		if (triggers[i].has_events && triggers[i].hit_spec == spec)
			return &triggers[i];
	return NULL;
}
