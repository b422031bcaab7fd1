/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_STDERR_TEXT_H
#define KT_MACHINE_TESTS_STDERR_TEXT_H

/* From the first call to the second, what is written to stderr is kept; the
 * text is the caller's to free.
 */
void stderr_text_begin(void);
char *stderr_text_end(void);

#endif
