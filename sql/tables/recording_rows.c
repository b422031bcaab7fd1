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

/* The source of a row. */
struct recording_fact {
	struct recording_info info;
	struct recording_counts counts;
};

#define OF_INFO(member) MEMBER(struct recording_fact, info.member)
#define OF_COUNTS(member) MEMBER(struct recording_fact, counts.member)

/* Columns of one reading of two clocks. Readings are made at the start and at
 * the end of tracing.
 */
#define READING(when) \
	NS_COLUMN("clock_" when "_offset_ns", \
		  "CLOCK_REALTIME minus the recording's clock at the " when \
		  " of tracing; NULL, like the following columns, if not " \
		  "recorded"), \
		NS_COLUMN("clock_" when "_bracket_ns", \
			  "error bound of that offset: both clocks were read " \
			  "within this time"), \
		INT_COLUMN("clock_" when "_status", \
			   "status of CLOCK_REALTIME, as adjtimex(2) returns " \
			   "it; bit 64: not synchronised"), \
		NS_COLUMN("clock_" when "_esterror_ns", \
			  "estimated error of CLOCK_REALTIME, from " \
			  "adjtimex(2)"), \
		NS_COLUMN("clock_" when "_maxerror_ns", \
			  "maximum error of CLOCK_REALTIME, from adjtimex(2)")

static const struct column recording_columns[] = {
	TEXT_COLUMN("path", "path of the recording, as passed to the command"),
	TEXT_COLUMN("host", "name of the traced machine", OF_INFO(hostname)),
	TEXT_COLUMN("kernel", "release of its kernel, as in uname -r",
		    OF_INFO(os_release)),
	TEXT_COLUMN("arch", "its architecture, as in uname -m", OF_INFO(arch)),
	TEXT_COLUMN("cpu_name", "its CPU's name", OF_INFO(cpu_name)),
	TEXT_COLUMN("command",
		    "the command that made the recording, with arguments",
		    OF_INFO(command)),
	INT_COLUMN("cpus", "CPUs that were online", OF_INFO(cpus_online)),
	NS_COLUMN("first_ns", "start of tracing", OF_INFO(first_time_ns)),
	NS_COLUMN("last_ns", "time of the last record", OF_INFO(last_time_ns)),
	TEXT_COLUMN("clock", "unit of all times: ns, cycles or instructions"),
	TEXT_COLUMN("trace", "the trace unit: intel_pt or coresight"),
	BYTES_COLUMN("trace_bytes", "size of the trace of all CPUs"),
	INT_COLUMN("lost_records",
		   "perf records (other than trace) that were lost",
		   OF_COUNTS(lost_records)),
	INT_COLUMN("truncated_trace",
		   "how often trace was lost because it did not fit its "
		   "buffer",
		   OF_COUNTS(aux_truncated)),
	NS_COLUMN("activate_ns",
		  "the time of CLOCK_REALTIME, since 1970, that record "
		  "--activate waited for; NULL without --activate"),
	READING("begin"),
	READING("end"),
	INT_COLUMN("schema_version", "version of this schema"),
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

static void put_reading(struct row_out *out,
			const struct clock_reading *reading)
{
	bool is_known = reading->is_known;

	row_put_known(out, is_known, clock_reading_offset(reading));
	row_put_known(out, is_known, (int64_t)reading->bracket_ns);
	row_put_known(out, is_known, reading->status);
	row_put_known(out, is_known, (int64_t)reading->esterror_ns);
	row_put_known(out, is_known, (int64_t)reading->maxerror_ns);
}

static void add_recording(struct row_out *out,
			  const struct recording *recording)
{
	const struct recording_fact fact = {
		.info = *recording_info(recording),
		.counts = *recording_counts(recording),
	};
	struct clock_readings clock;

	if (!row_out_start(out, &fact))
		return;
	recording_clock_read(recording, &clock);
	row_put_text(out, recording_path(recording));
	row_put_text(out, clock_name(recording));
	row_put_text(out, trace_name(recording));
	row_put_number(out, trace_bytes(recording));
	row_put_known(out, clock.activate_ns, clock.activate_ns);
	put_reading(out, &clock.begin);
	put_reading(out, &clock.end);
	row_put_number(out, SQL_SCHEMA_VERSION);
	row_out_end(out);
}

static int end(struct row_source *source, const struct row_end *pass)
{
	const struct recording_rows *rows =
		(const struct recording_rows *)source;

	(void)pass;
	add_recording(rows->out, rows->recording);
	return 0;
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct recording_rows *rows = (struct recording_rows *)source;

	rows->recording = input->recording->recording;
	rows->out = input->outs[TABLE_RECORDING];
	return true;
}

const struct row_source_class recording_source = {
	.need = NEEDS_NOTHING,
	.size = sizeof(struct recording_rows),
	.open = open_rows,
	.end = end,
};

const struct sql_table sql_recording_table = {
	.id = TABLE_RECORDING,
	.name = "recording",
	.meaning = "The recording itself: one row.",
	COLUMN_LIST(recording_columns),
	.source = &recording_source,
};

/* All functions of the kernel and the programs, called or not. */
struct function_rows {
	struct row_source source;
	const struct function_table *functions;
	struct row_out *out;
};

#define OF_FUNCTION(member) MEMBER(struct function, member)

static const struct column function_columns[] = {
	INT_COLUMN("function_id",
		   "number of the function in other tables, valid for this "
		   "recording only"),
	TEXT_COLUMN("function", "name of the function; not unique",
		    .role = ROLE_FUNCTION, OF_FUNCTION(name)),
	TEXT_COLUMN("module", "module or program; empty for the kernel image",
		    OF_FUNCTION(module)),
	INT_COLUMN("address",
		   "lowest entry address, as a signed number; NULL if "
		   "unknown"),
	TEXT_COLUMN("space", "kernel or user"),
	TEXT_COLUMN("symbol",
		    "its symbol in the file: the mangled name of C++, Rust "
		    "and D"),
};

static void add(struct row_out *out, uint32_t number,
		const struct function *function)
{
	if (!row_out_start(out, function))
		return;
	row_put_number(out, number);
	row_put_known(out, function->address, (int64_t)function->address);
	row_put_text(out, function->space == 'u' ? "user" : "kernel");
	row_put_text(out, function_symbol(function));
	row_out_end(out);
}

static int function_end(struct row_source *source, const struct row_end *pass)
{
	struct function_rows *rows = (struct function_rows *)source;
	uint32_t count = function_count(rows->functions);

	(void)pass;
	for (uint32_t i = 0; i < count; i++)
		add(rows->out, i, function_at(rows->functions, i));
	return 0;
}

static bool open_functions(struct row_source *source,
			   const struct row_source_input *input)
{
	struct function_rows *rows = (struct function_rows *)source;

	rows->functions = symbols_functions(input->recording->symbols);
	rows->out = input->outs[TABLE_FUNCTION];
	return true;
}

const struct row_source_class function_source = {
	.need = NEEDS_NOTHING,
	.size = sizeof(struct function_rows),
	.open = open_functions,
	.end = function_end,
};

const struct sql_table sql_function_table = {
	.id = TABLE_FUNCTION,
	.name = "function",
	.meaning = "All functions of the kernel, its modules and the traced "
		   "programs, including those that were never called.",
	COLUMN_LIST(function_columns),
	.source = &function_source,
};
