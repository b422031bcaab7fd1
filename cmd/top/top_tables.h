/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_TABLES_H
#define KT_CMD_TOP_TABLES_H

struct attribution_table;

enum top_table {
	TOP_SLEEPS,
	TOP_CALLS,
	TOP_INTERRUPTS,
	TOP_PROCESSES,
	TOP_TABLES,
};

/* The tables that top shows one at a time, indexed by enum top_table. */
struct top_table_info {
	char key;
	const char *title;
	const struct attribution_table *table;
};

extern const struct top_table_info top_tables[TOP_TABLES];

#endif
