/* SPDX-License-Identifier: MIT */
#include "decoder/recording/record_parse_internal.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/record_walk.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

/* Parses records of perf.data (include/uapi/linux/perf_event.h). Two parts: the
 * event table, from the attributes and IDs, decides the layout of a record; and
 * record_parse() reads its fields in the order of that layout.
 * record_parse_origin() reads only event, time, task and CPU, from the trailer.
 * All sizes are checked by struct byte_reader, which fails at the first one
 * that does not fit.
 */

/* Bits of perf_event_attr's flags word (include/uapi/linux/perf_event.h). */
enum {
	ATTR_EXCLUDE_USER = 1 << 4,
	ATTR_EXCLUDE_KERNEL = 1 << 5,
	ATTR_SAMPLE_ID_ALL = 1 << 18,
	ATTR_USE_CLOCKID = 1 << 25,
	ATTR_CONTEXT_SWITCH = 1 << 26,
	/* The first published size of struct perf_event_attr. */
	ATTR_SIZE_MIN = 64,
};

struct event_table event_table_new(struct arena *arena)
{
	return (struct event_table){
		.events = ARRAY_OF(struct recording_event),
		.ids = ARRAY_OF(struct event_id),
		.arena = arena,
	};
}

void event_table_free(struct event_table *table)
{
	array_free(&table->events);
	array_free(&table->ids);
}

static int add_event(struct event_table *table, const uint8_t *bytes,
		     size_t size)
{
	struct byte_reader reader = byte_reader_of(bytes, size);
	struct recording_event *event = array_add(&table->events);

	if (!event)
		return -ERROR_MEMORY;
	event->name = "";
	event->type = byte_reader_u32(&reader);
	byte_reader_u32(&reader);
	event->config = byte_reader_u64(&reader);
	byte_reader_u64(&reader);
	event->sample_type = byte_reader_u64(&reader);
	event->read_format = byte_reader_u64(&reader);

	uint64_t flags = byte_reader_u64(&reader);

	byte_reader_u64(&reader);
	event->config1 = byte_reader_u64(&reader);
	if (byte_reader_left(&reader))
		event->config2 = byte_reader_u64(&reader);
	if (byte_reader_left(&reader))
		event->branch_sample_type = byte_reader_u64(&reader);
	if (byte_reader_left(&reader))
		event->user_registers = byte_reader_u64(&reader);
	/* The stack size and the clock are not needed. */
	if (byte_reader_left(&reader) && byte_reader_bytes(&reader, 8) &&
	    byte_reader_left(&reader))
		event->registers = byte_reader_u64(&reader);
	event->sample_id_all = flags & ATTR_SAMPLE_ID_ALL;
	event->has_other_clock = flags & ATTR_USE_CLOCKID;
	event->exclude_user = flags & ATTR_EXCLUDE_USER;
	event->exclude_kernel = flags & ATTR_EXCLUDE_KERNEL;
	event->has_switches = flags & ATTR_CONTEXT_SWITCH;
	return 0;
}

static int add_ids(struct event_table *table, const uint8_t *bytes, size_t size)
{
	struct byte_reader reader = byte_reader_of(bytes, size);

	while (byte_reader_left(&reader) >= 8 &&
	       table->ids.count < BUDGET_EVENT_IDS) {
		struct event_id *id = array_add(&table->ids);

		if (!id)
			return -ERROR_MEMORY;
		id->id = byte_reader_u64(&reader);
		id->event = (uint32_t)table->events.count - 1;
		id->cpu = -1;
		id->tid = -1;
	}
	return 0;
}

static int refuse(const struct data_file *file)
{
	log_message(file->log, LOG_ERROR, file->path, file->attr_offset,
		    "the event attributes are malformed or missing");
	return -ERROR_FORMAT;
}

