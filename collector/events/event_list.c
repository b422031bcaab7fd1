/* SPDX-License-Identifier: MIT */
#include "collector/events/event_list.h"
#include "collector/events/rights.h"

#include "collector/events/event_spec.h"
#include "collector/target/target.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct event_list event_list_new(void)
{
	return (struct event_list){
		.specs = ARRAY_OF(struct event_spec),
		.events = ARRAY_OF(struct event),
	};
}

void event_list_free(struct event_list *list)
{
	const struct event *events = list->events.items;

	for (size_t i = 0; i < list->events.count; i++)
		if (events[i].fd >= 0)
			close(events[i].fd);
	array_free(&list->events);
	array_free(&list->specs);
}

int event_list_add(struct event_list *list, struct event_spec spec)
{
	if (array_append(&list->specs, &spec) < 0)
		return -ERROR_MEMORY;
	return (int)list->specs.count - 1;
}

void event_list_remove_last(struct event_list *list)
{
	const struct event *events = list->events.items;

	list->specs.count--;
	while (list->events.count &&
	       events[list->events.count - 1].spec == list->specs.count)
		close(events[--list->events.count].fd);
}

/* The attr of Linux 6.3 and later; the headers may be older. */
union wide_attr {
	struct perf_event_attr attr;
	struct {
		uint8_t of_old[PERF_ATTR_SIZE_VER7];
		uint64_t config3;
	} wide;
	/* After aux_sample_size, from 6.13 on. */
	struct {
		uint8_t before[offsetof(struct perf_event_attr, aux_sample_size) +
			       sizeof(uint32_t)];
		uint32_t aux_action;
	} late;
};

static union wide_attr attr_of(const struct event_spec *spec)
{
	union wide_attr attr = { .attr = spec->attr };

	attr.late.aux_action = spec->aux_action;
	if (!spec->config3)
		return attr;
	attr.wide.config3 = spec->config3;
	attr.attr.size = sizeof(attr.wide);
	return attr;
}

/* Opens @event, whose CPU and thread are set. Returns 0 or -ERROR_SYSTEM. */
static int open_one(struct event *event, struct perf_event_attr *attr,
		    int leader)
{
	event->fd = (int)syscall(SYS_perf_event_open, attr, event->thread,
				 event->cpu, leader, PERF_FLAG_FD_CLOEXEC);
	if (event->fd < 0)
		return -ERROR_SYSTEM;
	if (ioctl(event->fd, PERF_EVENT_IOC_ID, &event->id) < 0)
		return -ERROR_SYSTEM;
	return 0;
}

/* Like open_one(), but tries again without build ids, which Linux before 5.12
 * does not report, and then clears build_id in @what.
 */
static int open_able(struct event *event, struct event_spec *what,
		     union wide_attr *attr, int leader)
{
	int error = open_one(event, &attr->attr, leader);

	if (!error || errno != EINVAL || !attr->attr.build_id)
		return error;
	what->attr.build_id = 0;
	attr->attr.build_id = 0;
	return open_one(event, &attr->attr, leader);
}

/* Returns the descriptor of the event that leads @what's group; -1: none. */
static int leader_of(const struct event_list *list,
		     const struct event_spec *what, int cpu)
{
	const struct event *leader =
		what->group ? event_list_find(list, what->group - 1, cpu) :
			      NULL;

	return leader ? leader->fd : -1;
}

/* Should the kernel refuse, the event counts in all threads. */
static void leave_out(const struct event *event, pid_t thread)
{
	char filter[32];

	snprintf(filter, sizeof(filter), "common_pid != %d", thread);
	(void)ioctl(event->fd, PERF_EVENT_IOC_SET_FILTER, filter);
}

static int open_for(struct event_list *list, size_t spec, int cpu, pid_t thread)
{
	struct event_spec *what = array_at(&list->specs, spec);
	union wide_attr attr = attr_of(what);
	int leader = leader_of(list, what, cpu);
	struct event *event = array_add(&list->events);

	if (!event)
		return -ERROR_MEMORY;
	*event = (struct event){
		.fd = -1, .spec = spec, .cpu = cpu, .thread = thread
	};
	/* CPU events have no inheritance. */
	if (thread == -1) {
		attr.attr.inherit = 0;
		attr.attr.enable_on_exec = 0;
	}
	if (!open_able(event, what, &attr, leader)) {
		if (what->left_out)
			leave_out(event, what->left_out);
		return 0;
	}

	bool gone = errno == ESRCH && thread != -1;

	if (event->fd < 0)
		list->events.count--;
	return gone ? 0 : -ERROR_SYSTEM;
}

