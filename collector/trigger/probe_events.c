/* SPDX-License-Identifier: MIT */
#include "collector/trigger/probe_events.h"
#include "collector/events/tracefs.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/recording_events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP CALL_EVENTS_GROUP

/* The maximum number of calls in progress at once, including sleeping ones; the
 * kernel's upper limit (KRETPROBE_MAXACTIVE_MAX in
 * kernel/trace/trace_kprobe.c).
 */
#define RETURNS_AT_ONCE "4096"

void probe_event_name(size_t number, int is_return, char name[PROBE_NAME_SIZE])
{
	snprintf(name, PROBE_NAME_SIZE, GROUP "%ld:%s%zu", (long)getpid(),
		 is_return ? "end" : "begin", number);
}

/* Writes a probe's name as in its definition, where group and event are
 * separated by a slash.
 */
static void definition_name(size_t number, int is_return,
			    char name[PROBE_NAME_SIZE])
{
	probe_event_name(number, is_return, name);
	*strchr(name, ':') = '/';
}

int probe_event_add_kernel(size_t number, int is_return, const char *function)
{
	char name[PROBE_NAME_SIZE];
	char line[256];

	definition_name(number, is_return, name);
	snprintf(line, sizeof(line), "%s:%s %s\n",
		 is_return ? "r" RETURNS_AT_ONCE : "p", name, function);
	return tracefs_write(tracefs_folder(), "kprobe_events", line, O_APPEND);
}

void probe_event_reader_name(size_t number, int is_return,
			     char name[PROBE_NAME_SIZE])
{
	snprintf(name, PROBE_NAME_SIZE, GROUP "%ld:%s%zu", (long)getpid(),
		 is_return ? CALL_RESULT_EVENT : CALL_ARGUMENTS_EVENT, number);
}

int probe_event_read(size_t number, int is_return, const char *function,
		     const char *values)
{
	char name[PROBE_NAME_SIZE];
	char line[2048];
	int length;

	probe_event_reader_name(number, is_return, name);
	*strchr(name, ':') = '/';
	length = snprintf(line, sizeof(line), "%s:%s %s%s\n",
			  is_return ? "r" RETURNS_AT_ONCE : "p", name, function,
			  values);
	if (length < 0 || (size_t)length >= sizeof(line)) {
		errno = EINVAL;
		return -ERROR_SYSTEM;
	}
	return tracefs_write(tracefs_folder(), "kprobe_events", line, O_APPEND);
}

/* Returns whether a definition can contain @path. The kernel splits definitions
 * at blanks, and a # starts a comment (trace_parse_run_command() in
 * kernel/trace/trace.c).
 */
static bool can_be_in_definition(const char *path)
{
	return !strpbrk(path, " \t\n\v\f\r#");
}

static int define_user(const char *name, const char *path, uint64_t offset,
		       const char *values)
{
	char line[PATH_MAX + 256];
	int length = snprintf(line, sizeof(line), "%s %s:0x%" PRIx64 "%s\n",
			      name, path, offset, values);

	if (length < 0 || (size_t)length >= sizeof(line)) {
		errno = EINVAL;
		return -ERROR_SYSTEM;
	}
	return tracefs_write(tracefs_folder(), "uprobe_events", line, O_APPEND);
}

/* Creates the probe @name, with its kind as in a definition, at @offset of the
 * file @path, whose records contain @values. A path that definitions cannot
 * contain is given as a link in /proc/self/fd, which the kernel follows when it
 * parses the definition.
 */
static int add_user(const char *name, const char *path, uint64_t offset,
		    const char *values)
{
	char link[sizeof("/proc/self/fd/2147483647")];
	int status, error;
	int fd;

	if (can_be_in_definition(path))
		return define_user(name, path, offset, values);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -ERROR_SYSTEM;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	status = define_user(name, link, offset, values);
	error = errno;
	close(fd);
	errno = error;
	return status;
}

int probe_event_add_user(size_t number, int is_return, const char *path,
			 uint64_t offset)
{
	char event[PROBE_NAME_SIZE];
	char name[PROBE_NAME_SIZE + 2];

	definition_name(number, is_return, event);
	snprintf(name, sizeof(name), "%s:%s", is_return ? "r" : "p", event);
	return add_user(name, path, offset, "");
}

void probe_event_goroutine_name(size_t number, char name[PROBE_NAME_SIZE])
{
	snprintf(name, PROBE_NAME_SIZE, GROUP "%ld:" GOROUTINE_EVENT "%zu",
		 (long)getpid(), number);
}

int probe_event_read_user(const char *event, const char *path, uint64_t offset,
			  const char *values)
{
	char name[PROBE_NAME_SIZE + 2];

	snprintf(name, sizeof(name), "p:%s", event);
	*strchr(name + 2, ':') = '/';
	return add_user(name, path, offset, values);
}

/* Returns whether @line of dynamic_events is a probe of this process, or of one
 * that has ended: "p:GROUPpid/event place", "r4096:GROUPpid/event place".
 */
static bool is_ours(const char *line)
{
	const char *name = strchr(line, ':');
	long pid;
	char *end;

	if (!name || strncmp(name + 1, GROUP, strlen(GROUP)))
		return false;
	pid = strtol(name + 1 + strlen(GROUP), &end, 10);
	return *end == '/' && pid > 0 &&
	       (pid == getpid() || (kill((pid_t)pid, 0) < 0 && errno == ESRCH));
}

static void remove_probe(const char *line)
{
	const char *name = strchr(line, ':') + 1;
	char removal[PROBE_NAME_SIZE + 8];

	snprintf(removal, sizeof(removal), "-:%.*s\n",
		 (int)strcspn(name, " \n"), name);
	tracefs_write(tracefs_folder(), "dynamic_events", removal, O_APPEND);
}

void probe_events_remove(void)
{
	const char *folder = tracefs_folder();
	struct byte_buffer text = { 0 };
	char path[128];
	char *rest;
	const char *line;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/dynamic_events", folder);
	if (!byte_buffer_file(&text, path))
		byte_buffer_zeros(&text, 1);
	rest = text.failed ? NULL : (char *)text.bytes;
	while ((line = strsep(&rest, "\n")))
		if (is_ours(line))
			remove_probe(line);
	byte_buffer_free(&text);
}

/* A line of kprobe_profile is "event hits missed", for events of any group. Our
 * events have the same names in all processes, so the group's own folder is
 * searched for the names to count.
 */
uint64_t probe_events_missed(void)
{
	const char *folder = tracefs_folder();
	uint64_t missed = 0;
	uint64_t hits;
	uint64_t misses;
	char path[256];
	char event[64];
	FILE *file;

	if (!folder)
		return 0;
	snprintf(path, sizeof(path), "%s/kprobe_profile", folder);
	file = fopen(path, "re");
	while (file && fscanf(file, "%63s %" SCNu64 " %" SCNu64, event, &hits,
			      &misses) == 3) {
		snprintf(path, sizeof(path), "%s/events/" GROUP "%ld/%s",
			 folder, (long)getpid(), event);
		if (!access(path, F_OK))
			missed += misses;
	}
	if (file)
		fclose(file);
	return missed;
}
