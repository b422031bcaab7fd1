/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_INSTRUMENT_H
#define KT_MACHINE_TRUTH_INSTRUMENT_H

#include "machine/truth/truth.h"

/* QEMU translates @tb: asks it to call, when the block executes, for all that
 * the trackers have to see.
 */
void instrument_block(struct truth *truth, struct qemu_plugin_tb *tb);

#endif
