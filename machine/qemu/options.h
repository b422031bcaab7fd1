/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_OPTIONS_H
#define KT_MACHINE_QEMU_OPTIONS_H

#include "machine/intel_pt/cpuid.h"
#include "machine/intel_pt/fault.h"

#include <stdbool.h>
#include <stdint.h>

/* -plugin intel-pt.so,clock=virtual|host[,loss=N][,dump=DIR][,mwait=on]
 *	[,moments=FILE][,fault=NAME][,without=NAME]
 */
struct options {
	bool host_clock;	/* clock=host: several vCPUs, no -icount */
	uint64_t loss_interval; /* loss=N: see unit/loss.h */
	struct pt_abilities abilities; /* less than all: without=NAME */
	struct pt_fault fault;	       /* fault=NAME: see intel_pt/fault.h */
	bool alters_pt;	      /* without=NAME or fault=NAME, of Intel PT only */
	bool mwait;	      /* mwait=on: the guest idles by MWAIT, not HLT */
	const char *moments;  /* moments=FILE: see unit/host_moments.h */
	const char *dump_dir; /* dump=DIR: DIR/trace.<cpu> receives all bytes */
};

/* Parses the options; borrows @argv. Returns false after a message to stderr if
 * a word is not an option or has an invalid value.
 */
bool options_parse(struct options *options, int argc, char **argv);

#endif
