/* SPDX-License-Identifier: MIT */
#include "cmd/dump/dump_stages.h"

#include "analysis/cpu_pipeline.h"
#include "cmd/console/console.h"
#include "cmd/events/event_text.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/packet_dump.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "report/text/line_buffer.h"
#include "report/text/name_text.h"
#include "symbolize/arch/arch.h"
#include "symbolize/events/function_event.h"

#include "decoder/flow/flow.h"
#include <inttypes.h>
#include <stdbool.h>
#include <sys/timex.h>

/* Returns whether to write the item at @time_ns, and counts it if so. */
static bool dump_wants(struct dump *dump, uint64_t time_ns)
{
	const struct time_window *window = &dump->session->window;

	if (!dump->left || time_ns < window->since_ns ||
	    time_ns >= window->until_ns)
		return false;
	dump->left--;
	return true;
}

/* Returns whether a stream that has reached @time_ns has no more items to
 * write.
 */
static bool dump_is_done(const struct dump *dump, uint64_t time_ns)
{
	return !dump->left || (time_ns >= dump->session->window.until_ns &&
			       !dump->session->decodes_all);
}

/* Returns whether @cpu is among the selected CPUs. */
static bool dump_wants_cpu(const struct dump *dump, int32_t cpu)
{
	return step_filter_cpu(&dump->session->filter, (uint32_t)cpu);
}

static int dump_stream_packets(struct dump *dump,
			       const struct aux_stream *stream)
{
	const struct session *session = dump->session;
	struct packet_dump *packets;
	struct packet_line line;
	int status = packet_dump_open(session->recording, stream, &packets);

	if (status < 0)
		return status;
	fprintf(session->out, "stream %" PRIu32 " cpu %d\n", stream->index,
		stream->cpu);
	while (dump->left && (status = packet_dump_next(packets, &line)) > 0) {
		dump->left--;
		fprintf(session->out, "%08" PRIx64 " %2" PRIu32 " %-10s %s\n",
			line.position, line.size_bytes, line.name, line.text);
	}
	packet_dump_close(packets);
	return status < 0 ? status : 0;
}

int dump_packets(struct dump *dump)
{
	const struct recording *recording = dump->session->recording;
	int status = 0;

	for (size_t i = 0; !status && i < recording_stream_count(recording);
	     i++) {
		const struct aux_stream *stream =
			recording_stream(recording, i);

		if (dump_wants_cpu(dump, stream->cpu))
			status = dump_stream_packets(dump, stream);
	}
	return status;
}

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

/* Writes the recording's clock information first, as it is not a record. */
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

/* Writes all of stream @index. */
typedef int dump_stream(struct dump *dump, size_t index);

static int dump_streams(struct dump *dump, dump_stream *dump_one)
{
	const struct session *session = dump->session;
	int status = 0;

	for (size_t i = 0;
	     status >= 0 && i < recording_stream_count(session->recording);
	     i++) {
		const struct aux_stream *stream =
			recording_stream(session->recording, i);

		if (!dump_wants_cpu(dump, stream->cpu))
			continue;
		fprintf(session->out, "stream %" PRIu32 " cpu %d\n",
			stream->index, stream->cpu);
		status = dump_one(dump, i);
	}
	return status;
}

static int dump_flow(struct dump *dump, size_t index)
{
	const struct session *session = dump->session;
	const struct flow_input input = {
		.recording = session->recording,
		.stream = recording_stream(session->recording, index),
		.image = session->image,
		.log = &console_log,
	};
	const struct flow_item *items;
	struct line_buffer lines;
	struct flow_source *source;
	uint64_t reached_ns = 0;
	int count = engine_open_blocks(session->engine, &input, &source);

	if (count < 0)
		return count;
	line_buffer_start(&lines, session->out);
	while (!dump_is_done(dump, reached_ns) &&
	       (count = flow_source_next(source, &items)) > 0) {
		for (int i = 0; i < count; i++)
			if (dump_wants(dump, items[i].time_ns))
				item_text_write(&lines, &items[i]);
		reached_ns = items[count - 1].time_ns;
	}
	line_buffer_flush(&lines);
	flow_source_close(source);
	return count < 0 ? count : 0;
}

static int dump_functions(struct dump *dump, size_t index)
{
	const struct session *session = dump->session;
	const struct pass_input pass = session_pass(session);
	const struct function_event *batch;
	struct cpu_pipeline pipeline = { 0 };
	uint64_t reached_ns = 0;
	int count = cpu_pipeline_open(&pipeline, &pass, index, NULL);

	while (count >= 0 && !dump_is_done(dump, reached_ns) &&
	       (count = pipeline.next(pipeline.next_ctx, &batch)) > 0) {
		for (int i = 0; i < count; i++)
			if (dump_wants(dump, batch[i].time_ns))
				event_write(session->out, session->symbols,
					    &batch[i]);
		reached_ns = batch[count - 1].time_ns;
	}
	cpu_pipeline_close(&pipeline);
	return count < 0 ? count : 0;
}

int dump_blocks(struct dump *dump)
{
	return dump_streams(dump, dump_flow);
}

int dump_events(struct dump *dump)
{
	return dump_streams(dump, dump_functions);
}
