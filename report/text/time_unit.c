/* SPDX-License-Identifier: MIT */
#include "report/text/time_unit.h"

#include "decoder/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct time_unit units[] = {
	[RECORDING_TIME_NANOSECONDS] = {
		.is_time = true,
		.name = "ns",
		.suffix = "_ns",
		.kind = "wall time on CPUs",
		.note = "",
	},
	[RECORDING_TIME_CYCLES] = {
		.name = "cycles",
		.suffix = "_cycles",
		.kind = "cycles of CPUs",
		.note = "No times: the trace has no timestamps that can be "
		        "converted to time. Each CPU's\ncycles are counted "
		        "from the start of its trace; the order between CPUs "
		        "is\nunknown.\n\n",
	},
	[RECORDING_TIME_INSTRUCTIONS] = {
		.name = "instructions",
		.suffix = "_instructions",
		.kind = "instructions executed on CPUs",
		.note = "No times: the trace has no timestamps that can be "
		        "converted to time. Each CPU's\ninstructions are "
		        "counted from its first one; the order between CPUs "
		        "is\nunknown.\n\n",
	},
};

/* The host name of virtual machines with several CPUs (docs/machine.md). */
static const char host_clock_name[] = "machine-host-clock";

static const struct time_unit host_clock = {
	.is_time = true,
	.is_of_host = true,
	.name = "ns",
	.suffix = "_ns",
	.kind = "wall time on CPUs",
	.note = "Times are from the host's clock, because several CPUs of the "
		"virtual machine use\nit; they include other work of the host. "
		"One CPU (without --cpus) has its own clock.\n\n",
};

const struct time_unit *time_unit_of(const struct recording *recording)
{
	enum recording_time time = recording_time(recording);

	if (time == RECORDING_TIME_NANOSECONDS &&
	    !strcmp(recording_info(recording)->hostname, host_clock_name))
		return &host_clock;
	return &units[time];
}

struct time_field time_unit_field(const struct time_unit *unit,
				  const char *name)
{
	const char *mark = strstr(name, "_ns");
	struct time_field field;

	if (mark)
		snprintf(field.name, sizeof(field.name), "%.*s%s%s",
			 (int)(mark - name), name, unit->suffix,
			 mark + strlen("_ns"));
	else
		snprintf(field.name, sizeof(field.name), "%s", name);
	return field;
}

struct duration_text time_unit_text(const struct time_unit *unit,
				    uint64_t value)
{
	struct duration_text text;

	if (unit->is_time)
		return duration_text_of(value);
	snprintf(text.text, sizeof(text.text), "%" PRIu64, value);
	return text;
}

struct duration_text time_unit_amount(const struct time_unit *unit,
				      uint64_t value)
{
	struct duration_text text;

	if (unit->is_time)
		return duration_text_of(value);
	snprintf(text.text, sizeof(text.text), "%" PRIu64 " %s", value,
		 unit->name);
	return text;
}
