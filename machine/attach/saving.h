/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_SAVING_H
#define KT_MACHINE_ATTACH_SAVING_H

#include <stdbool.h>
#include <stddef.h>

/* Keeps a running guest's state in a file, from which QEMU can start other
 * guests (-incoming file:FILE).  The guest stands still meanwhile and then
 * goes on.
 */
enum saving_step {
	SAVING_IDLE,
	SAVING_STOPPING,
	SAVING_WRITING,
	SAVING_ENDING,
	SAVING_LOADING
};

struct saving {
	enum saving_step step;
	int monitor; /* QEMU's, borrowed */
	const char *path;
	char draft[4096]; /* the file's name until it is whole */
	size_t length;
	char answer[4096]; /* what the monitor said, its end */
};

/* Sees to it that a guest whose state QEMU is loading goes on then.
 * Returns 0, or negative errno.
 */
int saving_resume(struct saving *saving, int monitor);

/* Asks for it.  Returns 0, or negative errno. */
int saving_start(struct saving *saving, int monitor, const char *path);

bool saving_is_busy(const struct saving *saving);

/* Takes in what the monitor says, once it is announced.  Returns whether the
 * guest goes on now. If the state could not be saved, says so and leaves no
 * file; the guest goes on all the same.
 */
bool saving_go_on(struct saving *saving);

#endif
