/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_FILES_H
#define KT_CMD_PROFILE_FILES_H

#include "report/profile/profile_report.h"

/* Renders @report to @out.  Returns an exit code; standard error knows why. */
int render_to(const struct profile_report *report, render_profile *render,
	      FILE *out);

/* Writes what @renderer has beside the file @path: its second file, and if
 * @report is by groups both of each group alone, <path>.<group>.  In a group's
 * name "/" becomes ",", and what else is unusual in a file's name %XX.
 *
 * Returns as render_to().
 */
int render_beside(const struct profile_report *report,
		  const struct profile_renderer *renderer, const char *path);

#endif
