/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_PROBLEM_H
#define KT_MACHINE_GUEST_PROBLEM_H

/* Why the guest cannot go on, in words for the user of the host. */
struct problem {
	char text[512];
};

/* Describes the problem, with errno's text appended if errno is not 0.
 * Returns -1, so that a step can end with it.
 */
int problem_set(struct problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
