/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_GATE_SCRIPT_FIXTURE_H
#define KT_TESTS_GATE_SCRIPT_FIXTURE_H

struct arch;

/* What gate_events makes of the function events and marks of @text has to be
 * @wanted, on @arch, in batches of any size.
 *
 * Each is a line: the time, what happens, the function that it leads to, and
 * behind it the one that it will return to ("130 call vfs_open do_sys_open").
 * Marks are in capitals, with the kernel's call chain, innermost function first;
 * one with "+0" behind has just begun.
 * A stop has its reason, a switch the task, the end of what is open its count.
 * The functions are those of gate_script_fixture.c.
 */
void gate_script_expect(const struct arch *arch, const char *text,
			const char *wanted);

#endif
