/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_SUMMARY_H
#define KT_CMD_RECORD_SUMMARY_H

#include <stddef.h>

struct collector_result;

/* Prints to standard error a summary of the recording in @folder, made with
 * trace buffers of @buffer_bytes: its contents, losses and cost, and the
 * commands that show it. Losses are warnings; everything else is a note, which
 * --quiet leaves out.
 */
void record_summary(const char *folder, const struct collector_result *result,
		    size_t buffer_bytes);

#endif
