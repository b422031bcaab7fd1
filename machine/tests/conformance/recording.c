/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/recording.h"

#include "decoder/recording/recording_data.h"
#include "machine/tests/conformance/perf_layout.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map_file(struct recording *recording, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && !fstat(fd, &status) && status.st_size > 0;

	if (good) {
		recording->file_size = status.st_size;
		recording->file = mmap(NULL, recording->file_size, PROT_READ,
				       MAP_PRIVATE, fd, 0);
		good = recording->file != MAP_FAILED;
		if (!good)
			recording->file = NULL;
	}
	if (fd >= 0)
		close(fd);
	if (!good)
		fprintf(stderr, "%s: cannot be read\n", path);
	return good;
}

/* perf_event.h, struct perf_event_mmap_page: time = zero + tsc * mult >> shift
 */
static uint64_t time_to_tsc(const struct recording *recording, uint64_t time)
{
	uint64_t ticks = time - recording->time_zero;
	uint64_t mult = recording->time_mult;

	/* Records about the state at perf's start have time 0, which is before
	 * any TSC.
	 */
	if (!mult || (int64_t)ticks < 0)
		return 0;
	return (ticks / mult << recording->time_shift) +
	       (ticks % mult << recording->time_shift) / mult;
}

uint64_t recording_ticks_ns(const struct recording *recording, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * recording->time_mult >>
			  recording->time_shift);
}

uint64_t recording_time_ns(const struct recording *recording, uint64_t tsc)
{
	return recording->time_zero + recording_ticks_ns(recording, tsc);
}

static void *grown(void *array, uint32_t count, size_t element)
{
	if (count & (count - 1))
		return array;
	array = reallocarray(array, count ? 2 * count : 1, element);
	if (!array)
		abort();
	return array;
}

static struct trace_stream *stream_of(struct recording *recording, uint32_t cpu)
{
	uint32_t i = 0;

	while (i < recording->stream_count && recording->streams[i].cpu != cpu)
		i++;
	if (i == MAX_CPUS)
		return NULL;
	if (i == recording->stream_count) {
		recording->stream_count++;
		recording->streams[i].cpu = cpu;
	}
	return &recording->streams[i];
}

/* Pieces are padded to 8 bytes, but the next piece's offset does not include
 * the padding.
 */
static bool trim(struct trace_stream *stream, uint64_t end)
{
	if (end > stream->size || stream->size - end >= 8)
		return false;
	stream->size = end;
	return true;
}

static void add_trace(struct recording *recording,
		      const struct auxtrace_record *record)
{
	struct trace_stream *stream = stream_of(recording, record->cpu);

	if (!stream)
		return;
	if (!trim(stream, record->offset))
		stream->broken = true;
	stream->bytes = realloc(stream->bytes, stream->size + record->size);
	if (!stream->bytes)
		abort();
	memcpy(stream->bytes + stream->size, record + 1, record->size);
	stream->size += record->size;
}

static void add_aux(struct recording *recording,
		    const struct aux_record *record, uint32_t cpu)
{
	struct trace_stream *stream = stream_of(recording, cpu);

	if (!stream)
		return;
	stream->aux_bytes += record->size;
	stream->truncated += record->flags & AUX_FLAG_TRUNCATED;
}

static void add_mapping(struct recording *recording,
			const struct mmap2_record *record, uint64_t time)
{
	struct code_mapping *mapping;

	if (!(record->prot & PROT_EXEC) || record->start >> 63)
		return;
	recording->mappings = grown(recording->mappings,
				    recording->mapping_count, sizeof(*mapping));
	mapping = &recording->mappings[recording->mapping_count++];
	mapping->start = record->start;
	mapping->end = record->start + record->length;
	mapping->file_offset = record->file_offset;
	mapping->tsc = time_to_tsc(recording, time);
	mapping->path = strdup(record->path);
}

static void add_poke(struct recording *recording,
		     const struct text_poke_record *record, uint64_t time)
{
	struct text_poke *poke;

	recording->pokes =
		grown(recording->pokes, recording->poke_count, sizeof(*poke));
	poke = &recording->pokes[recording->poke_count++];
	poke->tsc = time_to_tsc(recording, time);
	poke->address = record->address;
	poke->old_size = record->old_size;
	poke->new_size = record->new_size;
	poke->bytes = record->bytes;
}

static void add_filters(struct recording *recording, const char *text)
{
	struct address_range *range;
	const char *at = text;
	char *end;

	while ((at = strstr(at, "filter ")) &&
	       recording->filter_count < MAX_FILTERS) {
		range = &recording->filters[recording->filter_count++];
		range->start = strtoull(at + strlen("filter "), &end, 16);
		range->end = range->start +
			     (*end == '/' ? strtoull(end + 1, NULL, 16) : 1);
		at = end;
	}
}

