/* SPDX-License-Identifier: MIT */
#include "sql/tables/sql_tables.h"

#include <strings.h>

static const struct sql_table *const tables[SQL_TABLES] = {
	[TABLE_RECORDING] = &sql_recording_table,
	[TABLE_CPU] = &sql_cpu_table,
	[TABLE_FUNCTION] = &sql_function_table,
	[TABLE_PROCESS] = &sql_process_table,
	[TABLE_THREAD] = &sql_thread_table,
	[TABLE_THREAD_STATE] = &sql_thread_state_table,
	[TABLE_SYSCALL] = &sql_syscall_table,
	[TABLE_FAULT] = &sql_fault_table,
	[TABLE_SLEEP] = &sql_sleep_table,
	[TABLE_WAKEUP] = &sql_wakeup_table,
	[TABLE_LOCK_WAIT] = &sql_lock_wait_table,
	[TABLE_SPIN] = &sql_spin_table,
	[TABLE_INTERRUPTS_OFF] = &sql_interrupts_off_table,
	[TABLE_PREEMPTION_OFF] = &sql_preemption_off_table,
	[TABLE_IDLE_EXIT] = &sql_idle_exit_table,
	[TABLE_BLOCK_IO] = &sql_block_io_table,
	[TABLE_BLOCK_SLEEP] = &sql_block_sleep_table,
	[TABLE_PACKET] = &sql_packet_table,
	[TABLE_INTERRUPT] = &sql_interrupt_table,
	[TABLE_INTERRUPT_SLICE] = &sql_interrupt_slice_table,
	[TABLE_SERVER] = &sql_server_table,
	[TABLE_REQUEST] = &sql_request_table,
	[TABLE_REQUEST_SLEEP] = &sql_request_sleep_table,
	[TABLE_CALL] = &sql_call_table,
	[TABLE_READ_CALL] = &sql_read_call_table,
	[TABLE_PROFILE] = &sql_profile_table,
	[TABLE_GAP] = &sql_gap_table,
};

const struct sql_table *sql_table_at(enum sql_table_id id)
{
	return tables[id];
}

const struct sql_table *const *sql_tables_all(void)
{
	return tables;
}

const struct sql_table *sql_table_find(const char *name)
{
	for (int i = 0; i < SQL_TABLES; i++)
		if (!strcasecmp(tables[i]->name, name))
			return tables[i];
	return NULL;
}
