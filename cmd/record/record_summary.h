/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_SUMMARY_H
#define KT_CMD_RECORD_SUMMARY_H

struct collector_result;

/* Prints to standard error a summary of the recording in @folder: its contents,
 * losses and cost, and the commands that show it.
 */
void record_summary(const char *folder, const struct collector_result *result);

#endif
