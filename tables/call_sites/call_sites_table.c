/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/table_records.h"
#include "decoder/recording/recording.h"
#include "symbolize/elf/lines.h"
#include "symbolize/symbols/symbols.h"
#include "tables/call_sites/call_sites_internal.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <stdlib.h>
#include <string.h>

/* report --user-sites: the time that each user instruction spends in the
 * kernel.
 */
struct sites_table {
	struct event_handler handler;
	struct attribution_input input;
	struct call_sites *sites;
	bool has_off_cpu;
};

static void close_table(struct event_handler *handler)
{
	struct sites_table *table = (struct sites_table *)handler;

	call_sites_free(table->sites);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct sites_table *table = (struct sites_table *)handler;

	table->input = *input;
	table->has_off_cpu =
		known_events_has(input->events, EVENT_SCHED_SWITCH) &&
		known_events_has(input->events, EVENT_SCHED_WAKING);
	table->sites = call_sites_new(&table->input);
	return table->sites;
}

static const struct function *function_of(const struct column_row *row,
					  uint32_t function)
{
	return function_at(symbols_functions(row->input->symbols), function);
}

static const void *site_at(const void *table_, uint64_t index)
{
	const struct sites_table *table = table_;

	return call_sites_at(table->sites, index);
}

static const char *entry_name(const struct column_row *row)
{
	const struct call_site *site = row->fact;

	switch ((enum site_purpose)(int32_t)site->purpose) {
	case SITE_PAGE_FAULT:
		return "page_fault";
	case SITE_EXCEPTION:
		return "exception";
	case SITE_SYSTEM_CALL:
		return "system_call";
	}
	return system_call_name(symbols_functions(row->input->symbols),
				symbols_arch(row->input->symbols),
				site->purpose);
}

static uint64_t total_ns(const struct column_row *row)
{
	const struct call_site *site = row->fact;
	uint64_t total_ns = 0;

	for (int i = 0; i < TIME_CLASSES; i++)
		total_ns += site->class_ns[i];
	return total_ns;
}

static uint64_t on_cpu_ns(const struct column_row *row)
{
	const struct call_site *site = row->fact;

	return system_call_on_cpu(site->class_ns);
}

/* Returns the last part of @path in the text format, and all of it in others.
 */
