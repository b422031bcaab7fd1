/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_VCPU_BOARD_H
#define KT_MACHINE_QEMU_VCPU_BOARD_H

#include "machine/qemu/plugin_api.h"

#include <stdint.h>

/* State that translated code reads and writes without a call; one per vCPU, in
 * a scoreboard.
 */
struct vcpu_board {
	uint64_t watched; /* 1 while the unit is enabled or a counter counts */
	uint64_t events;  /* 1 while the unit traces events */
	uint64_t retired; /* started instructions, counted by whole blocks */
	/* the current block's last instruction has started */
	uint64_t last_began;
	uint64_t pending; /* an emulated instruction must be finished */
};

struct qemu_plugin_scoreboard *vcpu_boards_new(void);

/* Counts @count instructions at each start of @tb, and calls @call with @data
 * there while the vCPU is watched. @call may read registers.
 */
void vcpu_boards_watch_block(struct qemu_plugin_scoreboard *boards,
			     struct qemu_plugin_tb *tb, uint64_t count,
			     qemu_plugin_vcpu_udata_cb_t call, void *data);

/* Calls @call with @data before @insn while an instruction is pending. @call
 * may read and write registers.
 */
void vcpu_boards_watch_pending(struct qemu_plugin_scoreboard *boards,
			       struct qemu_plugin_insn *insn,
			       qemu_plugin_vcpu_udata_cb_t call, void *data);

/* Calls @call with @data before @insn while events are traced. @call may read
 * registers.
 */
void vcpu_boards_watch_events(struct qemu_plugin_scoreboard *boards,
			      struct qemu_plugin_insn *insn,
			      qemu_plugin_vcpu_udata_cb_t call, void *data);

/* Sets last_began when a block's @last instruction starts, after the calls that
 * are already registered for it.
 */
void vcpu_boards_note_last(struct qemu_plugin_scoreboard *boards,
			   struct qemu_plugin_insn *last);

#endif
