/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/trace_dat_head.h"
#include "collector/events/tracefs.h"
#include "common/bytes.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Options of the head that are used here. */
enum { OPTION_END = 0, OPTION_CLOCK = 4, OPTION_UNAME = 5 };

static void add_u16(struct byte_buffer *bytes, uint16_t value)
{
	byte_buffer_add(bytes, &value, sizeof(value));
}

/* Adds the events of one system, each preceded by its size; skips events that
 * the kernel lacks.
 */
static void add_formats(struct byte_buffer *head, const char *system,
			const char *const *names, size_t count)
{
	size_t place = head->size;
	uint32_t added = 0;
	char path[256];

	byte_buffer_u32(head, 0);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/format",
			 tracefs_folder(), system, names[i]);
		if (access(path, R_OK) < 0)
			continue;
		tracefs_add_file(head, path);
		added++;
	}
	if (!head->failed)
		memcpy(head->bytes + place, &added, sizeof(added));
}

static void add_option(struct byte_buffer *head, uint16_t option,
		       const char *text)
{
	add_u16(head, option);
	byte_buffer_u32(head, (uint32_t)strlen(text) + 1);
	byte_buffer_text(head, text);
}

static void add_options(struct byte_buffer *head, const char *folder)
{
	struct byte_buffer clock = { 0 };
	struct utsname names;
	char system[300];
	char path[256];

	byte_buffer_add(head, "options  ", 10);
	snprintf(path, sizeof(path), "%s/trace_clock", folder);
	byte_buffer_file(&clock, path);
	byte_buffer_zeros(&clock, 1);
	if (!clock.failed)
		add_option(head, OPTION_CLOCK, (const char *)clock.bytes);
	byte_buffer_free(&clock);
	if (!uname(&names)) {
		snprintf(system, sizeof(system), "%s %s %s %s", names.sysname,
			 names.nodename, names.release, names.machine);
		add_option(head, OPTION_UNAME, system);
	}
	add_u16(head, OPTION_END);
}

void trace_dat_head_add(struct byte_buffer *head, const char *folder,
			const char *kallsyms, size_t kallsyms_size,
			size_t cpu_count)
{
	static const char *const ftrace[] = { "funcgraph_entry",
					      "funcgraph_retaddr_entry",
					      "funcgraph_exit" };
	static const char *const sched[] = { "sched_switch" };
	char path[256];

	tracefs_add_start(head, "6");
	add_formats(head, "ftrace", ftrace, sizeof(ftrace) / sizeof(*ftrace));
	byte_buffer_u32(head, 1);
	byte_buffer_text(head, "sched");
	add_formats(head, "sched", sched, 1);
	byte_buffer_u32(head, (uint32_t)kallsyms_size);
	byte_buffer_add(head, kallsyms, kallsyms_size);
	byte_buffer_u32(head, 0); /* printk formats: not used */
	snprintf(path, sizeof(path), "%s/saved_cmdlines", tracefs_folder());
	tracefs_add_file(head, path);
	byte_buffer_u32(head, (uint32_t)cpu_count);
	add_options(head, folder);
	byte_buffer_add(head, "flyrecord", 10);
}
