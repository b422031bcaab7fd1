/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/vcpu_board.h"

#include <stddef.h>

static qemu_plugin_u64 member(struct qemu_plugin_scoreboard *boards,
			      size_t offset)
{
	return (qemu_plugin_u64){ boards, offset };
}

struct qemu_plugin_scoreboard *vcpu_boards_new(void)
{
	return qemu_plugin_scoreboard_new(sizeof(struct vcpu_board));
}

void vcpu_boards_watch_block(struct qemu_plugin_scoreboard *boards,
			     struct qemu_plugin_tb *tb, uint64_t count,
			     qemu_plugin_vcpu_udata_cb_t call, void *data)
{
	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, call, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		member(boards, offsetof(struct vcpu_board, watched)), 0, data);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		tb, QEMU_PLUGIN_INLINE_ADD_U64,
		member(boards, offsetof(struct vcpu_board, retired)), count);
}

void vcpu_boards_watch_pending(struct qemu_plugin_scoreboard *boards,
			       struct qemu_plugin_insn *insn,
			       qemu_plugin_vcpu_udata_cb_t call, void *data)
{
	qemu_plugin_register_vcpu_insn_exec_cond_cb(
		insn, call, QEMU_PLUGIN_CB_RW_REGS, QEMU_PLUGIN_COND_NE,
		member(boards, offsetof(struct vcpu_board, pending)), 0, data);
}

void vcpu_boards_watch_events(struct qemu_plugin_scoreboard *boards,
			      struct qemu_plugin_insn *insn,
			      qemu_plugin_vcpu_udata_cb_t call, void *data)
{
	qemu_plugin_register_vcpu_insn_exec_cond_cb(
		insn, call, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		member(boards, offsetof(struct vcpu_board, events)), 0, data);
}

void vcpu_boards_note_last(struct qemu_plugin_scoreboard *boards,
			   struct qemu_plugin_insn *last)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		last, QEMU_PLUGIN_INLINE_STORE_U64,
		member(boards, offsetof(struct vcpu_board, last_began)), 1);
}
