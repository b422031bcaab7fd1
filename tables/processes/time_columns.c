/* SPDX-License-Identifier: MIT */
#include "tables/processes/time_columns.h"

#include "report/steps/task_groups.h"
#include "tables/processes/time_account.h"
#include "tables/text/recorded.h"

#include <inttypes.h>
#include <stddef.h>

enum column_type { IS_TIME, IS_COUNT, IS_ID, IS_TEXT };

enum column_need {
	NEEDS_NOTHING,
	NEEDS_KERNEL,
	NEEDS_SWITCHES,
	NEEDS_WAKEUPS,
	NEEDS_ALL,
	NEEDS,
};

/* The events that columns need, as in struct table_need. */
static const int events[NEEDS] = {
	[NEEDS_KERNEL] = RECORDED_KERNEL,
	[NEEDS_SWITCHES] = EVENT_SCHED_SWITCH,
	[NEEDS_WAKEUPS] = EVENT_SCHED_WAKING,
};

struct column {
	const char *name;
	size_t offset; /* in struct time_account */
	enum column_type type;
	enum column_need need;
	/* TIME_COLUMNS_ALL: in both parts. */
	enum time_columns_part part;
	bool names_task;      /* left out for groups */
	bool is_of_threads;   /* left out for processes */
	bool is_of_processes; /* left out for threads */
};

#define COLUMN(text, member) \
	.name = (text), .offset = offsetof(struct time_account, member)
#define CLASS(text, member) COLUMN(text, member), .part = TIME_COLUMNS_CLASSES
#define REST(text, member) COLUMN(text, member), .part = TIME_COLUMNS_REST

/* The largest classes are first, so that a narrow terminal shows them. */
static const struct column columns_list[] = {
	{ COLUMN("pid", pid), .type = IS_ID, .names_task = true },
	{ COLUMN("tid", tid), .type = IS_ID, .names_task = true,
	  .is_of_threads = true },
	{ COLUMN("comm", comm), .type = IS_TEXT, .names_task = true },
	{ CLASS("threads", threads), .type = IS_COUNT,
	  .is_of_processes = true },
	{ CLASS("wall_ns", wall_ns) },
	{ CLASS("user_ns", class_ns[TIME_USER]) },
	{ CLASS("system_call_ns", class_ns[TIME_SYSTEM_CALL]),
	  .need = NEEDS_KERNEL },
	{ CLASS("fault_ns", class_ns[TIME_FAULT]), .need = NEEDS_KERNEL },
	{ CLASS("kernel_ns", class_ns[TIME_KERNEL]), .need = NEEDS_KERNEL },
	{ CLASS("runnable_ns", class_ns[TIME_RUNNABLE]),
	  .need = NEEDS_SWITCHES },
	{ CLASS("throttled_ns", class_ns[TIME_THROTTLED]),
	  .need = NEEDS_SWITCHES },
	{ CLASS("asleep_ns", class_ns[TIME_ASLEEP]), .need = NEEDS_WAKEUPS },
	{ CLASS("interrupt_benefited_ns", benefited_ns), .need = NEEDS_ALL },
	{ CLASS("interrupt_stolen_ns", stolen_ns), .need = NEEDS_KERNEL },
	{ CLASS("tracer_ns", class_ns[TIME_TRACER]), .need = NEEDS_KERNEL },
	{ CLASS("guest_ns", class_ns[TIME_GUEST]) },
	{ CLASS("not_asked_ns", class_ns[TIME_NOT_ASKED]) },
	{ CLASS("unknown_ns", class_ns[TIME_UNKNOWN]) },
	{ REST("context_switches", context_switches), .type = IS_COUNT },
	{ REST("system_calls", system_calls), .type = IS_COUNT,
	  .need = NEEDS_KERNEL },
	{ REST("faults", faults), .type = IS_COUNT, .need = NEEDS_KERNEL },
	{ REST("recorder_wait", recorder_wait), .need = NEEDS_SWITCHES },
	{ REST("interrupt_work_elsewhere", interrupt_work_elsewhere),
	  .need = NEEDS_ALL, .is_of_processes = true },
	{ REST("kernel_work_elsewhere", kernel_work_elsewhere),
	  .need = NEEDS_ALL, .is_of_processes = true },
};

#define COLUMNS (sizeof(columns_list) / sizeof(*columns_list))

