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

/* A CPU that came online and cannot be traced. */
struct untraced_cpu {
	int cpu;
	size_t size;
	uint8_t bytes[2 * TRACER_BLANK_BYTES]; /* its trace, all unknown */
};

/* Returns whether a CPU that comes online belongs to the recording and can get a
 * trace.
 */
static bool is_wanted(const struct recording_setup *setup)
{
	return !setup->options->cpus && setup->tracer->write_blank;
}

static bool can_trace(const struct recording_setup *setup)
{
	const struct collector_options *options = setup->options;

	return setup->target.whole_cpus && !options->snapshot &&
	       !options->only && !options->trigger_count;
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
		.fd = is_wanted(setup) ? open_socket() : -1,
		.untraced = ARRAY_OF(struct untraced_cpu),
	};
}

void late_cpus_close(struct late_cpus *late)
{
	if (late->fd >= 0)
		close(late->fd);
	late->fd = -1;
	array_free(&late->untraced);
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

/* Sets that the events from number @first on were opened @late_ns after the
 * others.
 */
static void note_time(const struct recording_setup *setup, size_t first,
		      uint64_t late_ns)
{
	const struct event_list *events = &setup->events.list;

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

static int note_untraced(struct late_cpus *late, int cpu)
{
	struct untraced_cpu *untraced = array_add(&late->untraced);

	if (!untraced)
		return -ERROR_MEMORY;
	untraced->cpu = cpu;
	untraced->size =
		late->setup->tracer->write_blank(untraced->bytes, true);
	return 0;
}

static bool is_untraced(const struct late_cpus *late, int cpu)
{
	const struct untraced_cpu *untraced = late->untraced.items;

	for (size_t i = 0; i < late->untraced.count; i++)
		if (untraced[i].cpu == cpu)
			return true;
	return false;
}

/* The rings of the CPUs have the order of target.cpus. An error, other than that
 * the CPU is not traced, ends the recording: events would have no ids.
 */
static int trace(struct late_cpus *late, int cpu, bool *is_news)
{
	struct recording_setup *setup = late->setup;
	size_t first = setup->events.list.events.count;
	/* Before they are opened: they count time from then on. */
	uint64_t late_ns =
		away_cpus_longest(&setup->events.list, setup->switch_spec);
	int error;

	if (open_events(late, cpu))
		return note_untraced(late, cpu);
	*is_news = true;
	note_time(setup, first, late_ns);
	error = array_append(&setup->target.cpus, &cpu);
	if (!error)
		error = write_events(late, first);
	if (!error)
		error = set_filter(late, cpu);
	if (!error)
		error = write_losses(late, cpu);
	if (!error)
		error = event_list_enable_cpu(&setup->events.list, cpu);
	if (error)
		return error;
	late->count++;
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "CPU %d was switched on during the recording; it is traced "
		    "since, except for its first milliseconds",
		    cpu);
	return 0;
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

		if (cpu_list_has(&late->setup->target.cpus, cpu) ||
		    is_untraced(late, cpu))
			continue;
		error = can_trace(late->setup) ? trace(late, cpu, is_news) :
						 note_untraced(late, cpu);
	}
	array_free(&online);
	return error;
}

/* Adds an event that is not open, for the losses of @cpu. The kernel counts ids
 * from 1, so none is as large.
 */
static int add_event(struct recording_setup *setup, int cpu)
{
	const struct event event = {
		.fd = -1,
		.spec = setup->trace_spec,
		.cpu = cpu,
		.thread = -1,
		.id = UINT64_MAX - (uint64_t)cpu,
	};
	int error = array_append(&setup->target.cpus, &cpu);

	return error ? error : array_append(&setup->events.list.events, &event);
}

/* Writes the trace of a CPU that is not traced, up to now. */
static int write_trace(const struct late_cpus *late,
		       struct untraced_cpu *untraced)
{
	const struct recording_setup *setup = late->setup;
	uint8_t *end = untraced->bytes + untraced->size;
	size_t size = untraced->size + setup->tracer->write_blank(end, false);
	const struct ring_bytes bytes = {
		.part = { { untraced->bytes, size } },
		.size = size,
	};
	size_t index = setup->target.cpus.count - 1;

	return recording_writer_add_trace(late->output->writer, (uint32_t)index,
					  untraced->cpu, -1, &bytes);
}

static int write_gap(struct late_cpus *late, struct untraced_cpu *untraced)
{
	struct recording_setup *setup = late->setup;
	const struct event_list *events = &setup->events.list;
	size_t first = events->events.count;
	uint64_t now_ns =
		setup->tracer->now_ns(event_rings_page(&setup->events));
	struct byte_buffer records = { 0 };
	int error = add_event(setup, untraced->cpu);

	if (!error)
		error = write_events(late, first);
	if (!error)
		error = write_trace(late, untraced);
	if (error)
		return error;
	loss_record_add_records(&records, array_at(&events->events, first), 1,
				now_ns);
	return recording_output_add(late->output, &records);
}

void late_cpus_log_untraced(const struct log *log, int cpu)
{
	log_message(log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "CPU %d was switched on during the recording; what ran "
		    "there is not recorded",
		    cpu);
}

int late_cpus_finish(struct late_cpus *late)
{
	struct untraced_cpu *untraced = late->untraced.items;
	int error = 0;

	for (size_t i = 0; i < late->untraced.count && !error; i++) {
		late_cpus_log_untraced(late->setup->log, untraced[i].cpu);
		error = write_gap(late, &untraced[i]);
		late->count++;
	}
	return error;
}
