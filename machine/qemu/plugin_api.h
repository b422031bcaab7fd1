/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_PLUGIN_API_H
#define KT_MACHINE_QEMU_PLUGIN_API_H

#include "machine/qemu/glib_part.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The part of QEMU's TCG plugin interface that this project uses.
 *
 * It is declared here because Debian packages no header for it. Every function
 * was checked against include/plugins/qemu-plugin.h of QEMU 10.2 and 11.0 (API
 * 6) and 11.1 (API 7). The plugin_on_*() functions at the end hide the
 * differences; plugin_api.c defines them once per API. Everything else is equal
 * in both.
 */
#define PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;

typedef struct qemu_info_t {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus;
			int max_vcpus;
		} system;
	};
} qemu_info_t;

/* One uint64_t of each element of a scoreboard, which has one per vCPU. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

/* qemu_plugin_get_registers() returns an array of these.  API 7 may append
 * members: step through it by g_array_get_element_size().
 */
typedef struct {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
} qemu_plugin_reg_descriptor;

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
	QEMU_PLUGIN_CB_RW_REGS,
	QEMU_PLUGIN_CB_RW_REGS_PC, /* not in 10.2 */
};

enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_NEVER,
	QEMU_PLUGIN_COND_ALWAYS,
	QEMU_PLUGIN_COND_EQ,
	QEMU_PLUGIN_COND_NE,
	QEMU_PLUGIN_COND_LT,
	QEMU_PLUGIN_COND_LE,
	QEMU_PLUGIN_COND_GT,
	QEMU_PLUGIN_COND_GE,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64,
	QEMU_PLUGIN_INLINE_STORE_U64,
};

enum qemu_plugin_discon_type {
	QEMU_PLUGIN_DISCON_INTERRUPT = 1 << 0,
	QEMU_PLUGIN_DISCON_EXCEPTION = 1 << 1,
	QEMU_PLUGIN_DISCON_HOSTCALL = 1 << 2,
	QEMU_PLUGIN_DISCON_ALL = -1,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW,
};

typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_hwaddr;

typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *userdata);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu,
					  qemu_plugin_meminfo_t info,
					  uint64_t vaddr, void *userdata);

/* Translation blocks and their instructions, valid in a tb_trans callback. */
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest,
			     size_t size);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* Register calls for the execution of a block or instruction; they happen
 * before it executes.
 */
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags,
					  void *userdata);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
					       qemu_plugin_vcpu_udata_cb_t cb,
					       enum qemu_plugin_cb_flags flags,
					       enum qemu_plugin_cond cond,
					       qemu_plugin_u64 entry,
					       uint64_t imm, void *userdata);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
	struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
	qemu_plugin_u64 entry, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags,
					    void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(
	struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb,
	enum qemu_plugin_cb_flags flags, enum qemu_plugin_cond cond,
	qemu_plugin_u64 entry, uint64_t imm, void *userdata);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
	struct qemu_plugin_insn *insn, enum qemu_plugin_op op,
	qemu_plugin_u64 entry, uint64_t imm);

/* Registers a call after each memory access of an instruction; the others
 * return the location of the access.
 */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw,
				      void *userdata);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info,
						  uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr);
const char *
qemu_plugin_hwaddr_device_name(const struct qemu_plugin_hwaddr *hwaddr);

/* Registers of the vCPU that runs the callback. */
GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *handle,
			       GByteArray *buf);
bool qemu_plugin_write_register(struct qemu_plugin_register *handle,
				GByteArray *buf);
/* Weak and NULL with QEMU 10.2, which lacks it. Does not return. */
__attribute__((weak, noreturn)) void qemu_plugin_set_pc(uint64_t vaddr);

/* Guest memory by physical address, devices included; 0 is success. */
int qemu_plugin_read_memory_hwaddr(uint64_t addr, GByteArray *data,
				   size_t size);
int qemu_plugin_write_memory_hwaddr(uint64_t addr, GByteArray *data);
bool qemu_plugin_read_memory_vaddr(uint64_t addr, GByteArray *data,
				   size_t size);
bool qemu_plugin_translate_vaddr(uint64_t vaddr, uint64_t *hwaddr);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
				  unsigned int vcpu);

/* The callbacks whose form changed between API 6 and 7, in one form.
 *
 * API 6 gives them no userdata: plugin_api.c keeps it, one per kind of
 * callback, so each kind can be registered once per plugin.
 */
typedef void plugin_tb_trans_fn(struct qemu_plugin_tb *tb, void *userdata);
typedef void plugin_vcpu_fn(unsigned int vcpu, void *userdata);
typedef void plugin_exit_fn(void *userdata);
typedef void plugin_discon_fn(unsigned int vcpu,
			      enum qemu_plugin_discon_type type,
			      uint64_t from_pc, uint64_t to_pc, void *userdata);

void plugin_on_tb_trans(qemu_plugin_id_t id, plugin_tb_trans_fn *fn,
			void *userdata);
void plugin_on_vcpu_init(qemu_plugin_id_t id, plugin_vcpu_fn *fn,
			 void *userdata);
/* All types of discontinuity, after the vCPU was prepared to handle it.
 *
 * Interrupt: @from_pc is the instruction that would have run next.
 * Exception: @from_pc is the instruction that raised it.
 */
void plugin_on_discon(qemu_plugin_id_t id, plugin_discon_fn *fn,
		      void *userdata);
void plugin_on_exit(qemu_plugin_id_t id, plugin_exit_fn *fn, void *userdata);

/* Returns false, after a message to stderr, for a QEMU whose API is neither 6
 * nor 7, one without qemu_plugin_set_pc(), and one that is not a full system of
 * @target ("x86_64").
 */
bool plugin_api_usable(const qemu_info_t *info, const char *target);

#endif
