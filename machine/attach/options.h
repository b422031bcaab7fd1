/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_OPTIONS_H
#define KT_MACHINE_ATTACH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* attach [--timeout S] [--console FILE] [--tty] [--isolated] [--verbose]
 *        [--save FILE | --resumed]
 *        [--set KEY=VALUE]... --qemu COUNT QEMU ARGUMENT... [--] CMD ARG...
 *
 * COUNT is the number of words of QEMU's command line, which must use file
 * descriptor 3 for the channel and 4 for the console. Settings are described in
 * guest/init/settings.h; the command, environment and working directory are
 * added.
 *
 * --save saves the state of a guest that is ready for its settings, through
 * QEMU's monitor on file descriptor 5. --resumed: QEMU starts from such a
 * state.
 *
 * An isolated machine receives no settings, because its initramfs has them.
 */
struct options {
	unsigned int timeout_s; /* 0: none */
	const char *console;	/* file name; may be NULL */
	const char *save;	/* file name; may be NULL */
	bool resumed;
	bool tty;
	bool isolated;
	bool verbose;
	char **qemu;	       /* terminated by NULL; owned */
	char **command;	       /* terminated by NULL; part of argv */
	const char **settings; /* owned */
	size_t setting_count;
};

/* Returns 0, or -1 if the usage is wrong or memory is short. */
int options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

#endif
