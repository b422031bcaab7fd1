/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SESSION_RECORDING_H
#define KT_CMD_SESSION_RECORDING_H

struct report_options;
struct session;

/* Opens the recording that @options select, or the newest one in the working
 * directory, unless the output would overwrite it. Returns 0, or the exit code
 * after a message on standard error.
 */
int session_open_recording(struct session *session,
			   const struct report_options *options);

#endif