static int open_on(struct event_list *list, size_t spec,
		   const struct target *target, const struct array *cpus)
{
	const struct event_spec *what = array_at(&list->specs, spec);
	bool whole = what->scope != EVENT_OF_TARGET || target->whole_cpus;
	size_t threads = whole ? 1 : target->threads.count;
	const pid_t *thread = target->threads.items;
	const int *cpu = cpus->items;

	for (size_t i = 0; i < cpus->count; i++)
		for (size_t j = 0; j < threads; j++) {
			int error = open_for(list, spec, cpu[i],
					     whole ? -1 : thread[j]);

			if (error)
				return error;
		}
	return 0;
}

int event_list_open(struct event_list *list, size_t spec,
		    const struct target *target)
{
	const struct event_spec *what = array_at(&list->specs, spec);
	int error = open_on(list, spec, target, &target->cpus);

	if (!error && what->scope == EVENT_OF_KERNEL)
		error = open_on(list, spec, target, &target->others);
	return error;
}

int event_list_open_cpu(struct event_list *list, size_t spec, int cpu)
{
	return open_for(list, spec, cpu, -1);
}

void event_list_close_from(struct event_list *list, size_t first)
{
	const struct event *events = list->events.items;

	while (list->events.count > first)
		close(events[--list->events.count].fd);
}

/* Calls the ioctl on the events of @spec on *@cpu; NULL: on all CPUs. */
static int control(const struct event_list *list, size_t spec, const int *cpu,
		   unsigned long request, void *argument)
{
	const struct event *events = list->events.items;

	for (size_t i = 0; i < list->events.count; i++)
		if (events[i].spec == spec && !events[i].is_replaced &&
		    (!cpu || events[i].cpu == *cpu) &&
		    ioctl(events[i].fd, request, argument) < 0)
			return -ERROR_SYSTEM;
	return 0;
}

int event_list_control(const struct event_list *list, size_t spec,
		       unsigned long request, void *argument)
{
	return control(list, spec, NULL, request, argument);
}

int event_list_control_cpu(const struct event_list *list, size_t spec, int cpu,
			   unsigned long request, void *argument)
{
	return control(list, spec, &cpu, request, argument);
}

/* Enables the events on *@cpu; NULL: on all CPUs. */
static int enable(const struct event_list *list, const int *cpu)
{
	const struct event_spec *specs = list->specs.items;
	int error = 0;

	for (size_t i = list->specs.count; i-- > 0 && !error;)
		if (specs[i].attr.disabled && !specs[i].attr.enable_on_exec &&
		    !specs[i].on_demand)
			error = control(list, i, cpu, PERF_EVENT_IOC_ENABLE,
					NULL);
	return error;
}

int event_list_enable(const struct event_list *list)
{
	return enable(list, NULL);
}

int event_list_enable_cpu(const struct event_list *list, int cpu)
{
	return enable(list, &cpu);
}

const struct event *event_list_find(const struct event_list *list, size_t spec,
				    int cpu)
{
	const struct event *events = list->events.items;

	for (size_t i = 0; i < list->events.count; i++)
		if (events[i].spec == spec && events[i].cpu == cpu &&
		    !events[i].is_replaced)
			return &events[i];
	return NULL;
}

