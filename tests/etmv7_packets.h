/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_ETMV7_PACKETS_H
#define KT_TESTS_ETMV7_PACKETS_H

/* Packets of a PTM (Arm Program Flow Trace Architecture Specification,
 * IHI 0035) and an ETMv3 with the alternative branch encoding (Arm ETM
 * Architecture Specification, IHI 0014), neither with cycle counts, as bytes of
 * an initializer.  Addresses are offsets of A32 code, below 256, from this one.
 */
#define ETMV7_BASE 0x80008000

/* Packets common to both. A branch's address packet has only the bits that
 * changed.
 */
#define V7_SYNC 0, 0, 0, 0, 0, 0x80
#define V7_TRACE_ON 0x29
#define V7_PERIODIC 0x09
#define V7_BRANCH(offset) (offset) >> 1 | 1
#define V7_EXCEPTION(type, offset) \
	0x80 | (offset) >> 1 | 1, 0x40, (type) << 1 | 1

/* An atom is a direct branch; an indirect branch has an address packet instead
 * of an atom.
 */
#define PTM_START(why, offset) 0x08, (offset), 0x80, 0x00, 0x80, (why)
#define PTM_EXECUTED 0x84
#define PTM_NOT_EXECUTED 0x86

/* @count instructions were executed; with _NOT, one more was not. */
#define ETMV3_START(why, offset) 0x08, (why), (offset), 0x80, 0x00, 0x80
#define ETMV3_EXECUTED(count) 0x80 | (count) << 2
#define ETMV3_EXECUTED_NOT(count) 0xc0 | (count) << 2

#endif
