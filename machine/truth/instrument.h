/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_INSTRUMENT_H
#define KT_MACHINE_TRUTH_INSTRUMENT_H

#include "machine/truth/truth.h"

/* Registers the callbacks that @tb needs when it executes, for everything that
 * the trackers observe.
 */
void instrument_block(struct truth *truth, struct qemu_plugin_tb *tb);

#endif
