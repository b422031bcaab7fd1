/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_GATE_SCRIPT_FIXTURE_H
#define KT_TESTS_GATE_SCRIPT_FIXTURE_H

struct arch;

/* Asserts that gate_events turns the function events and marks of @text into
 * @wanted, on @arch, in batches of any size.
 *
 * Each event is a line: the time, the kind of event, the function entered or
 * returned to, and after it the function it will return to ("130 call vfs_open
 * do_sys_open"). Marks are in capitals, followed by the kernel's call chain,
 * innermost function first; "+0" after a function means that it has just begun.
 * A stop has its reason, a switch the task, the end of open functions their
 * count. The functions are defined in gate_script_fixture.c.
 */
void gate_script_expect(const struct arch *arch, const char *text,
			const char *wanted);

#endif
