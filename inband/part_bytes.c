/* SPDX-License-Identifier: MIT */
#include "inband/part_bytes.h"
#include "collector/writer/trace_record.h"
#include "common/error.h"
#include "inband/trace_tail.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int part_bytes_open(struct part_bytes *part, size_t room)
{
	int fd = memfd_create("ktrace-hw", MFD_CLOEXEC);
	void *map = MAP_FAILED;

	*part = (struct part_bytes){ .room = room };
	if (fd >= 0 && !ftruncate(fd, (off_t)room))
		map = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return -ERROR_SYSTEM;
	part->bytes = map;
	return 0;
}

void part_bytes_close(struct part_bytes *part)
{
	if (part->bytes)
		munmap(part->bytes, part->room);
	*part = (struct part_bytes){ 0 };
}

void part_bytes_clear(struct part_bytes *part)
{
	part->size = 0;
	part->records_size = 0;
	part->trace_size = 0;
	part->before_size = 0;
}

static uint8_t *append(struct part_bytes *part, const void *bytes, size_t size)
{
	uint8_t *place = part->bytes + part->size;

	assert(size <= part->room - part->size);
	if (size)
		memcpy(place, bytes, size);
	part->size += size;
	return place;
}

uint8_t *part_bytes_add(struct part_bytes *part, const void *bytes, size_t size)
{
	uint8_t *place = append(part, bytes, size);

	part->records_size = part->size;
	return place;
}

uint8_t *part_bytes_add_ring(struct part_bytes *part,
			     const struct ring_bytes *bytes)
{
	uint8_t *place = part_bytes_add(part, bytes->part[0].iov_base,
					bytes->part[0].iov_len);

	part_bytes_add(part, bytes->part[1].iov_base, bytes->part[1].iov_len);
	return place;
}

const uint8_t *part_bytes_add_trace(struct part_bytes *part, pid_t tid,
				    const struct trace_tail *before,
				    const struct ring_bytes *trace)
{
	static const uint8_t zeros[8];
	size_t kept = before->bytes.size;
	struct trace_record record =
		trace_record_of(0, -1, tid, kept + trace->size);

	part->trace_start = trace->start - kept;
	part->trace_size = kept + trace->size;
	record.offset = part->trace_start;
	part->before_size = kept;
	append(part, &record, sizeof(record));

	const uint8_t *place = append(part, before->bytes.bytes, kept);

	append(part, trace->part[0].iov_base, trace->part[0].iov_len);
	append(part, trace->part[1].iov_base, trace->part[1].iov_len);
	append(part, zeros, record.size - part->trace_size);
	return place;
}

struct ring_bytes part_bytes_trace(const struct part_bytes *part)
{
	size_t place = part->records_size + sizeof(struct trace_record);

	return ring_split(part->bytes + place, part->trace_size, 0,
			  part->trace_size);
}
