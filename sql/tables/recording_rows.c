/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/tracepoint.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/table.h"

#include <stdlib.h>

/* The single row of the recording itself. */
struct recording_rows {
	struct row_source source;
	const struct recording *recording;
	struct row_out *out;
};

/* The columns of a reading of two clocks, made at the start and at the end of
 * tracing.
 */
enum {
	READING_OFFSET,
	READING_BRACKET,
	READING_STATUS,
	READING_ESTERROR,
	READING_MAXERROR,
	READING_COLUMNS,
};

enum {
	COLUMN_PATH,
	COLUMN_HOST,
	COLUMN_KERNEL,
	COLUMN_ARCH,
	COLUMN_CPU_NAME,
	COLUMN_COMMAND,
	COLUMN_CPUS,
	COLUMN_FIRST_NS,
	COLUMN_LAST_NS,
	COLUMN_CLOCK,
	COLUMN_TRACE,
	COLUMN_TRACE_BYTES,
	COLUMN_LOST_RECORDS,
	COLUMN_TRUNCATED,
	COLUMN_ACTIVATE,
	COLUMN_CLOCK_BEGIN, /* the first of READING_COLUMNS */
	COLUMN_CLOCK_END = COLUMN_CLOCK_BEGIN + READING_COLUMNS,
	COLUMN_SCHEMA = COLUMN_CLOCK_END + READING_COLUMNS,
	COLUMNS,
};

#define READING(first, when) \
	[(first) + \
		READING_OFFSET] = { "clock_" when "_offset_ns", SQL_INTEGER, \
				    ROLE_NONE, "ns", \
				    "CLOCK_REALTIME minus the recording's " \
				    "clock at the " when " of tracing; NULL, " \
				    "like the following " \
				    "columns, if not " \
				    "recorded" }, \
		[(first) + \
			READING_BRACKET] = { "clock_" when "_bracket_ns", \
					     SQL_INTEGER, ROLE_NONE, "ns", \
					     "error bound of that offset: " \
					     "both clocks were read within " \
					     "this time" }, \
		[(first) + \
			READING_STATUS] = { "clock_" when "_status", \
					    SQL_INTEGER, ROLE_NONE, "", \
					    "status of CLOCK_REALTIME, as " \
					    "adjtimex(2) returns it; bit 64: " \
					    "not synchronised" }, \
		[(first) + READING_ESTERROR] = { "clock_" when "_esterror_ns", \
						 SQL_INTEGER, ROLE_NONE, "ns", \
						 "estimated error of " \
						 "CLOCK_REALTIME, from " \
						 "adjtimex(2)" }, \
		[(first) + READING_MAXERROR] = { \
			"clock_" when "_maxerror_ns", SQL_INTEGER, ROLE_NONE, \
			"ns", \
			"maximum error of CLOCK_REALTIME, from adjtimex(2)" \
		}

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_PATH] = { "path", SQL_TEXT, ROLE_NONE, "",
			  "path of the recording, as passed to the command" },
	[COLUMN_HOST] = { "host", SQL_TEXT, ROLE_NONE, "",
			  "name of the traced machine" },
	[COLUMN_KERNEL] = { "kernel", SQL_TEXT, ROLE_NONE, "",
			    "release of its kernel, as in uname -r" },
	[COLUMN_ARCH] = { "arch", SQL_TEXT, ROLE_NONE, "",
			  "its architecture, as in uname -m" },
	[COLUMN_CPU_NAME] = { "cpu_name", SQL_TEXT, ROLE_NONE, "",
			      "its CPU's name" },
	[COLUMN_COMMAND] = { "command", SQL_TEXT, ROLE_NONE, "",
			     "the command that made the recording, with "
			     "arguments" },
	[COLUMN_CPUS] = { "cpus", SQL_INTEGER, ROLE_NONE, "",
			  "CPUs that were online" },
	[COLUMN_FIRST_NS] = { "first_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "start of tracing" },
	[COLUMN_LAST_NS] = { "last_ns", SQL_INTEGER, ROLE_NONE, "ns",
			     "time of the last record" },
	[COLUMN_CLOCK] = { "clock", SQL_TEXT, ROLE_NONE, "",
			   "unit of all times: ns, cycles or instructions" },
	[COLUMN_TRACE] = { "trace", SQL_TEXT, ROLE_NONE, "",
			   "the trace unit: intel_pt or coresight" },
	[COLUMN_TRACE_BYTES] = { "trace_bytes", SQL_INTEGER, ROLE_NONE, "bytes",
				 "size of the trace of all CPUs" },
	[COLUMN_LOST_RECORDS] = { "lost_records", SQL_INTEGER, ROLE_NONE, "",
				  "perf records (other than trace) that were "
				  "lost" },
	[COLUMN_TRUNCATED] = { "truncated_trace", SQL_INTEGER, ROLE_NONE, "",
			       "how often trace was lost because it did not "
			       "fit its buffer" },
	[COLUMN_ACTIVATE] = { "activate_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "the time of CLOCK_REALTIME, since 1970, that "
			      "record --activate waited for; NULL without "
			      "--activate" },
	READING(COLUMN_CLOCK_BEGIN, "begin"),
	READING(COLUMN_CLOCK_END, "end"),
	[COLUMN_SCHEMA] = { "schema_version", SQL_INTEGER, ROLE_NONE, "",
			    "version of this schema" },
};

