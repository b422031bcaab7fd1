/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_ARCH_H
#define KT_MACHINE_TRUTH_ARCH_H

#include "machine/truth/guest.h"

#include <stdbool.h>
#include <stdint.h>

/* The definitions of each architecture, in x86/ and in arm64/, in addition to
 * branch.h.
 */

/* QEMU's name of the plugin's machine. */
extern const char arch_target[];

/* QEMU's names of the registers, in the order of enum guest_register followed
 * by the architecture's own.
 */
extern const char *const arch_register_names[];
extern const unsigned arch_register_count;

/* QEMU reports an exception twice, as being raised and as being delivered;
 * else once, as an exception.
 */
extern const bool arch_raises_first;

/* The trace unit's registers that say what it traces, as software wrote them.
 */
struct control {
	uint64_t values[4];
};

/* The unit traces at all; it traces code at @address. */
bool control_traces(const struct control *control);
bool control_traces_level(const struct control *control, uint64_t address);

/* SPECIAL_CONTROL, whose first bytes are @insn, is about to run.  Returns true
 * if it changes @control, after having done so.
 */
bool control_write(struct control *control, struct guest *guest, uint32_t insn);

/* SPECIAL_CLOCK, whose first bytes were @insn, has run: what it gave. */
uint64_t arch_clock_value(struct guest *guest, uint32_t insn);

/* The host's clock that the guest's runs with under clock=host. */
uint64_t arch_host_clock(void);

/* SPECIAL_HAND_OVER is about to run: the function that switches tasks, and
 * two offsets (see switch_site).  False if it is but such an instruction.
 */
bool arch_hand_over(struct guest *guest, uint64_t *function, uint64_t *offsets);

/* The stack pointer before the interrupt or exception just delivered; 0 if it
 * cannot be found.
 */
uint64_t arch_interrupted_sp(struct guest *guest);

#endif
