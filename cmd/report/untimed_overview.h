/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_UNTIMED_OVERVIEW_H
#define KT_CMD_UNTIMED_OVERVIEW_H

struct attribution_output;
struct session;

/* Shows an overview, as text or JSON, of a recording whose trace has no
 * timestamps: it cannot be determined where a process spent its time.
 *
 * Returns like run_pipeline().
 */
int untimed_overview(const struct session *session,
		     const struct attribution_output *output);

#endif
