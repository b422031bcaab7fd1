/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_CODE_H
#define KT_DECODER_CORESIGHT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_input;

/* The code that one stream's decoder meets: the kernel's, and that of the
 * process that runs.
 */
struct coresight_code;

/* Borrows what @input names.  Returns 0 and *@code, or a negative enum error.
 */
int coresight_code_open(const struct flow_input *input,
			struct coresight_code **code);
void coresight_code_close(struct coresight_code *code);

/* Returns the bytes at @address and sets *@left to how many follow in one
 * piece, or NULL.
 */
const uint8_t *coresight_code_bytes(struct coresight_code *code,
				    uint64_t address, size_t *left);

/* Whether the kernel's code at @address is another at the recording's end than
 * was copied when it began, so that nobody knows which one ran.
 */
bool coresight_code_is_unknown(const struct coresight_code *code,
			       uint64_t address);

/* When it changes next, UINT64_MAX if never, and if times are no nanoseconds.
 */
uint64_t coresight_code_next_change_ns(const struct coresight_code *code);

/* Goes on to @time_ns, or to process @pid from then on where the trace itself
 * says who runs; either may change when the next change is due.  Return 0 or
 * -ERROR_MEMORY.
 */
int coresight_code_advance(struct coresight_code *code, uint64_t time_ns);
int coresight_code_set_process(struct coresight_code *code, int32_t pid,
			       uint64_t time_ns);

#endif