static const char *clock_name(const struct recording *recording)
{
	switch (recording_time(recording)) {
	case RECORDING_TIME_NANOSECONDS:
		return "ns";
	case RECORDING_TIME_CYCLES:
		return "cycles";
	case RECORDING_TIME_INSTRUCTIONS:
		return "instructions";
	}
	return "?";
}

static const char *trace_name(const struct recording *recording)
{
	switch (recording_trace(recording)) {
	case RECORDING_TRACE_INTEL_PT:
		return "intel_pt";
	case RECORDING_TRACE_CORESIGHT:
		return "coresight";
	case RECORDING_TRACE_FUNCTION_GRAPH:
		return recording_graph_trace(recording)->has_functions ?
			       "function_graph" :
			       NULL;
	case RECORDING_TRACE_NONE:
	case RECORDING_TRACE_OTHER:
		break;
	}
	return NULL;
}

static int64_t trace_bytes(const struct recording *recording)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < recording_stream_count(recording); i++)
		bytes += recording_stream(recording, i)->size_bytes;
	return (int64_t)bytes;
}

static void fill_reading(struct row_out *out, union sql_cell *cells,
			 uint32_t first, const struct clock_reading *reading)
{
	union sql_cell *of = cells + first;

	of[READING_OFFSET].number = clock_reading_offset(reading);
	of[READING_BRACKET].number = (int64_t)reading->bracket_ns;
	of[READING_STATUS].number = reading->status;
	of[READING_ESTERROR].number = (int64_t)reading->esterror_ns;
	of[READING_MAXERROR].number = (int64_t)reading->maxerror_ns;
	for (uint32_t i = 0; i < READING_COLUMNS && !reading->is_known; i++)
		row_out_null(out, first + i);
}

static void fill_clock(const struct recording_rows *rows, union sql_cell *cells)
{
	struct clock_readings clock;

	recording_clock_read(rows->recording, &clock);
	cells[COLUMN_ACTIVATE].number = clock.activate_ns;
	if (!clock.activate_ns)
		row_out_null(rows->out, COLUMN_ACTIVATE);
	fill_reading(rows->out, cells, COLUMN_CLOCK_BEGIN, &clock.begin);
	fill_reading(rows->out, cells, COLUMN_CLOCK_END, &clock.end);
}

static void fill(union sql_cell *cells, const struct recording *recording)
{
	const struct recording_info *info = recording_info(recording);
	const struct recording_counts *counts = recording_counts(recording);

	cells[COLUMN_PATH].text = recording_path(recording);
	cells[COLUMN_HOST].text = info->hostname;
	cells[COLUMN_KERNEL].text = info->os_release;
	cells[COLUMN_ARCH].text = info->arch;
	cells[COLUMN_CPU_NAME].text = info->cpu_name;
	cells[COLUMN_COMMAND].text = info->command;
	cells[COLUMN_CPUS].number = info->cpus_online;
	cells[COLUMN_FIRST_NS].number = (int64_t)info->first_time_ns;
	cells[COLUMN_LAST_NS].number = (int64_t)info->last_time_ns;
	cells[COLUMN_CLOCK].text = clock_name(recording);
	cells[COLUMN_TRACE].text = trace_name(recording);
	cells[COLUMN_TRACE_BYTES].number = trace_bytes(recording);
	cells[COLUMN_LOST_RECORDS].number = (int64_t)counts->lost_records;
	cells[COLUMN_TRUNCATED].number = (int64_t)counts->aux_truncated;
	cells[COLUMN_SCHEMA].number = SQL_SCHEMA_VERSION;
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct recording_rows *rows = (struct recording_rows *)source;
	union sql_cell *cells = row_out_begin(rows->out);

	(void)stacks;
	(void)is_early;
	if (cells) {
		fill(cells, rows->recording);
		fill_clock(rows, cells);
		row_out_end(rows->out);
	}
	return row_out_flush(rows->out);
}

static void close_rows(struct row_source *source)
{
	free(source);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct recording_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source.end = end;
	rows->source.close = close_rows;
	rows->recording = input->recording->recording;
	rows->out = input->outs[TABLE_RECORDING];
	return &rows->source;
}

const struct row_source_class recording_source = {
	.need = NEEDS_NOTHING,
	.open = open_rows,
};

const struct sql_table sql_recording_table = {
	.id = TABLE_RECORDING,
	.name = "recording",
	.meaning = "The recording itself: one row.",
	.columns = columns,
	.column_count = COLUMNS,
	.source = &recording_source,
};