int event_table_read_header(struct event_table *table,
			    const struct data_file *file)
{
	uint64_t entry_size = file->attr_entry_size;

	if (file->is_pipe)
		return 0;
	if (entry_size < ATTR_SIZE_MIN + 16 || entry_size > 4096 ||
	    file->attr_offset > file->map.size ||
	    file->attr_size > file->map.size - file->attr_offset ||
	    file->attr_size < entry_size)
		return refuse(file);

	uint64_t count = file->attr_size / entry_size;
	const uint8_t *entry = file->map.bytes + file->attr_offset;
	int error = 0;

	for (; !error && count--; entry += entry_size) {
		struct byte_reader reader =
			byte_reader_of(entry + entry_size - 16, 16);
		uint64_t offset = byte_reader_u64(&reader);
		uint64_t size = byte_reader_u64(&reader);

		if (offset > file->map.size || size > file->map.size - offset)
			return refuse(file);
		error = add_event(table, entry, entry_size - 16);
		if (!error)
			error = add_ids(table, file->map.bytes + offset, size);
	}
	return error;
}

int event_table_add_attr(struct event_table *table, const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE + 4);

	uint32_t size = byte_reader_u32(&reader);

	reader.position = PERF_DATA_RECORD_HEADER_SIZE;
	if (size < ATTR_SIZE_MIN)
		size = ATTR_SIZE_MIN;

	const uint8_t *attr = byte_reader_bytes(&reader, size);

	if (!attr)
		return 0;

	int error = add_event(table, attr, size);

	if (error)
		return error;
	return add_ids(table, record->bytes + reader.position,
		       byte_reader_left(&reader));
}

/* ID_INDEX comes after all attributes. IDs that it does not contain are
 * unchanged; a later entry for an ID replaces the earlier one.
 */
int event_table_add_index(struct event_table *table,
			  const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);

	uint64_t count = byte_reader_u64(&reader);

	while (count-- && byte_reader_left(&reader) >= 32) {
		uint64_t key = byte_reader_u64(&reader);
		uint64_t index = byte_reader_u64(&reader);
		uint64_t cpu = byte_reader_u64(&reader);
		uint64_t tid = byte_reader_u64(&reader);
		struct event_id *id =
			(struct event_id *)(uintptr_t)event_table_find(table,
								       key);

		if (!id)
			continue;
		id->aux_index = (uint32_t)index;
		id->cpu = cpu < BUDGET_CPUS ? (int32_t)cpu : -1;
		id->tid = (int32_t)(uint32_t)tid;
		id->has_index = true;
	}
	return 0;
}

/* The feature EVENT_DESC has the same events in the same order, with names. */
int event_table_add_names(struct event_table *table, const uint8_t *bytes,
			  size_t size)
{
	struct byte_reader reader = byte_reader_of(bytes, size);
	uint32_t count = byte_reader_u32(&reader);
	uint32_t attr_size = byte_reader_u32(&reader);

	for (size_t i = 0; i < count && i < table->events.count; i++) {
		byte_reader_bytes(&reader, attr_size);

		uint32_t ids = byte_reader_u32(&reader);
		uint32_t length = byte_reader_u32(&reader);
		const char *text =
			(const char *)byte_reader_bytes(&reader, length);

		byte_reader_bytes(&reader, (size_t)ids * 8);
		if (reader.failed)
			break;

		struct recording_event *event = array_at(&table->events, i);

		event->name =
			arena_text(table->arena, text, strnlen(text, length));
		if (!event->name)
			return -ERROR_MEMORY;
	}
	return 0;
}

void event_table_finish(struct event_table *table)
{
	array_sort_by(&table->ids, KEYS(RISING(struct event_id, id)));
}

/* A loop of its own, because bsearch() calls a function for each comparison,
 * and every record is looked up.
 */
const struct event_id *event_table_find(const struct event_table *table,
					uint64_t id)
{
	const struct event_id *ids = table->ids.items;
	size_t low = 0;
	size_t high = table->ids.count;

	/* The kernel assigns consecutive IDs, so those of one recorder are
	 * mostly contiguous.
	 */
	if (high && id - ids->id < high && ids[id - ids->id].id == id)
		return &ids[id - ids->id];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->ids.count && ids[low].id == id ? &ids[low] : NULL;
}

/* Returns the event that @id belongs to, or NULL. */
static const struct recording_event *
event_table_event(const struct event_table *table, uint64_t id)
{
	const struct event_id *found = event_table_find(table, id);

	return found ? array_at(&table->events, found->event) : NULL;
}

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

/* Reads a copy of the user's stack. The kernel copies as much as exists; the
 * rest of the field is undefined.
 */
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

