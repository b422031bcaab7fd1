/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLES_H
#define KT_SQL_TABLES_H

#include "sql/rows/sql_table.h"

/* The tables of SQL, each defined in the file that makes its rows. A new table
 * also needs an entry in sql_table_at().
 */
extern const struct sql_table sql_recording_table;
extern const struct sql_table sql_cpu_table;
extern const struct sql_table sql_function_table;
extern const struct sql_table sql_process_table;
extern const struct sql_table sql_thread_table;
extern const struct sql_table sql_thread_state_table;
extern const struct sql_table sql_syscall_table;
extern const struct sql_table sql_fault_table;
extern const struct sql_table sql_sleep_table;
extern const struct sql_table sql_wakeup_table;
extern const struct sql_table sql_lock_wait_table;
extern const struct sql_table sql_spin_table;
extern const struct sql_table sql_interrupts_off_table;
extern const struct sql_table sql_preemption_off_table;
extern const struct sql_table sql_idle_exit_table;
extern const struct sql_table sql_block_io_table;
extern const struct sql_table sql_block_sleep_table;
extern const struct sql_table sql_packet_table;
extern const struct sql_table sql_interrupt_table;
extern const struct sql_table sql_interrupt_slice_table;
extern const struct sql_table sql_server_table;
extern const struct sql_table sql_request_table;
extern const struct sql_table sql_request_sleep_table;
extern const struct sql_table sql_call_table;
extern const struct sql_table sql_read_call_table;
extern const struct sql_table sql_profile_table;
extern const struct sql_table sql_gap_table;

/* Returns a table; never NULL. */
const struct sql_table *sql_table_at(enum sql_table_id id);

/* Returns all SQL_TABLES tables, by enum sql_table_id. */
const struct sql_table *const *sql_tables_all(void);

/* Returns the table with name @name in any case, or NULL. */
const struct sql_table *sql_table_find(const char *name);

#endif