static bool is_known(const struct time_columns *columns, enum column_need need)
{
	const struct off_cpu_evidence *evidence = &columns->evidence;

	switch (need) {
	case NEEDS_NOTHING:
		return true;
	case NEEDS_KERNEL:
		return !columns->lacks_kernel;
	case NEEDS_SWITCHES:
		return off_cpu_is_known(evidence);
	case NEEDS_WAKEUPS:
		return evidence->has_wakeups;
	case NEEDS_ALL:
		return columns->is_followed;
	case NEEDS:
		break;
	}
	return true;
}

static const void *value_at(const struct time_account *account,
			    const struct column *column)
{
	return (const char *)account + column->offset;
}

static void write_column(const struct time_columns *columns,
			 struct record_writer *writer,
			 const struct time_account *account,
			 const struct column *column)
{
	const void *value = value_at(account, column);

	if (!is_known(columns, column->need)) {
		record_absent(writer, column->name);
		return;
	}
	switch (column->type) {
	case IS_TIME:
		record_duration(writer, column->name, *(const uint64_t *)value);
		break;
	case IS_COUNT:
		record_number(writer, column->name, *(const uint64_t *)value);
		break;
	case IS_ID:
		record_signed(writer, column->name, *(const int32_t *)value);
		break;
	case IS_TEXT:
		record_text(writer, column->name, *(const char *const *)value);
		break;
	}
}

/* Writes the reasons for unknown time in ns: "gap 1200, off 30". */
static void write_reasons(struct record_writer *writer,
			  const struct time_account *account)
{
	char text[UNKNOWN_REASONS * 40] = "";
	size_t length = 0;

	for (int i = 0; i < UNKNOWN_REASONS; i++)
		if (account->unknown_ns[i])
			length += (size_t)snprintf(
				text + length, sizeof(text) - length,
				"%s%s %" PRIu64, length ? ", " : "",
				unknown_reason_name((enum unknown_reason)i),
				account->unknown_ns[i]);
	record_text(writer, "unknown_because", text);
}

static bool has_part(const struct time_columns *columns,
		     enum time_columns_part part)
{
	return columns->part == TIME_COLUMNS_ALL || part == TIME_COLUMNS_ALL ||
	       columns->part == part;
}

static bool has_column(const struct time_columns *columns,
		       const struct column *column)
{
	if (columns->groups)
		return !column->names_task;
	return columns->by_thread ? !column->is_of_processes :
				    !column->is_of_threads;
}

void time_columns_write(const struct time_columns *columns,
			struct record_writer *writer,
			const struct time_account *account)
{
	if (columns->groups)
		record_text(
			writer, "group",
			task_groups_label(columns->groups, account->pid).text);
	for (size_t i = 0; i < COLUMNS; i++)
		if (has_column(columns, &columns_list[i]) &&
		    has_part(columns, columns_list[i].part))
			write_column(columns, writer, account,
				     &columns_list[i]);
	if (!has_part(columns, TIME_COLUMNS_REST))
		return;
	write_reasons(writer, account);
	record_duration(writer, "uncertain", account->uncertain);
}

/* Names the columns of this table that are missing because of @need. */
static void explain_need(const struct time_columns *columns,
			 const struct recorded *recorded, enum column_need need,
			 FILE *out)
{
	char names[COLUMNS * 32] = "";
	const struct table_need missing = { .columns = names,
					    .event = events[need] };
	size_t length = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		if (columns_list[i].need == need &&
		    has_column(columns, &columns_list[i]))
			length += (size_t)snprintf(names + length,
						   sizeof(names) - length,
						   "%s%s", length ? ", " : "",
						   columns_list[i].name);
	if (length && !recorded_has(recorded, &missing))
		recorded_missing(recorded, &missing, out);
}

void time_columns_explain(const struct time_columns *columns,
			  const struct recorded *recorded, FILE *out)
{
	static const struct table_need follows[] = {
		{ .columns = "beneficiaries of interrupts and kernel threads",
		  .event = EVENT_HRTIMER_EXPIRE },
		{ .columns = "beneficiaries of interrupts and kernel threads",
		  .event = EVENT_WORK_BEGIN },
	};

	for (int need = NEEDS_KERNEL; need <= NEEDS_WAKEUPS; need++)
		if (!is_known(columns, (enum column_need)need))
			explain_need(columns, recorded, (enum column_need)need,
				     out);
	if (!is_known(columns, NEEDS_ALL))
		recorded_missing(recorded,
				 &follows[recorded_has(recorded, &follows[0])],
				 out);
	if (!columns->evidence.has_all_cpus)
		fputs("Time off the CPU is unknown: other CPUs, which were not "
		      "traced, may have run the threads; record without "
		      "--cpu\n",
		      out);
}
