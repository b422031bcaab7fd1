/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_FILES_H
#define KT_CMD_PROFILE_FILES_H

#include "report/profile/profile_report.h"

/* Renders @report to @out. Returns an exit code, after a message on standard
 * error if it failed.
 */
int render_to(const struct profile_report *report, render_profile *render,
	      FILE *out);

/* Writes @renderer's files beside the file @path: its second file and, if
 * @report has groups, both files of each group, named <path>.<group>. In a
 * group's name "/" becomes "," and other characters unusual in file names
 * become %XX.
 *
 * Returns like render_to().
 */
int render_beside(const struct profile_report *report,
		  const struct profile_renderer *renderer, const char *path);

#endif
