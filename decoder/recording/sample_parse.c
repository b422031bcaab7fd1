/* SPDX-License-Identifier: MIT */
#include "decoder/recording/sample_parse.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/perf_data.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <linux/perf_event.h>

/* Since Linux 6.0; not in older uapi headers. */
enum { READ_FORMAT_LOST = 1 << 4 };

/* Since Linux 5.7 and 6.8. */
#define BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

enum { BRANCH_ENTRY_WORDS = 3 };

static unsigned int bits(uint64_t value, uint64_t mask)
{
	return (unsigned int)__builtin_popcountll(value & mask);
}

static void skip_words(struct byte_reader *reader, uint64_t count)
{
	if (count > reader->size / 8)
		reader->failed = true;
	else
		byte_reader_bytes(reader, count * 8);
}

/* Skips the values of a counter group, which are not needed. */
static void skip_read(struct byte_reader *reader, uint64_t format)
{
	unsigned int times =
		bits(format, PERF_FORMAT_TOTAL_TIME_ENABLED |
				     PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned int each = 1 + bits(format, PERF_FORMAT_ID | READ_FORMAT_LOST);
	uint64_t counters = 1;

	if (format & PERF_FORMAT_GROUP)
		counters = byte_reader_u64(reader);
	if (counters > reader->size)
		reader->failed = true;
	skip_words(reader, times + each * counters);
}

static void skip_word_if(struct byte_reader *reader, uint64_t type,
			 uint64_t which)
{
	skip_words(reader, bits(type, which));
}

static void skip_branches(struct byte_reader *reader, uint64_t branch_type)
{
	uint64_t count = byte_reader_u64(reader);
	uint64_t each = BRANCH_ENTRY_WORDS + bits(branch_type, BRANCH_COUNTERS);

	skip_words(reader, bits(branch_type, BRANCH_HW_INDEX));
	if (count > reader->size)
		reader->failed = true;
	else
		skip_words(reader, count * each);
}

static void read_registers(struct byte_reader *reader, uint64_t mask,
			   struct sideband_registers *registers)
{
	registers->abi = byte_reader_u64(reader);
	if (!registers->abi)
		return;
	registers->mask = mask;
	registers->values = byte_reader_bytes(
		reader, (size_t)__builtin_popcountll(mask) * 8);
}

/* The kernel copies as much as exists; the rest of the field is undefined. */
static void read_stack(struct byte_reader *reader,
		       struct sideband_user_state *user)
{
	uint64_t room = byte_reader_u64(reader);

	if (!room)
		return;
	if (room > reader->size) {
		reader->failed = true;
		return;
	}
	user->stack = byte_reader_bytes(reader, room);
	user->stack_size = byte_reader_u64(reader);
	if (user->stack_size > room)
		reader->failed = true;
}

static void read_origin(struct byte_reader *reader, uint64_t type,
			struct sideband_sample *sample)
{
	skip_word_if(reader, type, PERF_SAMPLE_IDENTIFIER);
	if (type & PERF_SAMPLE_IP)
		sample->ip = byte_reader_u64(reader);
	skip_word_if(reader, type, PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	if (type & PERF_SAMPLE_ADDR)
		sample->address = byte_reader_u64(reader);
	skip_word_if(reader, type,
		     PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = byte_reader_u64(reader);
}

static void read_chain(struct byte_reader *reader,
		       struct sideband_sample *sample)
{
	uint64_t count = byte_reader_u64(reader);

	if (count > reader->size / 8) {
		reader->failed = true;
		return;
	}
	sample->chain_count = count;
	sample->chain = byte_reader_bytes(reader, count * 8);
}

static void read_event(struct byte_reader *reader,
		       const struct recording_event *event,
		       struct sideband_sample *sample)
{
	uint64_t type = event->sample_type;

	if (type & PERF_SAMPLE_READ)
		skip_read(reader, event->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		read_chain(reader, sample);
	if (type & PERF_SAMPLE_RAW) {
		sample->raw_size = byte_reader_u32(reader);
		sample->raw = byte_reader_bytes(reader, sample->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(reader, event->branch_sample_type);
}

static void read_state(struct byte_reader *reader,
		       const struct recording_event *event,
		       struct sideband_sample *sample)
{
	uint64_t type = event->sample_type;

	if (type & PERF_SAMPLE_REGS_USER)
		read_registers(reader, event->user_registers,
			       &sample->user.registers);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(reader, &sample->user);
	skip_word_if(reader, type,
		     PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |
			     PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION);
	if (type & PERF_SAMPLE_REGS_INTR)
		read_registers(reader, event->registers, &sample->registers);
}

/* At the end of the record: the newest bytes of the trace (perf record
 * --aux-sample).
 */
static void read_trace(struct byte_reader *reader, uint64_t type,
		       struct sideband_sample *sample)
{
	if (!(type & PERF_SAMPLE_AUX))
		return;
	skip_word_if(reader, type,
		     PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
			     PERF_SAMPLE_DATA_PAGE_SIZE |
			     PERF_SAMPLE_CODE_PAGE_SIZE);
	sample->trace_size = byte_reader_u64(reader);
	sample->trace = byte_reader_bytes(reader, sample->trace_size);
}

int sample_parse(const struct record *record, struct sideband_record *sideband)
{
	const struct recording_event *event = sideband->event;
	struct sideband_sample *sample = &sideband->sample;
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	if (!event)
		return 0;
	sideband->kind = SIDEBAND_SAMPLE;
	sample->event = event;
	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);
	read_origin(&reader, event->sample_type, sample);
	read_event(&reader, event, sample);
	read_state(&reader, event, sample);
	read_trace(&reader, event->sample_type, sample);
	return reader.failed ? -ERROR_FORMAT : 1;
}
