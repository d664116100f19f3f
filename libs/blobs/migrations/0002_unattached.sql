-- For the limit of unattached bytes per scope.
-- Checksum before its comments were reworded: 9a134af680e5253f040613f346642f0dc059ed1b3845071efec0010b18b479ef
CREATE INDEX attachments_unattached ON attachments (scope_id) INCLUDE (size_bytes) WHERE state <> 'attached';
