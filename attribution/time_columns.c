/* SPDX-License-Identifier: MIT */
#include "attribution/time_columns.h"

#include "attribution/time_account.h"

#include <inttypes.h>
#include <stddef.h>

enum column_type { IS_NUMBER, IS_ID, IS_TEXT };

enum column_need { NEEDS_NOTHING, NEEDS_SWITCHES, NEEDS_WAKEUPS };

struct column {
	const char *name;
	size_t offset;		/* in struct time_account */
	enum column_type type;
	enum column_need need;
	bool is_of_threads;	/* not in the table of processes */
	bool is_of_processes;	/* not in that of threads */
};

#define COLUMN(text, member) \
	.name = (text), .offset = offsetof(struct time_account, member)

static const struct column columns_list[] = {
	{ COLUMN("pid", pid), .type = IS_ID },
	{ COLUMN("tid", tid), .type = IS_ID, .is_of_threads = true },
	{ COLUMN("comm", comm), .type = IS_TEXT },
	{ COLUMN("threads", threads), .is_of_processes = true },
	{ COLUMN("wall_ns", wall_ns) },
	{ COLUMN("user_ns", class_ns[TIME_USER]) },
	{ COLUMN("system_call_ns", class_ns[TIME_SYSTEM_CALL]) },
	{ COLUMN("fault_ns", class_ns[TIME_FAULT]) },
	{ COLUMN("kernel_ns", class_ns[TIME_KERNEL]) },
	{ COLUMN("interrupt_benefited_ns", benefited_ns) },
	{ COLUMN("interrupt_stolen_ns", stolen_ns) },
	{ COLUMN("runnable_ns", class_ns[TIME_RUNNABLE]),
	  .need = NEEDS_SWITCHES },
	{ COLUMN("asleep_ns", class_ns[TIME_ASLEEP]), .need = NEEDS_WAKEUPS },
	{ COLUMN("unknown_ns", class_ns[TIME_UNKNOWN]) },
	{ COLUMN("context_switches", context_switches) },
	{ COLUMN("system_calls", system_calls) },
	{ COLUMN("faults", faults) },
	{ COLUMN("interrupt_work_elsewhere", interrupt_work_elsewhere),
	  .is_of_processes = true },
	{ COLUMN("kernel_work_elsewhere", kernel_work_elsewhere),
	  .is_of_processes = true },
};

#define COLUMNS (sizeof(columns_list) / sizeof(*columns_list))

static bool is_known(const struct off_cpu_evidence *evidence,
		     enum column_need need)
{
	switch (need) {
	case NEEDS_NOTHING:
		return true;
	case NEEDS_SWITCHES:
		return off_cpu_is_told(evidence);
	case NEEDS_WAKEUPS:
		return evidence->has_wakeups;
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

	if (!is_known(&columns->evidence, column->need))
		record_absent(writer, column->name);
	else if (column->type == IS_TEXT)
		record_text(writer, column->name, *(const char *const *)value);
	else if (column->type == IS_ID)
		record_signed(writer, column->name, *(const int32_t *)value);
	else
		record_number(writer, column->name, *(const uint64_t *)value);
}

/* As "gap 1200, off 30": why how many ns are unknown. */
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

void time_columns_write(const struct time_columns *columns,
			struct record_writer *writer,
			const struct time_account *account)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column *column = &columns_list[i];

		if (columns->by_thread ? !column->is_of_processes :
					 !column->is_of_threads)
			write_column(columns, writer, account, column);
	}
	write_reasons(writer, account);
	record_number(writer, "uncertain", account->uncertain);
}

void time_columns_explain(const struct time_columns *columns, FILE *out)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!is_known(&columns->evidence, columns_list[i].need))
			fprintf(out,
				"Not known: %s: record with --events=sched or "
				"more\n",
				columns_list[i].name);
	if (!columns->evidence.has_all_cpus)
		fputs("Time off the CPU is unknown: other CPUs, which were not "
		      "traced, may have run the threads; record without "
		      "--cpu\n",
		      out);
}
