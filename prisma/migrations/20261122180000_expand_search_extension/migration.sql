-- So that an index of parts of words can begin with the event. Comes with PostgreSQL and is trusted, as pg_trgm.
CREATE EXTENSION IF NOT EXISTS btree_gin;
