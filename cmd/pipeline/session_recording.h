/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SESSION_RECORDING_H
#define KT_CMD_SESSION_RECORDING_H

struct report_options;
struct session;

/* Opens the recording that @options name, or the newest one here, if nothing is to
 * be written over it.  Returns 0, or the exit code to end with; standard error
 * knows why.
 */
int session_open_recording(struct session *session,
			   const struct report_options *options);

#endif
