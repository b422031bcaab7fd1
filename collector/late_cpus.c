/* SPDX-License-Identifier: MIT */
#include "collector/late_cpus.h"
#include "collector/events/away_cpus.h"
#include "collector/recording_output.h"
#include "collector/recording_setup.h"
#include "collector/records/loss_record.h"
#include "collector/records/start_records.h"
#include "collector/target/cpu_list.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* lib/kobject_uevent.c: the kernel's own multicast group. */
enum { KERNEL_GROUP = 1 };

static bool can_trace(const struct recording_setup *setup)
{
	const struct collector_options *options = setup->options;

	return setup->target.whole_cpus && !options->cpus && !setup->graph &&
	       !options->snapshot && !options->only &&
	       !options->trigger_count && setup->tracer->takes_late_cpus;
}

static int open_socket(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK,
					     .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 &&
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

struct late_cpus late_cpus_open(struct recording_setup *setup,
				struct recording_output *output)
{
	return (struct late_cpus){
		.setup = setup,
		.output = output,
		.fd = can_trace(setup) ? open_socket() : -1,
	};
}

void late_cpus_close(struct late_cpus *late)
{
	if (late->fd >= 0)
		close(late->fd);
	late->fd = -1;
}

/* Reads all pending messages, of any device. Returns whether a CPU came online,
 * or may have: too many messages at once are lost.
 */
static bool is_reported(const struct late_cpus *late)
{
	static const char wanted[] = "online@/devices/system/cpu/";
	bool is_there = false;
	char text[4096];
	ssize_t size;

	while ((size = recv(late->fd, text, sizeof(text), 0)) >= 0 ||
	       errno == EINTR || errno == ENOBUFS)
		is_there |= size < 0 ||
			    ((size_t)size >= sizeof(wanted) &&
			     !memcmp(text, wanted, sizeof(wanted) - 1));
	return is_there;
}

/* Enables the events in the order of recording_setup_enable(). */
static int enable(const struct event_list *events, int cpu)
{
	const struct event_spec *specs = events->specs.items;
	int error = 0;

	for (size_t i = events->specs.count; i-- > 0 && !error;)
		if (specs[i].attr.disabled && !specs[i].on_demand)
			error = event_list_control_cpu(
				events, i, cpu, PERF_EVENT_IOC_ENABLE, NULL);
	return error;
}

static int write_events(const struct late_cpus *late, size_t first)
{
	const struct event_list *events = &late->setup->events.list;
	struct byte_buffer records = { 0 };
	int error = recording_writer_add_events(late->output->writer, events);

	start_records_ids(&records, events, first, &late->setup->target);
	if (error)
		byte_buffer_free(&records);
	return error ? error : recording_output_add(late->output, &records);
}

static int set_filter(const struct late_cpus *late, int cpu)
{
	return late->output->filter.size ?
		       event_list_control_cpu(&late->setup->events.list,
					      late->setup->trace_spec, cpu,
					      PERF_EVENT_IOC_SET_FILTER,
					      late->output->filter.bytes) :
		       0;
}

/* Sets when the events from number @first on were opened. */
static void note_time(const struct recording_setup *setup, size_t first)
{
	const struct event_list *events = &setup->events.list;
	uint64_t late_ns = away_cpus_longest(events, setup->switch_spec);

	for (size_t i = first; i < events->events.count; i++)
		((struct event *)array_at(&events->events, i))->late_ns =
			late_ns;
}

/* Adds records of the losses on @cpu since it came online, like those of
 * away_records.h: reports then do not conclude from a missing wake-up that there
 * was none.
 */
static int write_losses(const struct late_cpus *late, int cpu)
{
	const struct recording_setup *setup = late->setup;
	const struct event_list *events = &setup->events.list;
	const struct event *trace =
		event_list_find(events, setup->trace_spec, cpu);
	const struct event *switches =
		event_list_find(events, setup->switch_spec, cpu);
	uint64_t now_ns =
		setup->tracer->now_ns(event_rings_page(&setup->events));
	struct byte_buffer records = { 0 };

	loss_record_add_records(&records, switches, 1, now_ns);
	loss_record_add(&records, trace, 0, now_ns);
	return recording_output_add(late->output, &records);
}

/* Opens the events of @cpu. An error means that the CPU is not traced. */
static int open_events(struct late_cpus *late, int cpu)
{
	struct recording_setup *setup = late->setup;
	int error = event_rings_open_late(&setup->events, cpu,
					  setup->trace_spec,
					  setup->options->buffer_bytes);

	if (error)
		log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
			    "CPU %d was switched on and cannot be traced: %s",
			    cpu,
			    error == -ERROR_SYSTEM ? strerror(errno) :
						     error_text(error));
	return error;
}

/* The rings of the CPUs have the order of target.cpus. An error, other than that
 * the CPU is not traced, ends the recording: events would have no ids.
 */
static int trace(struct late_cpus *late, int cpu, bool *is_news)
{
	struct recording_setup *setup = late->setup;
	size_t first = setup->events.list.events.count;
	int error;

	if (open_events(late, cpu))
		return 0;
	*is_news = true;
	note_time(setup, first);
	error = array_append(&setup->target.cpus, &cpu);
	if (!error)
		error = write_events(late, first);
	if (!error)
		error = set_filter(late, cpu);
	if (!error)
		error = write_losses(late, cpu);
	if (!error)
		error = enable(&setup->events.list, cpu);
	if (error)
		return error;
	late->count++;
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "CPU %d was switched on meanwhile; it is traced since, "
		    "except for its first milliseconds",
		    cpu);
	return 0;
}

static bool is_known(const struct array *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->count; i++)
		if (*(const int *)array_at(cpus, i) == cpu)
			return true;
	return false;
}

int late_cpus_take(struct late_cpus *late, bool *is_news)
{
	struct array online = ARRAY_OF(int);
	int error = 0;

	*is_news = false;
	if (late->fd < 0 || !is_reported(late) || cpu_list_online(&online))
		return 0;
	for (size_t i = 0; i < online.count && !error; i++) {
		int cpu = *(const int *)array_at(&online, i);

		if (!is_known(&late->setup->target.cpus, cpu))
			error = trace(late, cpu, is_news);
	}
	array_free(&online);
	return error;
}
