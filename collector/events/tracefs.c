/* SPDX-License-Identifier: MIT */
#include "collector/events/tracefs.h"
#include "collector/events/event_list.h"
#include "common/bytes.h"
#include "common/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *tracefs_folder(void)
{
	static const char *const folders[] = {
		"/sys/kernel/tracing",
		"/sys/kernel/debug/tracing",
	};
	char path[128];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/header_page",
			 folders[i]);
		if (!access(path, R_OK))
			return folders[i];
	}
	return NULL;
}

/* Sets @path to the file @file of the tracepoint @name, "system:event". */
static int path_of(const char *name, const char *file, char *path, size_t size)
{
	const char *folder = tracefs_folder();
	const char *colon = strchr(name, ':');

	if (!folder || !colon)
		return -ERROR_NOT_FOUND;
	snprintf(path, size, "%s/events/%.*s/%s/%s", folder,
		 (int)(colon - name), name, colon + 1, file);
	return 0;
}

int tracefs_id(const char *name, uint64_t *id)
{
	struct byte_buffer text = { 0 };
	char path[256];
	int error = path_of(name, "id", path, sizeof(path));

	if (!error && byte_buffer_file(&text, path))
		error = -ERROR_NOT_FOUND;
	byte_buffer_zeros(&text, 1);
	if (!error && text.failed)
		error = -ERROR_MEMORY;
	if (!error)
		*id = strtoull((const char *)text.bytes, NULL, 10);
	byte_buffer_free(&text);
	return error;
}

int tracefs_write(const char *folder, const char *file, const char *text,
		  int mode)
{
	char path[256];
	ssize_t done;
	int cause;
	int fd;

	if (!folder) {
		errno = ENOENT;
		return -ERROR_SYSTEM;
	}
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC | mode);
	if (fd < 0)
		return -ERROR_SYSTEM;
	done = write(fd, text, strlen(text));
	cause = errno;
	if (close(fd) < 0 && done >= 0) {
		done = -1;
		cause = errno;
	}
	errno = cause;
	return done < 0 ? -ERROR_SYSTEM : 0;
}

void tracefs_add_file(struct byte_buffer *bytes, const char *path)
{
	size_t place = bytes->size;
	uint64_t size;

	byte_buffer_u64(bytes, 0);
	byte_buffer_file(bytes, path);
	size = bytes->size - place - sizeof(size);
	if (!bytes->failed)
		memcpy(bytes->bytes + place, &size, sizeof(size));
}

static void add_header_file(struct byte_buffer *bytes, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/events/%s", tracefs_folder(), name);
	byte_buffer_text(bytes, name);
	tracefs_add_file(bytes, path);
}

static bool is_tracepoint(const struct event_spec *spec)
{
	return spec->attr.type == PERF_TYPE_TRACEPOINT;
}

bool tracefs_is_used(const struct event_list *events)
{
	const struct event_spec *specs = events->specs.items;

	for (size_t i = 0; i < events->specs.count; i++)
		if (is_tracepoint(&specs[i]))
			return true;
	return false;
}

static bool same_system(const struct event_spec *a, const struct event_spec *b)
{
	size_t length = strcspn(a->name, ":");

	return is_tracepoint(a) && is_tracepoint(b) &&
	       !strncmp(a->name, b->name, length + 1);
}

/* Adds the formats of all events of the system of event number @first. */
static void add_system(const struct event_list *events, size_t first,
		       struct byte_buffer *bytes)
{
	const struct event_spec *specs = events->specs.items;
	uint32_t count = 0;
	char path[256];

	for (size_t i = 0; i < events->specs.count; i++)
		count += same_system(&specs[first], &specs[i]);
	byte_buffer_add(bytes, specs[first].name,
			strcspn(specs[first].name, ":"));
	byte_buffer_zeros(bytes, 1);
	byte_buffer_u32(bytes, count);
	for (size_t i = 0; i < events->specs.count; i++)
		if (same_system(&specs[first], &specs[i]) &&
		    !path_of(specs[i].name, "format", path, sizeof(path)))
			tracefs_add_file(bytes, path);
}

static void add_systems(const struct event_list *events,
			struct byte_buffer *bytes)
{
	const struct event_spec *specs = events->specs.items;
	size_t place = bytes->size;
	uint32_t systems = 0;

	byte_buffer_u32(bytes, 0);
	for (size_t i = 0; i < events->specs.count; i++) {
		size_t first = 0;

		while (!same_system(&specs[first], &specs[i]) && first < i)
			first++;
		if (first < i || !is_tracepoint(&specs[i]))
			continue;
		add_system(events, i, bytes);
		systems++;
	}
	if (!bytes->failed)
		memcpy(bytes->bytes + place, &systems, sizeof(systems));
}

void tracefs_add_start(struct byte_buffer *bytes, const char *version)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const uint8_t little_endian = 0;
	const uint8_t long_size = sizeof(long);

	byte_buffer_add(bytes, magic, sizeof(magic) - 1);
	byte_buffer_text(bytes, version);
	byte_buffer_add(bytes, &little_endian, 1);
	byte_buffer_add(bytes, &long_size, 1);
	byte_buffer_u32(bytes, (uint32_t)sysconf(_SC_PAGESIZE));
	add_header_file(bytes, "header_page");
	add_header_file(bytes, "header_event");
}

void tracefs_describe(const struct event_list *events,
		      struct byte_buffer *bytes)
{
	tracefs_add_start(bytes, "0.6");
	byte_buffer_u32(bytes, 0); /* no events of ftrace itself */
	add_systems(events, bytes);
	byte_buffer_u32(bytes, 0); /* kallsyms: in kcore_dir */
	byte_buffer_u32(bytes, 0); /* printk formats: not used */
	byte_buffer_u64(bytes, 0); /* saved command names: in records */
}
