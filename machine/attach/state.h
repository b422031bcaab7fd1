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

/* Ten seconds do on an idle host. */
#define START_LIMIT_S 600

/* One session.  Times are of the monotonic clock, in nanoseconds. */
struct state {
	const struct options *options;
	struct qemu_process qemu; /* pid 0 when it has ended */
	struct frame_reader *reader;
	struct frame_writer *writer;
	struct log_tail console;
	struct log_tail messages;
	struct terminal terminal;
	struct saving saving;
	struct inlet input;
	struct outlet outputs[2];
	int64_t start_ns;
	int64_t deadline_ns; /* what is due then: see ending */
	int64_t start_by_ns; /* the command has to run then; 0: no limit */
	bool started;	     /* the command runs */
	bool interrupted;    /* a signal was passed to it */
	bool ending;	     /* QEMU was asked to end */
	char *note;	     /* the guest's, for the end; or NULL */
	int exit_code;	     /* NO_EXIT_CODE until decided */
};

/* frames.c: takes in what the guest says.
 * Returns 1, 0 if there is nothing now, or negative errno; -EPROTO: it makes
 * no sense.
 */
int state_take_frames(struct state *state);

/* frames.c: queues settings, command, environment, window size.
 * Returns 0, or negative errno; -E2BIG: a string is too long.
 */
int state_send_settings(struct state *state);

/* ending.c: decides the exit code, unless it is decided, and asks QEMU to end
 * (its plugins then write what they have).
 */
void state_end(struct state *state, int exit_code);

/* ending.c: what a signal asks for: the first goes to the command, the
 * second ends the machine.
 */
void state_take_signal(struct state *state, int signal_number);

/* ending.c: the deadline has passed. */
void state_take_deadline(struct state *state);

/* ending.c: the command has not been started in time. */
void state_take_no_start(struct state *state);

/* ending.c: QEMU has ended; if that was not asked for, tells why. */
void state_take_death(struct state *state, int wait_status);

/* ending.c */
int64_t state_now_ns(void);
void state_set_deadline(struct state *state, unsigned int seconds);

#endif
