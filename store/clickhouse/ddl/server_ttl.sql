-- How long a store of ktrace-hw keeps rows; change the days as needed.
--
--     ktrace-hw store ddl --ttl |
--         clickhouse-client --database=DATABASE --multiquery
--
-- Servers before 19.6 do not support TTL.  There remove the rows of a day with
-- ALTER TABLE call DROP PARTITION '2026-01-31'.

-- One row for each call, wake-up or change of state: nearly all of the space.
ALTER TABLE function MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE thread_state MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE wakeup MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE call MODIFY TTL day + INTERVAL 14 DAY;

-- Tables in which queries find slow system calls, sleeps and requests.
ALTER TABLE syscall MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE fault MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE sleep MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE lock_wait MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE spin MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE interrupts_off MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE preemption_off MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE idle_exit MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE block_io MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE block_sleep MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE packet MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE read_call MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE interrupt_slice MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE request MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE request_sleep MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE gap MODIFY TTL day + INTERVAL 90 DAY;

-- Sums, which are small; and recordings and labels, which lead to all other rows.
ALTER TABLE recording_all MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE cpu MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE process MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE thread MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE interrupt MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE server MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE profile MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE label MODIFY TTL day + INTERVAL 730 DAY;