static const char *path_text(const struct column_row *row, const char *path)
{
	const char *slash = row->is_text ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static void write_line_of(struct record_writer *writer,
			  const struct column *column,
			  const struct column_row *row, uint32_t function,
			  uint64_t offset)
{
	struct source_line line;
	char text[600];

	if (!lines_find(row->input->lines, function_of(row, function), offset,
			&line)) {
		record_absent(writer, column->name);
		return;
	}
	snprintf(text, sizeof(text), "%s:%d", path_text(row, line.file),
		 line.line);
	record_text(writer, column->name, text);
}

static const char *function_name(const struct column_row *row)
{
	const struct call_site *site = row->fact;

	return site->address ? function_of(row, site->function)->name : NULL;
}

static const char *file_name(const struct column_row *row)
{
	const struct call_site *site = row->fact;

	return site->address ?
		       path_text(row,
				 function_of(row, site->function)->module) :
		       NULL;
}

static const char *caller_name(const struct column_row *row)
{
	const struct call_site *site = row->fact;

	return site->caller == FUNCTION_NONE ?
		       NULL :
		       function_of(row, site->caller)->name;
}

/* Writes a member of a site whose address is known. */
static void write_address(struct record_writer *writer,
			  const struct column *column,
			  const struct column_row *row)
{
	const struct call_site *site = row->fact;

	if (site->address)
		record_address(writer, column->name,
			       *(const uint64_t *)((const char *)site +
						   column->offset));
	else
		record_absent(writer, column->name);
}

static void write_line(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	const struct call_site *site = row->fact;

	if (site->address)
		write_line_of(writer, column, row, site->function,
			      site->offset);
	else
		record_absent(writer, column->name);
}

static void write_caller_line(struct record_writer *writer,
			      const struct column *column,
			      const struct column_row *row)
{
	const struct call_site *site = row->fact;
	struct symbol symbol;

	if (site->caller == FUNCTION_NONE || !site->caller_address) {
		record_absent(writer, column->name);
		return;
	}
	symbols_find(row->input->symbols, site->pid, site->first_ns,
		     site->caller_address - 1, &symbol);
	write_line_of(writer, column, row, symbol.function,
		      site->caller_address - 1 - symbol.start);
}

#define OF(member) MEMBER(struct call_site, member)
#define OF_CLASS(time_class) OF(class_ns[time_class])
#define OF_ADDRESS(member) WRITTEN_OF(write_address, struct call_site, member)
#define IF_OFF_CPU KNOWN_BY(struct sites_table, has_off_cpu)

static const struct column columns[] = {
	PROCESS_COLUMNS(struct call_site, pid),
	TEXT_COLUMN("entry", "system call, page_fault or exception",
		    NAMED(entry_name)),
	COUNT_COLUMN(OF(entries)),
	TOTAL_COLUMN(COUNTED(total_ns)),
	ON_CPU_COLUMN(COUNTED(on_cpu_ns)),
	NS_COLUMN("fault_ns", "part of on CPU: in page faults and exceptions",
		  OF_CLASS(TIME_FAULT)),
	INTERRUPT_COLUMN(OF_CLASS(TIME_INTERRUPT)),
	TRACER_COLUMN(OF_CLASS(TIME_TRACER)),
	ASLEEP_COLUMN(OF_CLASS(TIME_ASLEEP), IF_OFF_CPU),
	RUNNABLE_COLUMN(OF_CLASS(TIME_RUNNABLE), IF_OFF_CPU),
	UNKNOWN_COLUMN(OF_CLASS(TIME_UNKNOWN)),
	TEXT_COLUMN("function", "function that made the call",
		    NAMED(function_name)),
	TEXT_COLUMN("offset", "position in the function, in bytes",
		    OF_ADDRESS(offset)),
	TEXT_COLUMN("line", "file and line of the source", WRITTEN(write_line)),
	TEXT_COLUMN("file", "program or library", NAMED(file_name)),
	TEXT_COLUMN("address", "address of the instruction",
		    OF_ADDRESS(address)),
	TEXT_COLUMN("caller", "function that called this function",
		    NAMED(caller_name)),
	TEXT_COLUMN("caller_line", "file and line of that call",
		    WRITTEN(write_caller_line)),
	END_OF_COLUMNS,
};

static const struct table_need needs[] = {
	{ .columns = "asleep_ns, runnable_ns", .event = EVENT_SCHED_SWITCH },
	{ .columns = "asleep_ns, runnable_ns", .event = EVENT_SCHED_WAKING },
	{ .columns = "function of system calls",
	  .event = RECORDED_USER_STACKS },
	{ .columns = "function of page faults",
	  .event = EVENT_PAGE_FAULT_USER },
};

/* How many of the needs apply to user traces, which contain the functions. */
enum { NEEDS_OF_TRACED_USER = 2 };

static void explain(const struct sites_table *table, FILE *out)
{
	bool is_traced = recording_traces_user(table->input.recording);

	recorded_table(&table->input, needs,
		       is_traced ? NEEDS_OF_TRACED_USER :
				   sizeof(needs) / sizeof(*needs),
		       call_sites_count(table->sites),
		       "No system call, sleep or fault was seen", out);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct sites_table *table = (struct sites_table *)handler;
	struct table_rows rows = {
		.table = &call_sites_table,
		.state = table,
		.input = &table->input,
		.fact_at = site_at,
	};
	struct attribution_output by_total = *output;
	int status = call_sites_end(table->sites);

	rows.count = call_sites_count(table->sites);
	if (!by_total.sort)
		by_total.sort = "total_ns";
	if (!status)
		status = table_rows_show(&by_total, &rows);
	if (!status && output->format == RECORD_TABLE)
		explain(table, output->out);
	return status;
}

const struct attribution_table call_sites_table = {
	.name = "user-sites",
	.columns = columns,
	.brief = "group,pid,comm,entry,count,total_ns,on_cpu_ns,asleep_ns,"
		 "function,line,caller,caller_line",
	.help = "system calls, sleep and faults by the user instruction that "
		"started them",
	.is_of_tasks = true,
	.size = sizeof(struct sites_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &call_site_records,
	.owner = OWNER_AT(struct sites_table, sites),
};
