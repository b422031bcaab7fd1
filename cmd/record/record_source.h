/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_SOURCE_H
#define KT_CMD_RECORD_SOURCE_H

struct record_options;

/* What the user wants functions to be told by. */
enum record_source {
	RECORD_BY_ANY, /* the first of these that can be had, else a machine */
	RECORD_BY_TRACE_UNIT,
	RECORD_BY_FUNCTION_GRAPH,
};

/* Chooses what @options leaves open: collector.source, or the virtual machine.
 * Whatever is not a trace unit of this machine is said to standard error, with
 * the reason.
 *
 * Returns 0, or -1 with what is missing said likewise.
 */
int record_source_choose(struct record_options *options);

#endif
