/* SPDX-License-Identifier: MIT */
#include "tables/overview.h"

#include "common/array.h"
#include "common/error.h"
#include "common/formats/recording_events.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"
#include "report/steps/task_stacks.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Two parts: the choices of record --only by time, read from the recording's
 * records, and the overview. A fact is written by one function for text and
 * JSON (struct writer), so that both have the same facts; in text a fact is a
 * line, and facts that are unknown are left out.
 */

/* The set of calls that record --only traced from time_ns on. */
struct gate_choice_at {
	uint64_t time_ns;
	struct gate_choice choice; /* its list is NUL-terminated */
};

static bool is_choice(const struct sideband_sample *sample)
{
	return sample->event && sample->event->name &&
	       !strcmp(sample->event->name, GATE_CHOICE_EVENT) && sample->raw &&
	       sample->raw_size >= sizeof(struct gate_choice);
}

static int add(struct array *choices, const struct sideband_record *record)
{
	struct gate_choice_at *choice;

	if (!is_choice(&record->sample))
		return 0;
	choice = array_add(choices);
	if (!choice)
		return -ERROR_MEMORY;
	choice->time_ns = record->time_ns;
	memcpy(&choice->choice, record->sample.raw, sizeof(choice->choice));
	choice->choice.list[GATE_LIST_SIZE - 1] = '\0';
	return 0;
}

/* Appends the choices of @recording to @choices, an array of struct
 * gate_choice_at, in order of time. Records that are too short are left out.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int gate_choices_read(const struct recording *recording,
			     struct array *choices)
{
	struct sideband *sideband;
	struct sideband_record record;
	int status = 0;

	if (!recording_is_gated(recording))
		return 0;
	sideband = sideband_open(recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	if (!sideband)
		return -ERROR_MEMORY;
	while (!status && (status = sideband_next(sideband, &record)) > 0)
		status = add(choices, &record);
	sideband_close(sideband);
	return status;
}

/* Writes facts as lines of text, or as the members of an object. */
struct writer {
	FILE *out;
	bool is_json;
	const char *separator; /* before the next fact of JSON */
	const struct time_unit *unit;
	uint64_t origin_ns; /* text shows times relative to it */
};

static void begin_fact(struct writer *writer, const char *name)
{
	if (writer->is_json)
		fprintf(writer->out, "%s\"%s\":", writer->separator, name);
	else
		fprintf(writer->out, "  %-18s ", name);
	writer->separator = ",";
}

static void write_text(struct writer *writer, const char *name,
		       const char *text)
{
	if (!*text)
		return;
	begin_fact(writer, name);
	if (writer->is_json) {
		json_string(writer->out, text);
		return;
	}
	name_write(writer->out, NAME_TEXT, text);
	fputc('\n', writer->out);
}

static void write_number(struct writer *writer, const char *name,
			 uint64_t number, const char *unit)
{
	begin_fact(writer, name);
	if (writer->is_json)
		fprintf(writer->out, "%" PRIu64, number);
	else
		fprintf(writer->out, "%" PRIu64 "%s%s\n", number,
			*unit ? " " : "", unit);
}

static void write_time(struct writer *writer, const char *name, uint64_t time)
{
	struct time_field field = time_unit_field(writer->unit, name);

	if (writer->is_json || !writer->unit->is_time)
		write_number(writer, field.name, time, writer->unit->name);
	else
		write_text(writer, record_head_of(name, INT16_MAX).lines[1],
			   duration_text_of(time).text);
}

static uint64_t trace_bytes(const struct recording *recording)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < recording_stream_count(recording); i++)
		bytes += recording_stream(recording, i)->size_bytes;
	return bytes;
}

static void write_choice(struct writer *writer, const struct gate_choice_at *at)
{
	if (writer->is_json) {
		fprintf(writer->out,
			"{\"time_ns\":%" PRIu64 ",\"list\":", at->time_ns);
		json_string(writer->out, at->choice.list);
		fputs("}", writer->out);
		return;
	}
	begin_fact(writer, "only");
	name_write(writer->out, NAME_TEXT, at->choice.list);
	/* The first choice is made before there is any trace. */
	if (at->time_ns <= writer->origin_ns)
		fputs(" from the start\n", writer->out);
	else
		fprintf(writer->out, " from %s s\n",
			moment_text(at->time_ns, writer->origin_ns).text);
}