static void read_info(struct recording *recording,
		      const struct auxtrace_info_record *record)
{
	const uint64_t *priv = record->priv;
	size_t count = (record->header.size - sizeof(*record)) / 8;

	recording->is_coresight = record->type == AUXTRACE_CORESIGHT;
	if (recording->is_coresight)
		return;
	recording->pmu_type = priv[INFO_PMU_TYPE];
	recording->time_shift = priv[INFO_TIME_SHIFT];
	recording->time_mult = priv[INFO_TIME_MULT];
	recording->time_zero = priv[INFO_TIME_ZERO];
	recording->ctc_numerator = priv[INFO_CTC_NUMERATOR];
	recording->ctc_denominator = priv[INFO_CTC_DENOMINATOR];
	recording->nominal_freq = priv[INFO_NONTURBO_RATIO];
	if (count > INFO_FILTER && priv[INFO_FILTER_SIZE])
		add_filters(recording, (const char *)&priv[INFO_FILTER]);
}

/* Intel PT has the same fields in its own record. */
static void read_times(struct recording *recording,
		       const struct time_conv_record *record)
{
	recording->time_shift = (uint16_t)record->shift;
	recording->time_mult = (uint32_t)record->mult;
	recording->time_zero = record->zero;
}

static void use_attr(struct recording *recording,
		     const struct perf_event_attr *attr, const uint64_t *priv)
{
	uint64_t freq_bits = priv[INFO_MTC_FREQ_BITS];

	recording->config = attr->config;
	recording->kernel = !attr->exclude_kernel;
	recording->user = !attr->exclude_user;
	recording->cycles = attr->config & priv[INFO_CYC];
	if (freq_bits && attr->config & priv[INFO_MTC])
		recording->mtc_freq = (attr->config & freq_bits) >>
				      __builtin_ctzll(freq_bits);
}

static void find_attr(struct recording *recording,
		      const struct auxtrace_info_record *info)
{
	struct perf_event_attr attr;

	for (uint32_t i = 0; perf_attr(recording->file, i, &attr); i++)
		if (attr.type == recording->pmu_type)
			use_attr(recording, &attr, info->priv);
}

static void note_start(struct recording *recording,
		       const struct itrace_start_record *record, uint32_t cpu)
{
	if (cpu < MAX_CPUS && recording->first_tid[cpu] < 0)
		recording->first_tid[cpu] = record->tid;
}

static void take_record(struct recording *recording,
			const struct perf_event_header *header)
{
	const void *record = header;
	struct sample_id id = perf_sample_id(recording->file, header);

	switch (header->type) {
	case PERF_RECORD_AUX:
		add_aux(recording, record, id.cpu);
		break;
	case PERF_RECORD_MMAP2:
		add_mapping(recording, record, id.time);
		break;
	case PERF_RECORD_TEXT_POKE:
		add_poke(recording, record, id.time);
		break;
	case PERF_RECORD_LOST:
		recording->lost += ((const struct lost_record *)record)->lost;
		break;
	case RECORD_AUXTRACE_INFO:
		read_info(recording, record);
		if (!recording->is_coresight)
			find_attr(recording, record);
		break;
	case RECORD_TIME_CONV:
		read_times(recording, record);
		break;
	case RECORD_AUXTRACE:
		add_trace(recording, record);
		break;
	case PERF_RECORD_ITRACE_START:
		note_start(recording, record, id.cpu);
		break;
	default:
		break;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct text_poke *one = a;
	const struct text_poke *other = b;

	return (one->tsc > other->tsc) - (one->tsc < other->tsc);
}

bool recording_open(struct recording *recording, const char *directory)
{
	const struct perf_event_header *header;
	struct perf_walk walk;
	char path[4096];

	memset(recording, 0, sizeof(*recording));
	recording->directory = directory;
	for (uint32_t i = 0; i < MAX_CPUS; i++)
		recording->first_tid[i] = -1;
	snprintf(path, sizeof(path), "%s/data", directory);
	if (!map_file(recording, path))
		return false;
	if (!perf_walk_start(&walk, recording->file, recording->file_size)) {
		fprintf(stderr, "%s: not a perf.data file\n", path);
		return false;
	}
	while ((header = perf_walk_next(&walk)))
		take_record(recording, header);
	for (uint32_t i = 0; i < recording->stream_count; i++)
		trim(&recording->streams[i], recording->streams[i].aux_bytes);
	if (walk.cut)
		fprintf(stderr, "%s: cut off\n", path);
	qsort(recording->pokes, recording->poke_count,
	      sizeof(*recording->pokes), by_time);
	return !walk.cut;
}

void recording_close(struct recording *recording)
{
	for (uint32_t i = 0; i < recording->stream_count; i++)
		free(recording->streams[i].bytes);
	for (uint32_t i = 0; i < recording->mapping_count; i++)
		free(recording->mappings[i].path);
	free(recording->mappings);
	free(recording->pokes);
	if (recording->file)
		munmap(recording->file, recording->file_size);
}
