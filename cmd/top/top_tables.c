/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_tables.h"

#include "tables/table.h"

const struct top_table_info top_tables[TOP_TABLES] = {
	[TOP_SLEEPS] = { 's', "sleeps", &sleeps_table },
	[TOP_CALLS] = { 'c', "system calls", &syscalls_table },
	[TOP_INTERRUPTS] = { 'i', "interrupts", &interrupts_table },
	[TOP_PROCESSES] = { 'p', "processes", &processes_table },
};
