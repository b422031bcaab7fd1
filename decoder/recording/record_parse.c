/* SPDX-License-Identifier: MIT */
#include "decoder/recording/record_parse.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/perf_data.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/sample_parse.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

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

	sideband->kind = SIDEBAND_MMAP;
	read_task(reader, sideband);
	mmap->address = byte_reader_u64(reader);
	mmap->size_bytes = byte_reader_u64(reader);
	mmap->file_offset = byte_reader_u64(reader);
	mmap->executable = !(record->misc & PERF_RECORD_MISC_MMAP_DATA);
	mmap->kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		       PERF_RECORD_MISC_KERNEL;
	if (record->type == PERF_RECORD_MMAP2) {
		const uint8_t *inode = byte_reader_bytes(reader, 24);

		if (inode && inode[0] <= 20 &&
		    record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			mmap->build_id_size = inode[0];
			mmap->build_id = inode + 4;
		}
		mmap->executable = byte_reader_u32(reader) & PROT_EXEC;
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
