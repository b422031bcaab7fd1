/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_CHANNEL_FRAME_H
#define KT_MACHINE_CHANNEL_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* This is what the host (attach/) and the guest's init (guest/init/) say to
 * each other over one virtio-serial port: frames of a type, a stream (0, 1, 2
 * as standard input, output, error) and a payload.  One port, so that all that
 * is said arrives in the order in which it was said.
 */
enum frame_type {
	/* host to guest */
	FRAME_SETTING = 1, /* "key=value", see guest/init/settings.h */
	FRAME_START,	   /* all settings are sent */
	FRAME_WINDOW,	   /* u32 rows, u32 columns of the terminal */
	FRAME_SIGNAL,	   /* u32 signal number, for the command */
	/* guest to host */
	FRAME_READY,   /* waits for settings */
	FRAME_STARTED, /* the command runs */
	FRAME_EXIT,    /* u32 exit code; the last frame */
	FRAME_NOTE,    /* text for the user, lines, once the streams ended */
	FRAME_FAILED,  /* text: the guest could not do its part */
	/* both ways, of a stream */
	FRAME_DATA,
	FRAME_END,    /* no more data */
	FRAME_CREDIT, /* u32 bytes more may be sent */
	FRAME_BROKEN, /* nobody reads this stream any more */
};

/* Holds the longest argument or environment string that Linux takes,
 * MAX_ARG_STRLEN (include/uapi/linux/binfmts.h), and its key.
 */
#define FRAME_PAYLOAD_MAX (131072 + 64)

/* How much of a stream may be under way: the first credit, which needs no
 * frame.
 */
#define FRAME_FIRST_CREDIT 262144

struct frame {
	enum frame_type type;
	unsigned int stream;
	uint32_t length;
	const char *payload; /* the reader's, until the next fill */
};

/* The payload's u32 number `index`, 0 if the frame is too short. */
uint32_t frame_number(const struct frame *frame, unsigned int index);

/* Reads frames from a non-blocking file descriptor, which it borrows. */
struct frame_reader;

struct frame_reader *frame_reader_new(int fd);
void frame_reader_free(struct frame_reader *reader);

/* Reads what is there.
 * Returns 1 if something came (take the frames before the next fill),
 * 0 at the end of the file, negative errno otherwise; -EAGAIN: nothing now.
 */
int frame_reader_fill(struct frame_reader *reader);

/* Returns 1 and a frame, 0 when more must be read first, -EPROTO if what
 * came is no frame.
 */
int frame_reader_next(struct frame_reader *reader, struct frame *frame);

/* Queues frames and writes them to a non-blocking file descriptor, which it
 * borrows.
 */
struct frame_writer;

struct frame_writer *frame_writer_new(int fd);
void frame_writer_free(struct frame_writer *writer);

/* Returns 0, or -ENOMEM. */
int frame_writer_put(struct frame_writer *writer, enum frame_type type,
		     unsigned int stream, const void *payload, size_t length);
int frame_writer_put_numbers(struct frame_writer *writer, enum frame_type type,
			     unsigned int stream, uint32_t first,
			     uint32_t second);

/* Writes as much as goes; 0 if nothing is left or the rest has to wait,
 * negative errno if the other side is gone.
 */
int frame_writer_flush(struct frame_writer *writer);

/* Bytes not yet written. */
size_t frame_writer_pending(const struct frame_writer *writer);

#endif
