/* SPDX-License-Identifier: MIT */
#include "cmd/dump/dump_stages.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"
#include "report/text/name_text.h"
#include "symbolize/arch/arch.h"

#include <inttypes.h>
#include <sys/timex.h>

static const char *kind_text(enum sideband_kind kind)
{
	switch (kind) {
	case SIDEBAND_SWITCH:
		return "switch";
	case SIDEBAND_COMM:
		return "comm";
	case SIDEBAND_FORK:
		return "fork";
	case SIDEBAND_EXIT:
		return "exit";
	case SIDEBAND_MMAP:
		return "mmap";
	case SIDEBAND_KSYMBOL:
		return "ksymbol";
	case SIDEBAND_BPF:
		return "bpf";
	case SIDEBAND_TEXT_POKE:
		return "text-poke";
	case SIDEBAND_SAMPLE:
		return "sample";
	case SIDEBAND_LOST:
		return "lost";
	case SIDEBAND_AUX:
		return "aux";
	case SIDEBAND_ITRACE_START:
		return "itrace-start";
	case SIDEBAND_AUX_HW_ID:
		return "aux-hw-id";
	}
	return "?";
}

static void write_switch(FILE *out, const struct sideband_switch *change)
{
	fprintf(out, "%s%s", change->out ? "out" : "in",
		change->preempted ? " preempted" : "");
	if (change->cpu_wide)
		fprintf(out, " %s %d/%d", change->out ? "next" : "before",
			change->other_pid, change->other_tid);
}

static void write_code(FILE *out, const struct sideband_record *record)
{
	if (record->kind == SIDEBAND_MMAP) {
		fprintf(out, "%" PRIx64 "+%" PRIx64 " from %" PRIx64 " of ",
			record->mmap.address, record->mmap.size_bytes,
			record->mmap.file_offset);
		name_write(out, NAME_TEXT, record->mmap.path);
	} else if (record->kind == SIDEBAND_KSYMBOL) {
		fprintf(out, "%s %" PRIx64 "+%" PRIx32 " ",
			record->ksymbol.unregister ? "gone" : "new",
			record->ksymbol.address, record->ksymbol.size_bytes);
		name_write(out, NAME_TEXT, record->ksymbol.name);
	} else {
		fprintf(out, "%" PRIx64 " %u bytes", record->poke.address,
			record->poke.new_size);
	}
}

static void write_sample(FILE *out, const struct sideband_sample *sample,
			 const struct arch *arch)
{
	name_write(out, NAME_TEXT, sample->event ? sample->event->name : "");
	fprintf(out, " ip %" PRIx64, sample->ip);
	for (unsigned int i = 0; i < arch->user_register_count; i++) {
		uint64_t value;

		if (sideband_register(&sample->registers, i, &value))
			fprintf(out, " %s %" PRIx64, arch->user_registers[i],
				value);
	}
}

static void write_details(FILE *out, const struct sideband_record *record,
			  const struct arch *arch)
{
	switch (record->kind) {
	case SIDEBAND_SWITCH:
		write_switch(out, &record->change);
		break;
	case SIDEBAND_COMM:
		name_write(out, NAME_TEXT, record->comm.name);
		fputs(record->comm.exec ? " (exec)" : "", out);
		break;
	case SIDEBAND_FORK:
		fprintf(out, "by %d/%d", record->fork.parent_pid,
			record->fork.parent_tid);
		break;
	case SIDEBAND_MMAP:
	case SIDEBAND_KSYMBOL:
	case SIDEBAND_TEXT_POKE:
		write_code(out, record);
		break;
	case SIDEBAND_BPF:
		fprintf(out, "id %" PRIu32, record->bpf.id);
		break;
	case SIDEBAND_SAMPLE:
		write_sample(out, &record->sample, arch);
		break;
	case SIDEBAND_LOST:
		fprintf(out, "%" PRIu64 " records", record->lost.records);
		break;
	case SIDEBAND_AUX:
		fprintf(out,
			"offset %" PRIu64 " size %" PRIu64 " flags %" PRIx64,
			record->aux.offset, record->aux.size_bytes,
			record->aux.flags);
		break;
	case SIDEBAND_AUX_HW_ID:
		fprintf(out, "%" PRIx64, record->hw_id.id);
		break;
	case SIDEBAND_EXIT:
	case SIDEBAND_ITRACE_START:
		break;
	}
}

static void write_reading(FILE *out, const char *when,
			  const struct clock_reading *reading)
{
	if (reading->is_known)
		fprintf(out,
			"%" PRIu64 " clock at the %s: CLOCK_REALTIME %" PRId64
			" read within %" PRIu64 " ns; status 0x%" PRIx32
			"%s esterror %" PRIu64 " ns maxerror %" PRIu64 " ns\n",
			reading->clock_ns, when, reading->realtime_ns,
			reading->bracket_ns, reading->status,
			reading->status & STA_UNSYNC ? " (unsynchronised)" : "",
			reading->esterror_ns, reading->maxerror_ns);
}

/* The recording's clock information is not a record; write it first. */
static void write_clock(const struct dump *dump)
{
	const struct session *session = dump->session;
	struct clock_readings clock;

	recording_clock_read(session->recording, &clock);
	if (clock.activate_ns)
		fprintf(session->out,
			"clock to be activated at CLOCK_REALTIME %" PRId64 "\n",
			clock.activate_ns);
	write_reading(session->out, "begin", &clock.begin);
	write_reading(session->out, "end", &clock.end);
}

int dump_records(struct dump *dump)
{
	const struct session *session = dump->session;
	const struct arch *arch = arch_for(recording_arch(session->recording));
	struct sideband *sideband = sideband_open(session->recording, 0);
	struct sideband_record record;
	int status;

	if (!sideband)
		return -ERROR_MEMORY;
	write_clock(dump);
	while ((status = sideband_next(sideband, &record)) > 0) {
		if (!dump_wants_cpu(dump, record.cpu) ||
		    !dump_wants(dump, record.time_ns))
			continue;
		fprintf(session->out,
			"%" PRIu64 " byte %" PRIu64 " cpu %d task %d/%d %s ",
			record.time_ns, record.file_offset, record.cpu,
			record.pid, record.tid, kind_text(record.kind));
		write_details(session->out, &record, arch);
		fputc('\n', session->out);
	}
	sideband_close(sideband);
	return status;
}
