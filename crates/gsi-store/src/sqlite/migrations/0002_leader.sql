-- The fencing number: raised by whoever takes the lead, checked by whoever writes.
INSERT INTO counter (name, value) VALUES ('leader', 0);
