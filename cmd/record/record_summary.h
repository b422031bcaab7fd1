/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_SUMMARY_H
#define KT_CMD_RECORD_SUMMARY_H

struct collector_result;

/* Prints to standard error what the recording in @folder holds and lacks, what
 * it cost, and how to look at it.
 */
void record_summary(const char *folder, const struct collector_result *result);

#endif
