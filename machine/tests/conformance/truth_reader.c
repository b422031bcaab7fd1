/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/truth_reader.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool truth_reader_open(struct truth_reader *reader, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *file = MAP_FAILED;

	memset(reader, 0, sizeof(*reader));
	if (fd >= 0 && !fstat(fd, &status) &&
	    status.st_size >= (off_t)sizeof(struct truth_header))
		file = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd,
			    0);
	if (fd >= 0)
		close(fd);
	if (file == MAP_FAILED || memcmp(file, TRUTH_MAGIC, 8)) {
		fprintf(stderr, "%s: no ground truth\n", path);
		return false;
	}
	reader->file = file;
	reader->size = status.st_size;
	reader->at = sizeof(struct truth_header);
	return true;
}

static void path_of(char path[PATH_MAX], const char *truth, uint32_t cpu)
{
	snprintf(path, PATH_MAX, "%s/truth.%u", truth, cpu);
}

bool truth_reader_open_cpu(struct truth_reader *reader, const char *truth,
			   uint32_t cpu)
{
	char path[PATH_MAX];

	path_of(path, truth, cpu);
	return truth_reader_open(reader, path);
}

bool truth_has_cpu(const char *truth, uint32_t cpu)
{
	char path[PATH_MAX];

	path_of(path, truth, cpu);
	return !cpu || !access(path, R_OK);
}

void truth_reader_close(struct truth_reader *reader)
{
	if (reader->file)
		munmap(reader->file, reader->size);
}

static uint64_t get_varint(struct truth_reader *reader)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		if (reader->at == reader->size) {
			reader->cut = true;
			return 0;
		}
		byte = reader->file[reader->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	return value;
}

static uint64_t get_difference(struct truth_reader *reader)
{
	uint64_t value = get_varint(reader);

	return (value >> 1) ^ -(value & 1);
}

static void get_branch(struct truth_reader *reader, struct truth_event *event)
{
	event->from = event->to + get_difference(reader);
	event->to = event->from + get_difference(reader);
}

static int read_next(struct truth_reader *reader, struct truth_event *event)
{
	struct truth_event *last = &reader->last;
	uint8_t tag;

	if (reader->at == reader->size || reader->cut)
		return 0;
	tag = reader->file[reader->at++];
	last->kind = tag & TRUTH_KIND_MASK;
	last->has_sp = tag & TRUTH_HAS_SP;
	last->tsc += get_varint(reader);
	if (last->kind == TRUTH_SWITCH) {
		last->pid = get_varint(reader);
		last->tgid = get_varint(reader);
	} else if (last->kind == TRUTH_INTERRUPTS) {
		last->pid = get_varint(reader);
	} else {
		get_branch(reader, last);
	}
	if (last->has_sp)
		last->sp += get_difference(reader);
	*event = *last;
	return !reader->cut;
}

int truth_reader_next(struct truth_reader *reader, struct truth_event *event)
{
	int found;

	do
		found = read_next(reader, event);
	while (found && event->kind == TRUTH_INTERRUPTS &&
	       !reader->with_interrupts);
	return found;
}