/* Reads the newest bytes of the trace at the end of a sample (perf record
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

static void read_task(struct byte_reader *reader,
		      struct sideband_record *sideband)
{
	sideband->pid = (int32_t)byte_reader_u32(reader);
	sideband->tid = (int32_t)byte_reader_u32(reader);
}

static void read_mmap(struct byte_reader *reader, const struct record *record,
		      struct sideband_record *sideband)
{
	struct sideband_mmap *mmap = &sideband->mmap;
	uint32_t protection;

	sideband->kind = SIDEBAND_MMAP;
	read_task(reader, sideband);
	mmap->address = byte_reader_u64(reader);
	mmap->size_bytes = byte_reader_u64(reader);
	mmap->file_offset = byte_reader_u64(reader);
	mmap->executable = !(record->misc & PERF_RECORD_MISC_MMAP_DATA);
	mmap->writable = true;
	mmap->kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		       PERF_RECORD_MISC_KERNEL;
	if (record->type == PERF_RECORD_MMAP2) {
		const uint8_t *inode = byte_reader_bytes(reader, 24);

		if (!(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
			mmap->inode = inode;
		} else if (inode && inode[0] <= 20) {
			mmap->build_id_size = inode[0];
			mmap->build_id = inode + 4;
		}
		protection = byte_reader_u32(reader);
		mmap->executable = protection & PROT_EXEC;
		mmap->writable = protection & PROT_WRITE;
		byte_reader_u32(reader);
	}
	mmap->path = byte_reader_text(reader);
}

static void read_comm(struct byte_reader *reader, const struct record *record,
		      struct sideband_record *sideband)
{
	sideband->kind = SIDEBAND_COMM;
	read_task(reader, sideband);
	sideband->comm.name = byte_reader_text(reader);
	sideband->comm.exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void read_fork(struct byte_reader *reader, const struct record *record,
		      struct sideband_record *sideband)
{
	sideband->kind = record->type == PERF_RECORD_FORK ? SIDEBAND_FORK :
							    SIDEBAND_EXIT;
	sideband->pid = (int32_t)byte_reader_u32(reader);
	sideband->fork.parent_pid = (int32_t)byte_reader_u32(reader);
	sideband->tid = (int32_t)byte_reader_u32(reader);
	sideband->fork.parent_tid = (int32_t)byte_reader_u32(reader);
	sideband->time_ns = byte_reader_u64(reader);
}

static void read_switch(struct byte_reader *reader, const struct record *record,
			struct sideband_record *sideband)
{
	struct sideband_switch *change = &sideband->change;

	sideband->kind = SIDEBAND_SWITCH;
	change->out = record->misc & PERF_RECORD_MISC_SWITCH_OUT;
	change->preempted = record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	change->cpu_wide = record->type == PERF_RECORD_SWITCH_CPU_WIDE;
	change->other_pid = -1;
	change->other_tid = -1;
	if (change->cpu_wide) {
		change->other_pid = (int32_t)byte_reader_u32(reader);
		change->other_tid = (int32_t)byte_reader_u32(reader);
	}
}

static void read_ksymbol(struct byte_reader *reader,
			 struct sideband_record *sideband)
{
	struct sideband_ksymbol *symbol = &sideband->ksymbol;

	sideband->kind = SIDEBAND_KSYMBOL;
	symbol->address = byte_reader_u64(reader);
	symbol->size_bytes = byte_reader_u32(reader);
	symbol->type = byte_reader_u16(reader);
	symbol->unregister = byte_reader_u16(reader) &
			     PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	symbol->name = byte_reader_text(reader);
}

static void read_poke(struct byte_reader *reader,
		      struct sideband_record *sideband)
{
	struct sideband_text_poke *poke = &sideband->poke;

	sideband->kind = SIDEBAND_TEXT_POKE;
	poke->address = byte_reader_u64(reader);
	poke->old_size = byte_reader_u16(reader);
	poke->new_size = byte_reader_u16(reader);
	poke->old_bytes = byte_reader_bytes(reader, poke->old_size);
	poke->new_bytes = byte_reader_bytes(reader, poke->new_size);
}

static void read_lost(struct byte_reader *reader, const struct record *record,
		      struct sideband_record *sideband)
{
	sideband->kind = SIDEBAND_LOST;
	if (record->type == PERF_RECORD_LOST)
		byte_reader_u64(reader);
	sideband->lost.records = byte_reader_u64(reader);
}

static void read_aux(struct byte_reader *reader,
		     struct sideband_record *sideband)
{
	sideband->kind = SIDEBAND_AUX;
	sideband->aux.offset = byte_reader_u64(reader);
	sideband->aux.size_bytes = byte_reader_u64(reader);
	sideband->aux.flags = byte_reader_u64(reader);
}

static void read_bpf(struct byte_reader *reader,
		     struct sideband_record *sideband)
{
	sideband->kind = SIDEBAND_BPF;
	sideband->bpf.type = byte_reader_u16(reader);
	byte_reader_u16(reader);
	sideband->bpf.id = byte_reader_u32(reader);
}

static bool read_body(struct byte_reader *reader, const struct record *record,
		      struct sideband_record *sideband)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		read_mmap(reader, record, sideband);
		return true;
	case PERF_RECORD_COMM:
		read_comm(reader, record, sideband);
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		read_fork(reader, record, sideband);
		return true;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		read_switch(reader, record, sideband);
		return true;
	case PERF_RECORD_KSYMBOL:
		read_ksymbol(reader, sideband);
		return true;
	case PERF_RECORD_TEXT_POKE:
		read_poke(reader, sideband);
		return true;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		read_lost(reader, record, sideband);
		return true;
	case PERF_RECORD_AUX:
		read_aux(reader, sideband);
		return true;
	case PERF_RECORD_BPF_EVENT:
		read_bpf(reader, sideband);
		return true;
	case PERF_RECORD_ITRACE_START:
		sideband->kind = SIDEBAND_ITRACE_START;
		read_task(reader, sideband);
		return true;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		sideband->kind = SIDEBAND_AUX_HW_ID;
		sideband->hw_id.id = byte_reader_u64(reader);
		return true;
	default:
		return false;
	}
}

int record_parse(const struct event_table *events, const struct record *record,
		 struct sideband_record *sideband)
{
	struct record_origin origin;

	record_parse_origin(events, record, &origin);
	*sideband = (struct sideband_record){
		.cpu = origin.cpu,
		.pid = origin.pid,
		.tid = origin.tid,
		.time_ns = origin.time_ns,
		.event = origin.event,
		.file_offset = record->file_offset,
	};
	if (record->type == PERF_RECORD_SAMPLE)
		return sample_parse(record, sideband);

	struct byte_reader reader =
		byte_reader_of(record->bytes, record->size - origin.size_bytes);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);
	if (!read_body(&reader, record, sideband))
		return 0;
	/* The time in the trailer is equal or more precise. */
	if (origin.time_ns)
		sideband->time_ns = origin.time_ns;
	return reader.failed ? -ERROR_FORMAT : 1;
}