int event_list_restart_cpu(const struct event_list *list, size_t spec, int cpu)
{
	const struct event *events = list->events.items;

	for (size_t i = 0; i < list->events.count; i++) {
		if (events[i].spec != spec || events[i].cpu != cpu)
			continue;
		if (ioctl(events[i].fd, PERF_EVENT_IOC_DISABLE, 0) < 0 ||
		    ioctl(events[i].fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
			return -ERROR_SYSTEM;
	}
	return 0;
}

int event_refusal_log(const struct event_spec *spec, size_t buffer_bytes,
		      int error, const struct log *log)
{
	struct rights_advice advice;

	if (error == -ERROR_LOCKED) {
		rights_advise(RIGHT_BUFFERS, EPERM, buffer_bytes, &advice);
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "not permitted: %s: %s", advice.missing,
			    advice.command);
	} else if (error == -ERROR_MEMORY) {
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "out of memory");
	} else if (errno == EACCES || errno == EPERM) {
		rights_advise(RIGHT_EVENTS, errno, 0, &advice);
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "not permitted: %s: %s", advice.missing,
			    advice.command);
	} else if (errno == EMFILE) {
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "too many open files: raise `ulimit -Hn`, or "
			    "record fewer threads or CPUs (-C)");
	} else if (errno == EBUSY) {
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "the trace unit is in use (another recording, "
			    "or a virtual machine)");
	} else if (errno == ENOMEM) {
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "no memory for a buffer of %zu KiB per CPU: use a "
			    "smaller --buffer",
			    buffer_bytes >> 10);
	} else {
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "the kernel refuses: %s", strerror(errno));
	}
	return error;
}

/* The result of read(2) on an event with PERF_FORMAT_TOTAL_TIME_ENABLED and
 * PERF_FORMAT_ID.
 */
struct reading {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t id;
};

static uint64_t enabled_ns(const struct event *event)
{
	struct reading reading;
	bool is_read = read(event->fd, &reading, sizeof(reading)) ==
		       sizeof(reading);

	return is_read ? reading.enabled_ns : 0;
}

/* Adds the CPU of @event to @away if it is switched off. Reads the event's time
 * twice: it is the same both times if the CPU is switched off, and greater the
 * second time if the event counts.
 */
static int look_at(const struct event *event, struct array *away)
{
	uint64_t before = enabled_ns(event);
	struct away_cpu *found;

	if (enabled_ns(event) != before)
		return 0;
	found = array_add(away);
	if (!found)
		return -ERROR_MEMORY;
	/* Stores the counted time for now, until the longest one is known. */
	*found = (struct away_cpu){ event->cpu, before + event->late_ns };
	return 0;
}

/* Returns the time since the spec's first event was enabled, if @event has
 * counted until now.
 */
static uint64_t since_first_ns(const struct event *event)
{
	return enabled_ns(event) + event->late_ns;
}

static bool is_live(const struct event *event, size_t spec)
{
	return event->spec == spec && !event->is_replaced;
}

uint64_t away_cpus_longest(const struct event_list *events, size_t spec)
{
	const struct event *items = events->events.items;
	uint64_t longest = 0;

	for (size_t i = 0; i < events->events.count; i++) {
		uint64_t counted = is_live(&items[i], spec) ?
					   since_first_ns(&items[i]) :
					   0;

		longest = counted > longest ? counted : longest;
	}
	return longest;
}

/* Returns the event of @spec that was enabled first, or NULL. */
static const struct event *find_first(const struct event_list *list,
				      size_t spec)
{
	const struct event *items = list->events.items;
	const struct event *first = NULL;
	uint64_t longest = 0;

	for (size_t i = 0; i < list->events.count; i++) {
		uint64_t counted =
			is_live(&items[i], spec) ? enabled_ns(&items[i]) : 0;

		if (counted <= longest)
			continue;
		longest = counted;
		first = &items[i];
	}
	return first;
}

/* Compares each event with the one that was enabled first, which is read just
 * before it.
 */
void event_list_note_lateness(struct event_list *list, size_t spec)
{
	const struct event *first = find_first(list, spec);
	struct event *items = list->events.items;

	for (size_t i = 0; i < list->events.count; i++) {
		uint64_t earlier;
		uint64_t own;

		if (!is_live(&items[i], spec) || &items[i] == first)
			continue;
		earlier = enabled_ns(first);
		own = enabled_ns(&items[i]);
		items[i].late_ns = own < earlier ? earlier - own : 0;
	}
}

int away_cpus_find(const struct event_list *events, size_t spec,
		   struct array *away)
{
	const struct event *items = events->events.items;
	uint64_t longest;
	int error = 0;

	for (size_t i = 0; i < events->events.count && !error; i++)
		if (is_live(&items[i], spec))
			error = look_at(&items[i], away);
	longest = away_cpus_longest(events, spec);
	for (size_t i = 0; i < away->count; i++) {
		struct away_cpu *found = array_at(away, i);

		found->missing_ns = longest - found->missing_ns;
	}
	return error;
}
