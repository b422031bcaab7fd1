/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_AWAY_RECORDS_H
#define KT_COLLECTOR_AWAY_RECORDS_H

struct recording_output;

/* Writes records to @output that mark the data lost on CPUs that were switched
 * off while they were recorded: records of all kinds, and trace if everything
 * that ran on them was traced. Also logs this. Sets *@count to the number of these CPUs.
 *
 * Returns 0 or a negative enum error.
 */
int away_records_add(struct recording_output *output, unsigned int *count);

#endif
