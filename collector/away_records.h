/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_AWAY_RECORDS_H
#define KT_COLLECTOR_AWAY_RECORDS_H

struct recording_output;

/* Writes records to @output of what is missing of CPUs that were switched off
 * while all that ran on them was recorded: records of all kinds, and trace.  The
 * log is told.  *@count is how many CPUs these are, with those that came online
 * meanwhile, which are not recorded.
 *
 * Returns 0 or a negative enum error.
 */
int away_records_add(struct recording_output *output, unsigned int *count);

#endif
