/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_SAVING_H
#define KT_MACHINE_ATTACH_SAVING_H

#include <stdbool.h>
#include <stddef.h>

/* Saves a running guest's state to a file, from which QEMU can start other
 * guests (-incoming file:FILE). The guest stands still meanwhile and then
 * continues.
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
	int monitor; /* QEMU's monitor, borrowed */
	const char *path;
	char draft[4096]; /* the file's name until it is complete */
	size_t length;
	char answer[4096]; /* the end of the monitor's output */
};

/* Makes a guest whose state QEMU is loading continue afterwards. Returns 0, or
 * negative errno.
 */
int saving_resume(struct saving *saving, int monitor);

/* Starts saving. Returns 0, or negative errno. */
int saving_start(struct saving *saving, int monitor, const char *path);

bool saving_is_busy(const struct saving *saving);

/* Consumes the monitor's output after poll() announced it. Returns true if
 * saving has ended and the guest continues, so that its settings may be sent.
 * If the state could not be saved, prints a message and leaves no file; the
 * guest continues anyway. After saving_resume(), returns false: the settings
 * were sent before.
 */
bool saving_go_on(struct saving *saving);

#endif
