/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WALL_FLAME_H
#define KT_ATTRIBUTION_WALL_FLAME_H

struct attribution_table;

/* Flame graphs of wall time and of time off CPUs (wall_tree.h): options of
 * `ktrace-hw flamegraph`, whose argument is the format, "svg" or "folded".
 */
extern const struct attribution_table wall_flame;
extern const struct attribution_table off_cpu_flame;

#endif