static size_t bit(uint64_t sample_type, uint64_t which)
{
	return sample_type & which ? 8 : 0;
}

/* Returns the size of the struct sample_id at the end of the records of @event.
 */
static size_t trailer_size(const struct recording_event *event)
{
	uint64_t type = event->sample_type;

	if (!event->sample_id_all)
		return 0;
	return bit(type, PERF_SAMPLE_TID) + bit(type, PERF_SAMPLE_TIME) +
	       bit(type, PERF_SAMPLE_ID) + bit(type, PERF_SAMPLE_STREAM_ID) +
	       bit(type, PERF_SAMPLE_CPU) + bit(type, PERF_SAMPLE_IDENTIFIER);
}

/* Returns the event of @id, or NULL. The ID can be read before its event is
 * known only if IDENTIFIER puts it at a fixed position; perf does so if events
 * differ.
 */
static const struct recording_event *event_of(const struct event_table *events,
					      uint64_t id)
{
	const struct recording_event *first;

	if (!events->events.count)
		return NULL;
	first = array_at(&events->events, 0);
	if (!(first->sample_type & PERF_SAMPLE_IDENTIFIER))
		return first;
	return event_table_event(events, id);
}

/* Reads a CPU number. Impossible ones become -1, unknown: callers have tables
 * with an entry for each CPU up to the largest number.
 */
static int32_t read_cpu(struct byte_reader *reader)
{
	uint32_t cpu = byte_reader_u32(reader);

	byte_reader_u32(reader);
	return cpu < BUDGET_CPUS ? (int32_t)cpu : -1;
}

