/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/tracepoint.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/symbols.h"
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
	RECORDING_COLUMN_PATH,
	RECORDING_COLUMN_HOST,
	RECORDING_COLUMN_KERNEL,
	RECORDING_COLUMN_ARCH,
	RECORDING_COLUMN_CPU_NAME,
	RECORDING_COLUMN_COMMAND,
	RECORDING_COLUMN_CPUS,
	RECORDING_COLUMN_FIRST_NS,
	RECORDING_COLUMN_LAST_NS,
	RECORDING_COLUMN_CLOCK,
	RECORDING_COLUMN_TRACE,
	RECORDING_COLUMN_TRACE_BYTES,
	RECORDING_COLUMN_LOST_RECORDS,
	RECORDING_COLUMN_TRUNCATED,
	RECORDING_COLUMN_ACTIVATE,
	RECORDING_COLUMN_CLOCK_BEGIN, /* the first of READING_COLUMNS */
	RECORDING_COLUMN_CLOCK_END =
		RECORDING_COLUMN_CLOCK_BEGIN + READING_COLUMNS,
	RECORDING_COLUMN_SCHEMA = RECORDING_COLUMN_CLOCK_END + READING_COLUMNS,
	RECORDING_COLUMNS,
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

static const struct sql_column recording_columns[RECORDING_COLUMNS] = {
	[RECORDING_COLUMN_PATH] = { "path", SQL_TEXT, ROLE_NONE, "",
				    "path of the recording, as passed to the command" },
	[RECORDING_COLUMN_HOST] = { "host", SQL_TEXT, ROLE_NONE, "",
				    "name of the traced machine" },
	[RECORDING_COLUMN_KERNEL] = { "kernel", SQL_TEXT, ROLE_NONE, "",
				      "release of its kernel, as in uname -r" },
	[RECORDING_COLUMN_ARCH] = { "arch", SQL_TEXT, ROLE_NONE, "",
				    "its architecture, as in uname -m" },
	[RECORDING_COLUMN_CPU_NAME] = { "cpu_name", SQL_TEXT, ROLE_NONE, "",
					"its CPU's name" },
	[RECORDING_COLUMN_COMMAND] = { "command", SQL_TEXT, ROLE_NONE, "",
				       "the command that made the recording, with "
				       "arguments" },
	[RECORDING_COLUMN_CPUS] = { "cpus", SQL_INTEGER, ROLE_NONE, "",
				    "CPUs that were online" },
	[RECORDING_COLUMN_FIRST_NS] = { "first_ns", SQL_INTEGER, ROLE_NONE,
					"ns", "start of tracing" },
	[RECORDING_COLUMN_LAST_NS] = { "last_ns", SQL_INTEGER, ROLE_NONE, "ns",
				       "time of the last record" },
	[RECORDING_COLUMN_CLOCK] = { "clock", SQL_TEXT, ROLE_NONE, "",
				     "unit of all times: ns, cycles or instructions" },
	[RECORDING_COLUMN_TRACE] = { "trace", SQL_TEXT, ROLE_NONE, "",
				     "the trace unit: intel_pt or coresight" },
	[RECORDING_COLUMN_TRACE_BYTES] = { "trace_bytes", SQL_INTEGER,
					   ROLE_NONE, "bytes",
					   "size of the trace of all CPUs" },
	[RECORDING_COLUMN_LOST_RECORDS] = { "lost_records", SQL_INTEGER,
					    ROLE_NONE, "",
					    "perf records (other than trace) that were "
					    "lost" },
	[RECORDING_COLUMN_TRUNCATED] = { "truncated_trace", SQL_INTEGER,
					 ROLE_NONE, "",
					 "how often trace was lost because it did not "
					 "fit its buffer" },
	[RECORDING_COLUMN_ACTIVATE] = { "activate_ns", SQL_INTEGER, ROLE_NONE,
					"ns",
					"the time of CLOCK_REALTIME, since 1970, that "
					"record --activate waited for; NULL without "
					"--activate" },
	READING(RECORDING_COLUMN_CLOCK_BEGIN, "begin"),
	READING(RECORDING_COLUMN_CLOCK_END, "end"),
	[RECORDING_COLUMN_SCHEMA] = { "schema_version", SQL_INTEGER, ROLE_NONE,
				      "", "version of this schema" },
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
	cells[RECORDING_COLUMN_ACTIVATE].number = clock.activate_ns;
	if (!clock.activate_ns)
		row_out_null(rows->out, RECORDING_COLUMN_ACTIVATE);
	fill_reading(rows->out, cells, RECORDING_COLUMN_CLOCK_BEGIN,
		     &clock.begin);
	fill_reading(rows->out, cells, RECORDING_COLUMN_CLOCK_END, &clock.end);
}

