/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEP_WORDS_H
#define KT_REPORT_STEP_WORDS_H

#include <stdint.h>

/* Return the names of an enum call_how and an enum cpu_state in all formats;
 * never NULL.
 */
const char *call_how_text(uint8_t how);
const char *cpu_state_text(uint8_t state);

#endif