static void read_trailer(const struct record *record,
			 struct record_origin *origin)
{
	uint64_t type = origin->event->sample_type;
	struct byte_reader reader = byte_reader_of(
		record->bytes + record->size - origin->size_bytes,
		origin->size_bytes);

	if (type & PERF_SAMPLE_TID) {
		origin->pid = (int32_t)byte_reader_u32(&reader);
		origin->tid = (int32_t)byte_reader_u32(&reader);
	}
	if (type & PERF_SAMPLE_TIME)
		origin->time_ns = byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_ID)
		origin->id = byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_STREAM_ID)
		byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_CPU)
		origin->cpu = read_cpu(&reader);
}

/* Parses the trailer of a record that perf made itself, with the ID 0 and the
 * format of the first event: zeros, except in the maps of perf inject --jit,
 * which have a time and a task. Their CPU is not known.
 */
static void parse_made_trailer(const struct event_table *events,
			       const struct record *record,
			       struct record_origin *origin)
{
	struct record_origin made = *origin;

	made.event = array_at(&events->events, 0);
	made.size_bytes = trailer_size(made.event);
	if (!made.size_bytes ||
	    made.size_bytes + PERF_DATA_RECORD_HEADER_SIZE > record->size)
		return;
	read_trailer(record, &made);
	if (!made.time_ns)
		return;
	made.cpu = origin->cpu;
	*origin = made;
}

static void parse_trailer(const struct event_table *events,
			  const struct record *record,
			  struct record_origin *origin)
{
	if (record->size < PERF_DATA_RECORD_HEADER_SIZE + 8)
		return;

	struct byte_reader reader =
		byte_reader_of(record->bytes + record->size - 8, 8);

	origin->id = byte_reader_u64(&reader);
	origin->event = event_of(events, origin->id);
	if (!origin->id && !origin->event && events->events.count) {
		parse_made_trailer(events, record, origin);
		return;
	}
	if (!origin->event)
		return;
	origin->size_bytes = trailer_size(origin->event);
	if (origin->size_bytes + PERF_DATA_RECORD_HEADER_SIZE > record->size)
		origin->size_bytes = 0;
	else if (origin->size_bytes)
		read_trailer(record, origin);
}

static void parse_sample(const struct event_table *events,
			 const struct record *record,
			 struct record_origin *origin)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);
	origin->id = byte_reader_u64(&reader);
	origin->event = event_of(events, origin->id);
	if (!origin->event)
		return;

	uint64_t type = origin->event->sample_type;

	reader.position = PERF_DATA_RECORD_HEADER_SIZE +
			  bit(type, PERF_SAMPLE_IDENTIFIER) +
			  bit(type, PERF_SAMPLE_IP);
	if (reader.position > record->size)
		return;
	if (type & PERF_SAMPLE_TID) {
		origin->pid = (int32_t)byte_reader_u32(&reader);
		origin->tid = (int32_t)byte_reader_u32(&reader);
	}
	if (type & PERF_SAMPLE_TIME)
		origin->time_ns = byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_ADDR)
		byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_ID)
		byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_STREAM_ID)
		byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_CPU)
		origin->cpu = read_cpu(&reader);
}

/* perf synthesizes records without the kernel's ID at their end. In those the
 * last eight bytes are not a known ID, if IDENTIFIER is used.
 */
void record_parse_origin(const struct event_table *events,
			 const struct record *record,
			 struct record_origin *origin)
{
	*origin = (struct record_origin){ .pid = -1, .tid = -1, .cpu = -1 };
	if (record->type >= PERF_DATA_ATTR)
		return;
	if (record->type == PERF_RECORD_SAMPLE)
		parse_sample(events, record, origin);
	else
		parse_trailer(events, record, origin);
}

bool sideband_register(const struct sideband_registers *registers,
		       unsigned int number, uint64_t *value)
{
	uint64_t bit = UINT64_C(1) << number;
	int index = __builtin_popcountll(registers->mask & (bit - 1));

	if (!(registers->mask & bit) || !registers->values)
		return false;
	memcpy(value, registers->values + sizeof(*value) * (size_t)index,
	       sizeof(*value));
	return true;
}