static void fill(union sql_cell *cells, const struct recording *recording)
{
	const struct recording_info *info = recording_info(recording);
	const struct recording_counts *counts = recording_counts(recording);

	cells[RECORDING_COLUMN_PATH].text = recording_path(recording);
	cells[RECORDING_COLUMN_HOST].text = info->hostname;
	cells[RECORDING_COLUMN_KERNEL].text = info->os_release;
	cells[RECORDING_COLUMN_ARCH].text = info->arch;
	cells[RECORDING_COLUMN_CPU_NAME].text = info->cpu_name;
	cells[RECORDING_COLUMN_COMMAND].text = info->command;
	cells[RECORDING_COLUMN_CPUS].number = info->cpus_online;
	cells[RECORDING_COLUMN_FIRST_NS].number = (int64_t)info->first_time_ns;
	cells[RECORDING_COLUMN_LAST_NS].number = (int64_t)info->last_time_ns;
	cells[RECORDING_COLUMN_CLOCK].text = clock_name(recording);
	cells[RECORDING_COLUMN_TRACE].text = trace_name(recording);
	cells[RECORDING_COLUMN_TRACE_BYTES].number = trace_bytes(recording);
	cells[RECORDING_COLUMN_LOST_RECORDS].number =
		(int64_t)counts->lost_records;
	cells[RECORDING_COLUMN_TRUNCATED].number =
		(int64_t)counts->aux_truncated;
	cells[RECORDING_COLUMN_SCHEMA].number = SQL_SCHEMA_VERSION;
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
	.columns = recording_columns,
	.column_count = RECORDING_COLUMNS,
	.source = &recording_source,
};

/* All functions of the kernel and the programs, called or not. */
struct function_rows {
	struct row_source source;
	const struct function_table *functions;
	struct row_out *out;
};

enum {
	FUNCTION_COLUMN_ID,
	FUNCTION_COLUMN_NAME,
	FUNCTION_COLUMN_MODULE,
	FUNCTION_COLUMN_ADDRESS,
	FUNCTION_COLUMN_SPACE,
	FUNCTION_COLUMN_SYMBOL,
	FUNCTION_COLUMNS,
};

static const struct sql_column function_columns[FUNCTION_COLUMNS] = {
	[FUNCTION_COLUMN_ID] = { "function_id", SQL_INTEGER, ROLE_NONE, "",
				 "number of the function in other tables, valid for "
				 "this recording only" },
	[FUNCTION_COLUMN_NAME] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
				   "name of the function; not unique" },
	[FUNCTION_COLUMN_MODULE] = { "module", SQL_TEXT, ROLE_NONE, "",
				     "module or program; empty for the kernel image" },
	[FUNCTION_COLUMN_ADDRESS] = { "address", SQL_INTEGER, ROLE_NONE, "",
				      "lowest entry address, as a signed number; NULL "
				      "if unknown" },
	[FUNCTION_COLUMN_SPACE] = { "space", SQL_TEXT, ROLE_NONE, "",
				    "kernel or user" },
	[FUNCTION_COLUMN_SYMBOL] = { "symbol", SQL_TEXT, ROLE_NONE, "",
				     "its symbol in the file: the mangled name of C++, "
				     "Rust and D" },
};

static void add(struct row_out *out, uint32_t number,
		const struct function *function)
{
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	cells[FUNCTION_COLUMN_ID].number = number;
	cells[FUNCTION_COLUMN_NAME].text = function->name;
	cells[FUNCTION_COLUMN_MODULE].text = function->module;
	cells[FUNCTION_COLUMN_ADDRESS].number = (int64_t)function->address;
	if (!function->address)
		row_out_null(out, FUNCTION_COLUMN_ADDRESS);
	cells[FUNCTION_COLUMN_SPACE].text = function->space == 'u' ? "user" :
								     "kernel";
	cells[FUNCTION_COLUMN_SYMBOL].text = function_symbol(function);
	row_out_end(out);
}

static int function_end(struct row_source *source,
			const struct task_stacks *stacks, bool is_early)
{
	struct function_rows *rows = (struct function_rows *)source;
	uint32_t count = function_count(rows->functions);

	(void)stacks;
	(void)is_early;
	for (uint32_t i = 0; i < count; i++)
		add(rows->out, i, function_at(rows->functions, i));
	return row_out_flush(rows->out);
}

static struct row_source *open_functions(const struct row_source_input *input)
{
	struct function_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source.end = function_end;
	rows->source.close = close_rows;
	rows->functions = symbols_functions(input->recording->symbols);
	rows->out = input->outs[TABLE_FUNCTION];
	return &rows->source;
}

const struct row_source_class function_source = {
	.need = NEEDS_NOTHING,
	.open = open_functions,
};

const struct sql_table sql_function_table = {
	.id = TABLE_FUNCTION,
	.name = "function",
	.meaning = "All functions of the kernel, its modules and the traced "
		   "programs, including those that were never called.",
	.columns = function_columns,
	.column_count = FUNCTION_COLUMNS,
	.source = &function_source,
};
