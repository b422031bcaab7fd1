/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_UNTIMED_OVERVIEW_H
#define KT_CMD_UNTIMED_OVERVIEW_H

struct attribution_output;
struct session;

/* Shows what was recorded, as text or JSON, of a trace without times: where a
 * process's time went is not known then.
 *
 * Returns as run_pipeline() does.
 */
int untimed_overview(const struct session *session,
		     const struct attribution_output *output);

#endif
