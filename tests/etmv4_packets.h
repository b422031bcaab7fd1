/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_ETMV4_PACKETS_H
#define KT_TESTS_ETMV4_PACKETS_H

/* Packets of an ETMv4 (Arm ETM Architecture Specification, IHI 0064), as
 * bytes of an initializer.  Addresses are offsets, below 512, from this one.
 */
#define ETMV4_BASE 0xffffffc000080000

#define SYNC_ONLY 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
#define SYNC SYNC_ONLY, 0x01, 0x01, 0x00
/* A synchronisation with cycle counts, of at least 4. */
#define SYNC_CYCLES SYNC_ONLY, 0x01, 0x09, 0x01, 0x04
/* A synchronisation with @depth uncommitted elements. */
#define SYNC_DEPTH(depth) SYNC_ONLY, 0x01, 0x05, 0x00, (depth)
#define SYNC_DEPTH_CYCLES(depth) SYNC_ONLY, 0x01, 0x0d, 0x01, (depth), 0x04
#define CYCLES(count) 0x0e, (count)-4
#define CYCLES_UNKNOWN 0x0f
/* A timestamp below 16384, and the cycles since the last count. */
#define STAMP(time) 0x02, ((time)&0x7f) | 0x80, (time) >> 7
#define STAMP_CYCLES(time, count) \
	0x03, ((time)&0x7f) | 0x80, (time) >> 7, (count)
#define TRACE_ON 0x04
#define AT(offset) (offset) >> 2, 0x00, 0x08, 0x00, 0xc0, 0xff, 0xff, 0xff
#define ADDRESS(offset) 0x9d, AT(offset)
#define CONTEXT(offset) 0x85, AT(offset), 0x31
/* Addresses of a program, in A64, A32 and T32: offsets below 256 from this one.
 * 32-bit address packets leave the upper half unchanged.
 */
#define ETMV4_USER 0x00400000
#define USER_AT_A32(offset) (offset) >> 2, 0x00, 0x40, 0x00
#define USER_AT_T32(offset) (offset) >> 1, 0x00, 0x40, 0x00
#define LOW_HALF 0x00, 0x00, 0x00, 0x00
#define USER_A64(offset) 0x9d, USER_AT_A32(offset), LOW_HALF
#define USER_A32(offset) 0x9a, USER_AT_A32(offset)
#define USER_T32(offset) 0x9b, USER_AT_T32(offset)
/* Program addresses with a context packet, after a kernel address. */
#define CONTEXT_A64 0x85, USER_AT_A32(0), LOW_HALF
#define CONTEXT_A32(offset) 0x85, USER_AT_A32(offset), LOW_HALF, CONTEXT_EL0_32
#define CONTEXT_T32(offset) 0x86, USER_AT_T32(offset), LOW_HALF, CONTEXT_EL0_32
#define CONTEXT_EL0 0x30
#define CONTEXT_EL0_32 0x20
#define CONTEXT_EL2 0x32
/* OR'ed into a context packet: it is followed by these ids, of four bytes each.
 */
#define HAS_VMID 0x40
#define HAS_CONTEXT_ID 0x80
#define ID(id) (id), 0x00, 0x00, 0x00
#define EXECUTED 0xf7
#define NOT_EXECUTED 0xf6
#define EXCEPTION(type, offset) 0x06, (type) << 1 | 1, ADDRESS(offset)
/* Packets that resolve speculation. */
#define COMMIT(count) 0x2d, (count)
#define CANCEL(count) 0x2e, (count)
#define CANCEL_MISPREDICT(count) 0x2f, (count)
#define MISPREDICT 0x30
#define EXECUTED_CANCEL_MISPREDICT 0x35
/* Cycle counts that commit, for TRCIDR0.COMMOPT 0, in their three formats. */
#define CYCLES_COMMIT(count, commit) 0x0e, (commit), (count)-4
#define FEW_CYCLES_COMMIT(count, commit) 0x0c, ((commit)-1) << 4 | ((count)-4)
#define LEAST_CYCLES_COMMIT(count, commit) \
	0x10 | ((commit)-1) << 2 | ((count)-4)
#define OVERFLOW 0x00, 0x05
#define RESERVED 0x08

#endif
