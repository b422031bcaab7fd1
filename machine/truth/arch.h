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

/* Whether QEMU reports an exception twice, when it is raised and when it is
 * delivered; otherwise once, as an exception.
 */
extern const bool arch_raises_first;

/* Returns whether the CPU lets interrupts through. */
bool arch_lets_interrupts(struct guest *guest);

/* The registers that determine what the trace unit traces, as written by software.
 */
struct control {
	uint64_t values[4];
};

/* Return whether the unit is enabled, and whether it traces code at @address. */
bool control_traces(const struct control *control);
bool control_traces_level(const struct control *control, uint64_t address);

/* Called before a SPECIAL_CONTROL instruction, whose first bytes are @insn.
 * Applies its change to @control; returns whether there was one.
 */
bool control_write(struct control *control, struct guest *guest, uint32_t insn);

/* Returns the result of a SPECIAL_CLOCK instruction that has just run, whose first
 * bytes were @insn.
 */
uint64_t arch_clock_value(struct guest *guest, uint32_t insn);

/* Returns the host's clock, which the guest's follows under clock=host. */
uint64_t arch_host_clock(void);

/* Called before a SPECIAL_HAND_OVER instruction.  Returns the address of the
 * function that switches tasks, and two offsets (struct switch_site); or false if
 * the guest executes such an instruction for another purpose.
 */
bool arch_hand_over(struct guest *guest, uint64_t *function, uint64_t *offsets);

/* Returns the stack pointer before the interrupt or exception that was just
 * delivered; 0 if it cannot be determined.
 */
uint64_t arch_interrupted_sp(struct guest *guest);

#endif
