/* SPDX-License-Identifier: MIT */
#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "collector/trigger/bpf_code.h"
#include "collector/trigger/trigger_arming.h"
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	return trigger_refuse(arming,
			      "the kernel refuses the filter '%s': the fields "
			      "are in %s/events/%.*s/%s/format",
			      trigger->spec.filter, tracefs_folder(), system,
			      name, name + system + 1);
}

int trigger_arm_tracepoint(const struct trigger_arming *arming)
{
	const struct trigger_setup *setup = arming->setup;
	struct trigger *trigger = arming->trigger;
	struct event_spec spec;
	uint64_t id;

	if (tracefs_id(trigger->spec.name, &id))
		return trigger_refuse(arming,
				      "the kernel has no tracepoint %s, or "
				      "tracefs cannot be read (root can)",
				      trigger->spec.name);
	spec = event_spec_tracepoint(trigger->spec.name, id, EVENT_OF_CPUS);
	spec.ring = RING_HITS;
	spec.attr.wakeup_watermark = 1;
	spec.attr.disabled = 0;
	if (setup->can_pause)
		event_spec_act(&spec, setup->trace_spec, AUX_PAUSE);
	if (trigger_open_events(arming, spec, trigger->spec.name,
				&trigger->hit_spec))
		return -1;
	trigger->has_events = true;
	if (!set_filter(arming))
		return 0;
	event_list_control(setup->events, trigger->hit_spec,
			   PERF_EVENT_IOC_DISABLE, NULL);
	trigger->has_events = false;
	return -1;
}

int trigger_arm_signal(const struct trigger_arming *arming)
{
	const struct trigger_condition condition = {
		.test = TEST_SIGNAL,
		.signals = arming->trigger->spec.signals,
	};
	struct bpf_code code = { .count = 0 };

	if (trigger_hits_map(arming))
		return -1;
	trigger_program_hit(&code, &arming->trigger->maps, &condition);
	return trigger_attach_raw(arming, "signal_deliver", &code);
}

/* Opens the pipe @found, a descriptor of O_PATH; nothing else is opened, since
 * opening a device may have any effect. Opens for writing as well: otherwise
 * the pipe would signal its end after the last writer closes it. Returns -1
 * with errno, which is 0 if @found is no pipe.
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
		return trigger_refuse(arming, "%s is not a named pipe (mkfifo)",
				      path);
	return trigger_keep(arming, *line, path);
}

int trigger_arm_line(const struct trigger_arming *arming)
{
	struct trigger *trigger = arming->trigger;

	return trigger_open_line(arming, trigger->spec.path, &trigger->line);
}
