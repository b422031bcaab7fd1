/* SPDX-License-Identifier: MIT */
#include "sql/tables/interrupt_who.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "report/text/task_names.h"
#include "symbolize/symbols/symbols.h"
#include "tables/processes/interrupts_table.h"
#include "tables/table.h"

static const char *owner_name(const struct task_names *names, int32_t pid)
{
	if (pid < 0)
		return "nobody";
	return pid ? task_names_last(names, pid) : "system";
}

void interrupt_who_fill(const struct attribution_input *input,
			struct row_out *out, union sql_cell *cells,
			uint32_t first, const struct interrupt_row *row,
			int32_t pid)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	union sql_cell *who = cells + first;

	who[WHO_KIND].text = interrupt_kind_name(row->kind);
	who[WHO_FUNCTION].text = function_at(functions, row->function)->name;
	who[WHO_IRQ].number = row->irq;
	who[WHO_IS_THREAD].number = row->is_thread_work;
	who[WHO_ON_PID].number = row->victim_pid;
	who[WHO_ON_TID].number = row->victim_tid;
	who[WHO_ON_COMM].text =
		row->victim_pid ?
			task_names_last(input->names, row->victim_pid) :
			"idle";
	who[WHO_FOR_PID].number = pid;
	who[WHO_FOR_COMM].text = owner_name(input->names, pid);
	if (row->irq < 0)
		row_out_null(out, first + WHO_IRQ);
	if (pid < 0)
		row_out_null(out, first + WHO_FOR_PID);
}
