/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_RULES_H
#define KT_CMD_RECORD_RULES_H

struct collector_options;
struct record_options;

/* Returns a message that names options which exclude each other, or NULL. */
const char *record_rules_conflict(const struct record_options *options);

/* Widens the recording to the tasks and CPUs that the requested analyses need.
 */
void record_rules_widen(struct record_options *options);

/* Like record_rules_widen(), but only for the events of @options: for callers
 * that have changed them since.
 */
void record_rules_widen_for_events(struct collector_options *options);

#endif
