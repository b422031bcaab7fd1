/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CPU_FREQUENCY_H
#define KT_DECODER_CPU_FREQUENCY_H

#include <stdint.h>

struct aux_stream;
struct recording;

/* The frequency of a CPU over time, from the CBR packets of its trace: an
 * iterator over its changes. CBR has the ratio of the core's clock to the
 * bus's; the bus's is the TSC's divided by the maximum non-turbo ratio. Source:
 * Intel SDM, volume 3, "CBR Packet".
 */
struct cpu_frequency;

/* Opens an iterator for @stream. Borrows @recording and @stream. Returns 0 and
 * *@opened, to be closed by cpu_frequency_close(); -ERROR_UNSUPPORTED if the
 * trace is not Intel PT or its clocks are unknown; -ERROR_MEMORY or
 * -ERROR_SYSTEM.
 */
int cpu_frequency_open(const struct recording *recording,
		       const struct aux_stream *stream,
		       struct cpu_frequency **opened);

/* Returns 1, the time of a change in *@time_ns, and the new frequency in *@khz;
 * 0 at the end. After bytes that are not a packet it continues at the next sync
 * point.
 */
int cpu_frequency_next(struct cpu_frequency *frequency, uint64_t *time_ns,
		       uint64_t *khz);

void cpu_frequency_close(struct cpu_frequency *frequency);

#endif
