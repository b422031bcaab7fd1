/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_STATE_H
#define KT_MACHINE_ATTACH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/attach/log_tail.h"
#include "machine/attach/options.h"
#include "machine/attach/qemu_process.h"
#include "machine/attach/saving.h"
#include "machine/attach/terminal.h"
#include "machine/channel/inlet.h"
#include "machine/channel/outlet.h"

#define NO_EXIT_CODE (-1)

/* Limit on the time until the command starts, in seconds. An idle host needs
 * ten.
 */
#define START_LIMIT_S 600

/* A session. Times are in nanoseconds of the monotonic clock. */
struct state {
	const struct options *options;
	struct qemu_process qemu; /* pid is 0 after it has ended */
	struct frame_reader *reader;
	struct frame_writer *writer;
	struct log_tail console;
	struct log_tail messages;
	struct terminal terminal;
	struct saving saving;
	struct inlet input;
	struct outlet outputs[2];
	int64_t start_ns;
	/* state_take_deadline() is called at this time, and acts according to
	 * ending and interrupted; 0: no deadline
	 */
	int64_t deadline_ns;
	int64_t start_by_ns; /* the command must run by then; 0: no limit */
	bool started;	     /* the command runs */
	bool interrupted;    /* a signal was passed to it */
	bool ending;	     /* QEMU was told to end */
	char *note;	     /* the guest's note, for the end; or NULL */
	int exit_code;	     /* NO_EXIT_CODE until decided */
};

/* frames.c: reads once and consumes all complete frames from the guest. Returns
 * 1; 0 if nothing is available or QEMU has closed the channel; or negative
 * errno, -EPROTO if a frame is invalid.
 */
int state_take_frames(struct state *state);

/* frames.c: queues settings, command, environment and window size. Returns 0,
 * or negative errno; -E2BIG if a string is too long.
 */
int state_send_settings(struct state *state);

/* ending.c: sets the exit code unless it is set, and tells QEMU to end; its
 * plugins then write their files.
 */
void state_end(struct state *state, int exit_code);

/* ending.c: handles a signal: the first is passed to the command, the second
 * ends the machine.
 */
void state_take_signal(struct state *state, int signal_number);

/* ending.c: handles the deadline. */
void state_take_deadline(struct state *state);

/* ending.c: handles a command that was not started in time. */
void state_take_no_start(struct state *state);

/* ending.c: handles QEMU's end; if it was unexpected, prints the reason. */
void state_take_death(struct state *state, int wait_status);

/* ending.c */
int64_t state_now_ns(void);
void state_set_deadline(struct state *state, unsigned int seconds);

#endif