/* Writes the choices of record --only: a line each, or a JSON list. */
static void write_choices(struct writer *writer,
			  const struct recording *recording)
{
	struct array choices = ARRAY_OF(struct gate_choice_at);
	int error = gate_choices_read(recording, &choices);

	if (writer->is_json && choices.count) {
		begin_fact(writer, "only");
		fputs("[", writer->out);
	}
	for (size_t i = 0; !error && i < choices.count; i++) {
		if (writer->is_json && i)
			fputs(",", writer->out);
		write_choice(writer, array_at(&choices, i));
	}
	if (writer->is_json && choices.count)
		fputs("]", writer->out);
	array_free(&choices);
}

static void write_recording(struct writer *writer,
			    const struct recording *recording)
{
	const struct recording_info *info = recording_info(recording);
	const struct recording_counts *counts = recording_counts(recording);

	write_text(writer, "path", recording_path(recording));
	write_text(writer, "host", info->hostname);
	write_text(writer, "kernel", info->os_release);
	write_text(writer, "architecture", info->arch);
	write_text(writer, "processor", info->cpu_name);
	write_text(writer, "command", info->command);
	write_text(writer, "recorded_by", info->version);
	write_text(
		writer, "traced_by",
		recording_trace(recording) == RECORDING_TRACE_FUNCTION_GRAPH &&
				recording_graph_trace(recording)->has_functions ?
			"function_graph" :
			"");
	write_choices(writer, recording);
	write_text(writer, "times_count", writer->unit->name);
	write_text(writer, "cut", recording_is_cut(recording) ? "yes" : "");
	write_number(writer, "records", counts->records, "");
	write_number(writer, "trace", trace_bytes(recording), "bytes");
	write_number(writer, "lost_records", counts->lost_records, "");
	write_number(writer, "truncated_trace", counts->aux_truncated,
		     "records");
}

static void write_cpu(struct writer *writer, const struct cpu_account *account)
{
	static const char *const names[CPU_STATES] = {
		[CPU_UNSEEN] = "before_ns",   [CPU_TRACED] = "traced_ns",
		[CPU_OUTSIDE] = "outside_ns", [CPU_FILTERED] = "filtered_ns",
		[CPU_OFF] = "off_ns",	      [CPU_NOT_ASKED] = "not_asked_ns",
		[CPU_GUEST] = "guest_ns",     [CPU_GAP] = "gap_ns",
	};

	write_time(writer, "wall_ns", account->last_ns - account->first_ns);
	for (int i = 0; i < CPU_STATES; i++)
		write_time(writer, names[i], account->state_ns[i]);
	write_time(writer, "idle_ns", account->idle_ns);
	write_number(writer, "switches", account->switches, "");
	write_number(writer, "gaps", account->gaps, "");
	write_number(writer, "lost", account->lost_bytes, "bytes");
}

void overview_write_text(const struct recording *recording,
			 const struct task_stacks *stacks, uint64_t origin_ns,
			 FILE *out)
{
	struct writer writer = { .out = out,
				 .unit = time_unit_of(recording),
				 .origin_ns = origin_ns };

	fprintf(out, "\n%srecording\n",
		writer.unit->is_time ? "" : writer.unit->note);
	write_recording(&writer, recording);
	for (uint32_t i = 0; i < task_stacks_cpu_count(stacks); i++) {
		const struct cpu_account *account =
			task_stacks_account(stacks, i);

		fprintf(out, "\ncpu %" PRId32 "\n", account->cpu);
		write_cpu(&writer, account);
	}
}

void overview_write_json(const struct recording *recording,
			 const struct task_stacks *stacks, FILE *out)
{
	struct writer writer = {
		.out = out,
		.is_json = true,
		.separator = "",
		.unit = time_unit_of(recording),
	};

	fputs("\"version\":1,\n\"recording\":{", out);
	write_recording(&writer, recording);
	fputs("},\n\"cpus\":[", out);
	for (uint32_t i = 0; i < task_stacks_cpu_count(stacks); i++) {
		const struct cpu_account *account =
			task_stacks_account(stacks, i);

		fprintf(out, "%s\n{\"cpu\":%" PRId32, i ? "," : "",
			account->cpu);
		write_cpu(&writer, account);
		fputs("}", out);
	}
	fputs("\n],\n", out);
}
