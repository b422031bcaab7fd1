/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_ROLES_H
#define KT_ATTRIBUTION_INTERRUPT_ROLES_H

#include <stdbool.h>
#include <stdint.h>

struct context_kinds;
struct function_table;

/* This is what a kernel function means to interrupt work. */
enum interrupt_role {
	ROLE_NONE,
	ROLE_HARD,	     /* is a hard interrupt (CONTEXT_INTERRUPT) */
	ROLE_IPI_RESCHEDULE, /* is one sent by another CPU */
	ROLE_IPI_CALL,
	ROLE_NMI,	       /* is an NMI (CONTEXT_NMI) */
	ROLE_SOFTIRQ,	       /* runs soft interrupts (CONTEXT_SOFTIRQ) */
	ROLE_ACTION,	       /* is what one of them does */
	ROLE_ITEM,	       /* runs a work item (CONTEXT_ITEM) */
	ROLE_THREAD,	       /* runs a threaded handler */
	ROLE_CALLS_HANDLER,    /* calls the handlers of an interrupt */
	ROLE_CALLS_POLL,       /* calls a network device's poll function */
	ROLE_CALLS_RCU,	       /* calls RCU callbacks */
	ROLE_HELPER,	       /* what such callers call besides */
	ROLE_SCHEDULES_POLL,   /* asks for a network device to be polled */
	ROLE_WAKES,	       /* wakes a task */
	ROLE_SENDS_RESCHEDULE, /* sends an IPI */
	ROLE_SENDS_CALL,
	ROLE_ENDS_REQUEST, /* hands over a block request that is done */
	ROLE_TAKES_PACKET, /* does what a received packet is for */
	ROLE_ASKS,	   /* asks a device that has one answer for each
				 * question, and waits for it */
	ROLE_ANSWERS,	   /* hands over such an answer */
	ROLE_DIRTIES,	   /* makes a clean page of a file dirty */
	ROLE_CLEANS,	   /* writes a dirty page, or drops it */
};

/* The kernel's numbers of soft interrupts: include/linux/interrupt.h, where
 * they are said to be part of its interface.
 */
enum softirq_vector {
	HI_SOFTIRQ,
	TIMER_SOFTIRQ,
	NET_TX_SOFTIRQ,
	NET_RX_SOFTIRQ,
	BLOCK_SOFTIRQ,
	IRQ_POLL_SOFTIRQ,
	TASKLET_SOFTIRQ,
	SCHED_SOFTIRQ,
	HRTIMER_SOFTIRQ,
	RCU_SOFTIRQ,
};

/* The roles of a recording's functions, by number. */
struct interrupt_roles;

/* Returns NULL when out of memory. */
struct interrupt_roles *
interrupt_roles_new(const struct function_table *functions,
		    const struct context_kinds *kinds);
void interrupt_roles_free(struct interrupt_roles *roles);

/* Returns ROLE_NONE for functions of user space. */
enum interrupt_role interrupt_role_of(const struct interrupt_roles *roles,
				      uint32_t function);

/* Returns which soft interrupt @function, of ROLE_ACTION, is. */
enum softirq_vector interrupt_role_vector(const struct interrupt_roles *roles,
					  uint32_t function);

/* Whom the function of a timer or of a work item serves.  The kernel's sources
 * decide: the trace shows who armed the timer or queued the item, but not who
 * relied on somebody else having done so.  Requesters that find an item queued
 * or a list not empty leave no event.
 */
enum interrupt_service {
	SERVES_ANYBODY, /* an object that several may share: a device, a file
			 * system, a socket; also functions not in the lists */
	SERVES_ASKER,	/* an object of one request: it lies on the stack of
			 * the requester, or was allocated for the request */
	SERVES_SYSTEM,	/* the system as a whole, whoever armed or queued it */
	SERVES_WRITERS, /* processes whose dirty pages it writes */
};

enum interrupt_service
interrupt_role_service(const struct interrupt_roles *roles, uint32_t function);

#endif
