/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/trace_dat_streams.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "decoder/recording/stream_list.h"
#include "decoder/trace_dat/trace_dat_head.h"

#include <stdlib.h>
#include <unistd.h>

/* Limit of a chunk; trace-cmd packs 10 pages at once, or a configured number.
 */
#define CHUNK_MOST ((uint32_t)64 << 20)

/* The destination of all CPUs' unpacked chunks. */
struct unpacking {
	const struct trace_dat *dat;
	bool *is_cut;
	int fd;
	uint64_t packed;
	uint64_t size; /* unpacked so far */
};

/* Unpacks the next chunk. Returns 1, 0 if it is damaged, or an error. */
static int unpack_chunk(struct unpacking *unpacking, struct byte_reader *reader)
{
	const struct trace_dat *dat = unpacking->dat;
	uint32_t size = byte_reader_u32(reader);
	uint32_t unpacked_size = byte_reader_u32(reader);
	const uint8_t *bytes = byte_reader_bytes(reader, size);
	uint8_t *chunk;
	int status = 0;

	if (!bytes || unpacked_size > CHUNK_MOST ||
	    trace_dat_is_over_budget(unpacking->packed + size,
				     unpacking->size + unpacked_size))
		return 0;
	chunk = malloc(unpacked_size + 1);
	if (!chunk)
		return -ERROR_MEMORY;
	if (trace_dat_unpack(dat->packing, bytes, size, chunk, unpacked_size))
		status = file_map_append(unpacking->fd, chunk, unpacked_size,
					 dat->log) < 0 ?
				 -ERROR_SYSTEM :
				 1;
	free(chunk);
	if (status > 0) {
		unpacking->packed += size;
		unpacking->size += unpacked_size;
	}
	return status;
}

static void say_cut(const struct trace_dat *dat,
		    const struct trace_dat_cpu *cpu, uint64_t offset)
{
	log_message(dat->log, LOG_WARNING, dat->path, offset,
		    "the trace of CPU %u is cut off or damaged here: what "
		    "follows of it is not used",
		    cpu->cpu);
}

/* Unpacks the pages of @cpu, and makes it point to them. */
static int unpack_cpu(struct unpacking *unpacking, struct trace_dat_cpu *cpu)
{
	const struct file_map *map = &unpacking->dat->map;
	uint64_t begin = unpacking->size;
	struct byte_reader reader = byte_reader_of(map->bytes, map->size);
	uint32_t chunks;
	int status = 1;

	byte_reader_bytes(&reader,
			  cpu->offset > SIZE_MAX ? SIZE_MAX : cpu->offset);
	chunks = cpu->size_bytes ? byte_reader_u32(&reader) : 0;
	while (chunks-- && status > 0)
		status = unpack_chunk(unpacking, &reader);
	if (status < 0)
		return status;
	if (!status || reader.failed) {
		*unpacking->is_cut = true;
		say_cut(unpacking->dat, cpu, cpu->offset);
	}
	cpu->offset = begin;
	cpu->size_bytes = unpacking->size - begin;
	return 0;
}

static int unpack_all(struct trace_dat *dat, struct file_map *map, bool *is_cut)
{
	struct unpacking unpacking = {
		.dat = dat,
		.is_cut = is_cut,
		.fd = file_map_temporary(dat->log),
	};
	int error = unpacking.fd < 0 ? -ERROR_SYSTEM : 0;

	for (size_t i = 0; i < dat->cpus.count && !error; i++)
		error = unpack_cpu(&unpacking, array_at(&dat->cpus, i));
	if (!error)
		error = file_map_open_fd(map, unpacking.fd);
	if (unpacking.fd >= 0)
		close(unpacking.fd);
	return error;
}

/* Only whole pages are used. */
static int add_stream(const struct trace_dat *dat, struct trace_dat_cpu *cpu,
		      const struct file_map *map, struct stream_list *list,
		      bool *is_cut)
{
	uint64_t left = cpu->offset < map->size ? map->size - cpu->offset : 0;
	uint64_t size = cpu->size_bytes < left ? cpu->size_bytes : left;

	size -= size % dat->page_bytes;
	if (size < cpu->size_bytes && !cpu->is_packed) {
		*is_cut = true;
		say_cut(dat, cpu, cpu->offset + size);
	}
	if (!size)
		return 0;
	return stream_list_add_buffer(list, cpu->cpu, (int32_t)cpu->cpu,
				      map->bytes + cpu->offset, size, 0);
}

int trace_dat_add_streams(struct trace_dat *dat, struct array *maps,
			  struct stream_list *list, bool *is_cut)
{
	struct file_map *unpacked = NULL;
	struct file_map map = dat->map;
	struct trace_dat_cpu *cpus = dat->cpus.items;
	int error = 0;

	if (dat->cpus.count && cpus[0].is_packed) {
		unpacked = array_add(maps);
		error = unpacked ? unpack_all(dat, unpacked, is_cut) :
				   -ERROR_MEMORY;
		if (!error)
			map = *unpacked;
	}
	for (size_t i = 0; i < dat->cpus.count && !error; i++) {
		if (cpus[i].cpu >= BUDGET_STREAMS)
			continue;
		error = add_stream(dat, &cpus[i], &map, list, is_cut);
	}
	return error;
}
