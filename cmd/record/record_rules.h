/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_RULES_H
#define KT_CMD_RECORD_RULES_H

struct record_options;

/* Returns which options do not go together; NULL if all do. */
const char *record_rules_conflict(const struct record_options *options);

/* Makes the recording as wide as what was asked for needs it. */
void record_rules_widen(struct record_options *options);

#endif
