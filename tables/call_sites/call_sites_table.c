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
	bool is_text;
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

static const struct function *function_of(const struct sites_table *table,
					  uint32_t function)
{
	return function_at(symbols_functions(table->input.symbols), function);
}

static const char *entry_name(const struct sites_table *table,
			      const struct call_site *site)
{
	switch ((enum site_purpose)(int32_t)site->purpose) {
	case SITE_PAGE_FAULT:
		return "page_fault";
	case SITE_EXCEPTION:
		return "exception";
	case SITE_SYSTEM_CALL:
		return "system_call";
	}
	return system_call_name(symbols_functions(table->input.symbols),
				symbols_arch(table->input.symbols),
				site->purpose);
}

static uint64_t sum(const struct call_site *site)
{
	uint64_t total_ns = 0;

	for (int i = 0; i < TIME_CLASSES; i++)
		total_ns += site->class_ns[i];
	return total_ns;
}

static void write_line(struct record_writer *writer,
		       const struct sites_table *table, const char *name,
		       uint32_t function, uint64_t offset)
{
	struct source_line line;
	char text[600];

	if (!lines_find(table->input.lines, function_of(table, function),
			offset, &line)) {
		record_absent(writer, name);
		return;
	}
	snprintf(text, sizeof(text), "%s:%d",
		 table->is_text && strrchr(line.file, '/') ?
			 strrchr(line.file, '/') + 1 :
			 line.file,
		 line.line);
	record_text(writer, name, text);
}

static void write_place(struct record_writer *writer,
			const struct sites_table *table,
			const struct call_site *site)
{
	const struct function *function = function_of(table, site->function);
	const char *slash = strrchr(function->module, '/');

	if (!site->address) {
		record_absent(writer, "function");
		record_absent(writer, "offset");
		record_absent(writer, "line");
		record_absent(writer, "file");
		record_absent(writer, "address");
		return;
	}
	record_text(writer, "function", function->name);
	record_address(writer, "offset", site->offset);
	write_line(writer, table, "line", site->function, site->offset);
	record_text(writer, "file",
		    table->is_text && slash ? slash + 1 : function->module);
	record_address(writer, "address", site->address);
}

static void write_caller(struct record_writer *writer,
			 const struct sites_table *table,
			 const struct call_site *site)
{
	struct symbol symbol;

	if (site->caller == FUNCTION_NONE) {
		record_absent(writer, "caller");
		record_absent(writer, "caller_line");
		return;
	}
	record_text(writer, "caller", function_of(table, site->caller)->name);
	if (!site->caller_address) {
		record_absent(writer, "caller_line");
		return;
	}
	symbols_find(table->input.symbols, site->pid, site->first_ns,
		     site->caller_address - 1, &symbol);
	write_line(writer, table, "caller_line", symbol.function,
		   site->caller_address - 1 - symbol.start);
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct sites_table *table = ctx;
	const struct call_site *site = call_sites_at(table->sites, index);
	const struct table_rows rows = { writer, table->is_text };

	table_rows_process(writer, &table->input, site->pid);
	record_text(writer, "entry", entry_name(table, site));
	record_number(writer, "count", site->entries);
	record_number(writer, "total_ns", sum(site));
	record_number(writer, "on_cpu_ns",
		      site->class_ns[TIME_SYSTEM_CALL] +
			      site->class_ns[TIME_RECLAIM] +
			      site->class_ns[TIME_KERNEL] +
			      site->class_ns[TIME_USER] +
			      site->class_ns[TIME_GUEST]);
	record_number(writer, "fault_ns", site->class_ns[TIME_FAULT]);
	record_number(writer, "interrupt_ns", site->class_ns[TIME_INTERRUPT]);
	record_number(writer, "tracer_ns", site->class_ns[TIME_TRACER]);
	table_rows_known(&rows, table->has_off_cpu, "asleep_ns",
			 site->class_ns[TIME_ASLEEP]);
	table_rows_known(&rows, table->has_off_cpu, "runnable_ns",
			 site->class_ns[TIME_RUNNABLE]);
	record_number(writer, "unknown_ns", site->class_ns[TIME_UNKNOWN]);
	write_place(writer, table, site);
	write_caller(writer, table, site);
}

static const struct table_need needs[] = {
	{ .columns = "asleep_ns, runnable_ns", .event = EVENT_SCHED_SWITCH },
	{ .columns = "asleep_ns, runnable_ns", .event = EVENT_SCHED_WAKING },
	{ .columns = "function of system calls",
	  .event = RECORDED_USER_STACKS },
	{ .columns = "function of page faults",
	  .event = EVENT_PAGE_FAULT_USER },
};

/* With a user trace, only the first needs apply: the functions are in the
 * trace.
 */
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
	struct attribution_output by_total = *output;
	int status = call_sites_end(table->sites);

	if (!by_total.sort)
		by_total.sort = "total_ns";
	table->is_text = output->format == RECORD_TABLE;
	if (!status)
		status = table_rows_render(&by_total, write_row, table,
					   call_sites_count(table->sites));
	if (!status && table->is_text)
		explain(table, output->out);
	return status;
}

static void keep(struct event_handler *handler,
		 struct cache_file_writer *writer)
{
	call_sites_keep(((struct sites_table *)handler)->sites, writer);
}

/* Ends the sites, so that all entries are cached. The status may be ignored:
 * render() reports it again.
 */
static void keep_at_end(struct event_handler *handler)
{
	call_sites_end(((struct sites_table *)handler)->sites);
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	call_sites_read(((struct sites_table *)handler)->sites, pack);
}

static const struct table_records records = {
	.name = "user_sites",
	.keep = keep,
	.keep_at_end = keep_at_end,
	.pack_rest = table_records_refer_to_nothing,
	.consume = consume_record,
	.wanted = table_records_begin_in,
};

const struct attribution_table call_sites_table = {
	.name = "user-sites",
	.columns = "group pid comm entry count total_ns on_cpu_ns fault_ns "
		   "interrupt_ns tracer_ns asleep_ns runnable_ns unknown_ns "
		   "function offset line file address caller caller_line",
	.brief = "group,pid,comm,entry,count,total_ns,on_cpu_ns,asleep_ns,"
		 "function,line,caller,caller_line",
	.help = "system calls, sleep and faults by the user instruction that "
		"started them",
	.is_of_tasks = true,
	.size = sizeof(struct sites_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &records,
};
