-- Every process keeps what the public reads of events. Whoever changes an event or the settings, be it an older version of
-- the service or a person at the database, tells them so by the commit.
CREATE FUNCTION tell_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('donations_changes', '');
  RETURN NULL;
END
$$;

CREATE TRIGGER event_tells AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON event
  FOR EACH STATEMENT EXECUTE FUNCTION tell_changes();

CREATE TRIGGER global_settings_tells AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON global_settings
  FOR EACH STATEMENT EXECUTE FUNCTION tell_changes();
