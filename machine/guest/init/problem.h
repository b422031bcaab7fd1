/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_PROBLEM_H
#define KT_MACHINE_GUEST_PROBLEM_H

/* The reason why the guest cannot continue, for the host's user. */
struct problem {
	char text[512];
};

/* Describes the problem, with errno's text appended if errno is not 0. Returns
 * -1, so that a step can return the result.
 */
int problem_set(struct problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
