-- The words of the field: a provider's message is a webhook event, what a person must look at is a review item.
ALTER TABLE provider_event RENAME TO webhook_event;
ALTER TABLE webhook_event RENAME COLUMN event_id TO webhook_event_id;
ALTER TABLE webhook_event RENAME CONSTRAINT provider_event_pkey TO webhook_event_pkey;
ALTER INDEX provider_event_received_at_idx RENAME TO webhook_event_received_at_idx;

ALTER TABLE attention_item RENAME TO review_item;
ALTER TYPE attention_kind RENAME TO review_kind;
ALTER TABLE review_item RENAME CONSTRAINT attention_item_pkey TO review_item_pkey;
ALTER INDEX attention_item_kind_subject_key RENAME TO review_item_kind_subject_key;
ALTER INDEX attention_open_idx RENAME TO review_item_open_idx;

ALTER TABLE event_donor RENAME COLUMN gifts TO donations;
ALTER TABLE event_donor RENAME CONSTRAINT event_donor_gifts_not_negative TO event_donor_donations_not_negative;
