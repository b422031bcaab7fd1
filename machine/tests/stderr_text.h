/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_STDERR_TEXT_H
#define KT_MACHINE_TESTS_STDERR_TEXT_H

/* Capture the text written to stderr between both calls. The caller frees the
 * returned text.
 */
void stderr_text_begin(void);
char *stderr_text_end(void);

#endif
