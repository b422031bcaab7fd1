/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_OPTIONS_H
#define KT_MACHINE_QEMU_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* -plugin intel-pt.so,clock=virtual|host[,loss=N][,dump=DIR][,mwait=on]
 *	[,moments=FILE][,fault=NAME][,without=NAME]
 */
struct options {
	bool host_clock;	/* clock=host: several vCPUs, no -icount */
	uint64_t loss_interval; /* loss=N: see unit/loss.h */
	const char *fault;	/* fault=NAME: see the unit's fault.h */
	const char *without;	/* without=NAME: an ability that it lacks */
	bool mwait;	      /* mwait=on: the guest idles by MWAIT, not HLT */
	const char *moments;  /* moments=FILE: see unit/host_moments.h */
	const char *dump_dir; /* dump=DIR: DIR/trace.<cpu> receives all bytes */
};

/* Parses the options; borrows @argv. Returns false after a message to stderr if
 * a word is not an option or has an invalid value.
 */
bool options_parse(struct options *options, int argc, char **argv);

/* Reports to stderr if the unit has no fault or ability of the option's name.
 * Returns whether it has both.
 */
bool options_known(const struct options *options, bool has_fault,
		   bool has_ability);

#endif
