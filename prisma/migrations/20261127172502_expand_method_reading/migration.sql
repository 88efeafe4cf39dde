-- How far the payment methods of old donations were read from a provider, from new to old.
CREATE TABLE method_reading (
  provider TEXT COLLATE "C" NOT NULL,
  before_id UUID NOT NULL,
  finished_at TIMESTAMPTZ(3),
  CONSTRAINT method_reading_pkey PRIMARY KEY (provider)
);
