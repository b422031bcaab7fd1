/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_FLOW_H
#define KT_EXECUTION_ATOM_FLOW_H

#include <stdbool.h>
#include <stdint.h>

struct execution;
struct trace_branch;

/* Updates the position of execution for each kind of branch with atoms and
 * addresses: the implementation of follow_atoms(). @position: of the packet, in
 * the stream's bytes.
 */

/* TRACE_ATOMS */
void atom_flow_atoms(struct execution *execution,
		     const struct trace_branch *branch, uint64_t position);

/* TRACE_ADDRESS */
void atom_flow_address(struct execution *execution,
		       const struct trace_branch *branch);

/* TRACE_SOURCE */
void atom_flow_source(struct execution *execution,
		      const struct trace_branch *branch, uint64_t position);

/* TRACE_EXCEPTION */
void atom_flow_exception(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position);

/* TRACE_EXCEPTION_RETURN */
void atom_flow_exception_return(struct execution *execution);

/* TRACE_ON */
void atom_flow_on(struct execution *execution, bool is_overflow,
		  uint64_t position);

/* Adds an item that starts now. Only used for lists. */
void atom_flow_list(struct execution *execution, uint8_t kind, uint8_t detail,
		    uint64_t ip);

#endif
