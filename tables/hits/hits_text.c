/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_label.h"
#include "report/text/task_names.h"
#include "tables/hits/hit_list.h"
#include "tables/hits/hits_table_parts.h"

#include <inttypes.h>
#include <string.h>

static void write_times(struct record_writer *writer,
			const struct call_times *times, bool is_known,
			const char *const names[CALL_PART_NAMES])
{
	for (int part = 0; part < CALL_PART_NAMES; part++)
		if (is_known)
			record_number(writer, names[part], times->ns[part]);
		else
			record_text(writer, names[part], "");
}

void hits_table_row(struct record_writer *writer, const void *ctx,
		    uint64_t index)
{
	static const char *const own[CALL_PART_NAMES] = {
		"wall_ns",   "on_cpu_ns", "asleep_ns", "runnable_ns",
		"stolen_ns", "tracer_ns", "unknown_ns"
	};
	static const char *const typical[CALL_PART_NAMES] = {
		"typical_wall_ns",     "typical_on_cpu_ns", "typical_asleep_ns",
		"typical_runnable_ns", "typical_stolen_ns", "typical_tracer_ns",
		"typical_unknown_ns"
	};
	const struct hits_table *table = ctx;
	const size_t *place = array_at(&table->shown, index);
	const struct hit *hit = array_at(&table->hits, *place);
	const struct hit_call *call = array_at(&table->calls, *place);

	record_number(writer, "hit", hit->what.number);
	record_text(writer, "trigger", hit->what.text);
	record_number(writer, "time_ns", hit->what.hit_ns);
	record_number(writer, "frozen_ns", hit->frozen_ns);
	record_signed(writer, "cpu", hit->cpu);
	record_signed(writer, "pid", hit->pid);
	record_signed(writer, "tid", hit->tid);
	record_text(writer, "comm",
		    task_names_comm(table->input.names, hit->tid,
				    hit->what.hit_ns));
	record_number(writer, "latency_ns", hit->what.latency_ns);
	record_number(writer, "not_kept", hit->what.overlapped);
	record_text(writer, "call",
		    call->is_known ? system_call_name(table->context.functions,
						      table->context.arch,
						      call->function) :
				     "");
	write_times(writer, &call->times, call->is_known, own);
	record_number(writer, "others", call->others);
	write_times(writer, &call->typical, call->others > 0, typical);
}

static void print_head(const struct hits_table *table, const struct hit *hit,
		       FILE *out)
{
	const struct trigger_hit *what = &hit->what;

	fprintf(out, "Hit %" PRIu32 ": ", what->number);
	name_write(out, NAME_TEXT, what->text);
	if (what->latency_ns)
		fprintf(out, ": %s", duration_text_of(what->latency_ns).text);
	fprintf(out, ", at %" PRIu64 ".%09" PRIu64 " s on CPU %" PRId32,
		what->hit_ns / 1000000000, what->hit_ns % 1000000000, hit->cpu);
	if (hit->tid > 0) {
		fputs(" by ", out);
		task_label_write(table->input.names, hit->tid, what->hit_ns,
				 out);
	}
	fputs("\n", out);
	if (what->overlapped)
		fprintf(out,
			"    %" PRIu32 " more hits occurred before it, while "
			"another was being saved\n",
			what->overlapped);
}

/* Prints the parts of the call's time beside those of similar calls. */
static void print_parts(const struct hits_table *table,
			const struct hit_call *call, FILE *out)
{
	const struct call_times *typical = &call->typical;
	uint64_t others = call->others;

	fprintf(out, "    %-10s %10s", "", "this one");
	if (others) {
		fprintf(out, " %10s (median of %" PRIu64 " other calls of ",
			"typical", others);
		name_write(out, NAME_TEXT,
			   system_call_name(table->context.functions,
					    table->context.arch,
					    call->function));
	}
	fputs(others ? ")\n" :
		       "; no other call of its kind was traced "
		       "completely\n",
	      out);
	for (int part = 0; part < CALL_PART_NAMES; part++) {
		if (!call->times.ns[part] && !typical->ns[part])
			continue;
		fprintf(out, "    %-10s %10s",
			call_part_title((enum call_part_name)part),
			duration_text_of(call->times.ns[part]).text);
		if (others)
			fprintf(out, " %10s",
				duration_text_of(typical->ns[part]).text);
		fputs("\n", out);
	}
}

/* @text may come from a record, and is then untrusted. */
static void print_lines(const char *text, FILE *out)
{
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		name_write_part(out, NAME_TEXT, text, (size_t)(end - text));
		fputs("\n", out);
	}
}

void hits_table_print(const struct hits_table *table, size_t index, FILE *out)
{
	const size_t *place = array_at(&table->shown, index);
	const struct hit *hit = array_at(&table->hits, *place);
	const struct hit_call *call = array_at(&table->calls, *place);

	print_head(table, hit, out);
	if (call->is_known) {
		print_parts(table, call, out);
		print_lines(call->text, out);
	} else {
		fputs(hit->tid > 0 ? "    The saved trace shows no system "
				     "call at that time.\n\n" :
				     "\n",
		      out);
	}
}
