-- How long a store of ktrace-hw keeps rows: change the days as you like.
--
--     ktrace-hw store ddl --ttl |
--         clickhouse-client --database=DATABASE --multiquery
--
-- Servers before 19.6 do not know TTL.  There a day's rows go with
-- ALTER TABLE call DROP PARTITION '2026-01-31'.

-- One row for each call, wake-up or change of state: nearly all of the room.
ALTER TABLE function MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE thread_state MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE wakeup MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE call MODIFY TTL day + INTERVAL 14 DAY;

-- What slow ones are found in.
ALTER TABLE syscall MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE fault MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE sleep MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE lock_wait MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE interrupt_slice MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE request MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE request_sleep MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE gap MODIFY TTL day + INTERVAL 90 DAY;

-- Sums, next to nothing; and by recordings and labels all others are found.
ALTER TABLE recording_all MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE cpu MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE process MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE thread MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE interrupt MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE server MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE profile MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE label MODIFY TTL day + INTERVAL 730 DAY;
