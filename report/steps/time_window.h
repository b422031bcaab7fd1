/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIME_WINDOW_H
#define KT_REPORT_TIME_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* An interval of the recording's clock: [since_ns, until_ns). */
struct time_window {
	uint64_t since_ns;
	uint64_t until_ns;
};

#define TIME_WINDOW_ALL ((struct time_window){ 0, UINT64_MAX })

/* Returns whether @window includes all times. */
static inline bool time_window_is_all(struct time_window window)
{
	return !window.since_ns && window.until_ns == UINT64_MAX;
}

/* Returns the time in @window, including its end, that is nearest to @time_ns.
 */
static inline uint64_t time_window_clip(struct time_window window,
					uint64_t time_ns)
{
	if (time_ns < window.since_ns)
		return window.since_ns;
	if (time_ns > window.until_ns)
		return window.until_ns;
	return time_ns;
}

/* Returns how much of the time from @begin_ns to @end_ns is in @window. */
static inline uint64_t time_window_part(struct time_window window,
					uint64_t begin_ns, uint64_t end_ns)
{
	return time_window_clip(window, end_ns) -
	       time_window_clip(window, begin_ns);
}

/* Returns whether @time_ns is in @window. */
static inline bool time_window_has(struct time_window window, uint64_t time_ns)
{
	return time_ns >= window.since_ns && time_ns < window.until_ns;
}

#endif
