/* SPDX-License-Identifier: MIT */
#include "collector/writer/feature.h"
#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "common/formats/build_id_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

/* With the NUL: PR_GET_NAME in prctl(2). */
enum { TASK_COMM_LENGTH = 16 };

/* Like perf's do_write_string(): the length, padded, then the text, padded. */
static void add_string(struct byte_buffer *bytes, const char *text)
{
	enum { ALIGNMENT = 64 };
	size_t length = strlen(text) + 1;
	size_t padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

	byte_buffer_u32(bytes, (uint32_t)padded);
	byte_buffer_add(bytes, text, length);
	byte_buffer_zeros(bytes, padded - length);
}

/* Finds the value of the first line of /proc/cpuinfo that starts with @name; ""
 * if there is none.
 */
static void cpuinfo(const char *name, char *value, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];

	value[0] = '\0';
	while (file && fgets(line, sizeof(line), file)) {
		const char *colon = strchr(line, ':');
		size_t length = strlen(name);

		if (!colon || strncmp(line, name, length) ||
		    strspn(line + length, "\t ") + length !=
			    (size_t)(colon - line))
			continue;
		colon += 1 + strspn(colon + 1, " ");
		snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
		break;
	}
	if (file)
		fclose(file);
}

static void add_cpuid(struct byte_buffer *bytes)
{
	char part[4][64];
	char text[300];

	cpuinfo("vendor_id", part[0], sizeof(part[0]));
	cpuinfo("cpu family", part[1], sizeof(part[1]));
	cpuinfo("model", part[2], sizeof(part[2]));
	cpuinfo("stepping", part[3], sizeof(part[3]));
	snprintf(text, sizeof(text), "%s,%s,%s,%s", part[0], part[1], part[2],
		 part[3]);
	add_string(bytes, text);
}

static void add_cpus(struct byte_buffer *bytes)
{
	byte_buffer_u32(bytes, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	byte_buffer_u32(bytes, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void add_command_line(struct byte_buffer *bytes, const char *program,
			     int argc, char *const *argv)
{
	char comm[TASK_COMM_LENGTH] = "";

	if (!program)
		prctl(PR_GET_NAME, comm);
	byte_buffer_u32(bytes, 1 + (uint32_t)argc);
	add_string(bytes, program ? program : comm);
	for (int i = 0; i < argc; i++)
		add_string(bytes, argv[i]);
}

static uint32_t count_ids(const struct event_list *list, size_t spec)
{
	const struct event *events = list->events.items;
	uint32_t count = 0;

	for (size_t i = 0; i < list->events.count; i++)
		count += events[i].spec == spec;
	return count;
}

static void add_events(struct byte_buffer *bytes, const struct event_list *list)
{
	const struct event_spec *specs = list->specs.items;
	const struct event *events = list->events.items;

	byte_buffer_u32(bytes, (uint32_t)list->specs.count);
	byte_buffer_u32(bytes, PERF_ATTR_SIZE_VER7);
	for (size_t i = 0; i < list->specs.count; i++) {
		byte_buffer_add(bytes, &specs[i].attr, PERF_ATTR_SIZE_VER7);
		byte_buffer_u32(bytes, count_ids(list, i));
		add_string(bytes, specs[i].name);
		for (size_t j = 0; j < list->events.count; j++)
			if (events[j].spec == i)
				byte_buffer_u64(bytes, events[j].id);
	}
}

/* Writes the table of build ids: one entry, the kernel's, as perf's
 * write_buildid() does.
 */
static void add_kernel_id(struct byte_buffer *bytes,
			  const struct elf_build_id *id)
{
	enum { HEAD = 8, PROCESS = 4, ID = 24, NAME = 64 };
	static const char name[NAME] = "[kernel.kallsyms]";
	const char padded[ID - ELF_BUILD_ID_SIZE] = { (char)id->size };

	byte_buffer_u32(bytes, 0);
	/* u16 misc, u16 size */
	byte_buffer_u32(bytes, PERF_RECORD_MISC_KERNEL |
				       PERF_RECORD_MISC_BUILD_ID_SIZE |
				       (HEAD + PROCESS + ID + NAME) << 16);
	byte_buffer_u32(bytes, UINT32_MAX);
	byte_buffer_add(bytes, id->bytes, sizeof(id->bytes));
	byte_buffer_add(bytes, padded, sizeof(padded));
	byte_buffer_add(bytes, name, sizeof(name));
}

static struct byte_buffer *next(struct feature *features, size_t *count,
				enum perf_data_feature bit)
{
	features[*count] = (struct feature){ .bit = bit };
	return &features[(*count)++].content;
}

size_t features_of_system(struct feature *features, const char *program,
			  int argc, char *const *argv,
			  const struct event_list *events)
{
	const struct elf_build_id kernel = elf_build_id_of_kernel();
	struct utsname system;
	char text[256];
	size_t count = 0;

	uname(&system);
	if (tracefs_is_used(events))
		tracefs_describe(events, next(features, &count,
					      PERF_DATA_FEATURE_TRACING_DATA));
	if (kernel.size)
		add_kernel_id(next(features, &count,
				   PERF_DATA_FEATURE_BUILD_ID),
			      &kernel);
	add_string(next(features, &count, PERF_DATA_FEATURE_HOSTNAME),
		   system.nodename);
	add_string(next(features, &count, PERF_DATA_FEATURE_OSRELEASE),
		   system.release);
	add_string(next(features, &count, PERF_DATA_FEATURE_VERSION),
		   "ktrace-hw");
	add_string(next(features, &count, PERF_DATA_FEATURE_ARCH),
		   system.machine);
	add_cpus(next(features, &count, PERF_DATA_FEATURE_NRCPUS));
	cpuinfo("model name", text, sizeof(text));
	add_string(next(features, &count, PERF_DATA_FEATURE_CPUDESC), text);
	add_cpuid(next(features, &count, PERF_DATA_FEATURE_CPUID));
	add_command_line(next(features, &count, PERF_DATA_FEATURE_CMDLINE),
			 program, argc, argv);
	add_events(next(features, &count, PERF_DATA_FEATURE_EVENT_DESC),
		   events);
	return count;
}

void features_free(struct feature *features, size_t count)
{
	for (size_t i = 0; i < count; i++)
		byte_buffer_free(&features[i].content);
}
