/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_SOURCE_H
#define KT_CMD_RECORD_SOURCE_H

struct record_options;

/* The source of function calls that the user selected. */
enum record_source {
	RECORD_BY_ANY, /* the first one available, else a machine */
	RECORD_BY_TRACE_UNIT,
	RECORD_BY_FUNCTION_GRAPH,
};

/* Chooses the source if @options leave it open: sets collector.source, or
 * selects the virtual machine. If it is not a trace unit of this machine, notes
 * the choice and the reason on standard error.
 *
 * Returns 0, or -1 after a message on standard error about the missing feature.
 */
int record_source_choose(struct record_options *options);

#endif
