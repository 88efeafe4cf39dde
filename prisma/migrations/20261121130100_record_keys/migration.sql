-- A random UUID names the record itself, whoever is signed in when it is sent. Keys that are waiting to be repeated
-- move there; where two people used the same one, the first of them.
UPDATE "idempotency_key" AS k SET "scope" = 'record'
 WHERE (k."scope" LIKE 'staff:%' OR k."scope" LIKE 'admin:%')
   AND k."key" ~* '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
   AND NOT EXISTS (
     SELECT FROM "idempotency_key" AS e
      WHERE e."key" = k."key" AND e."scope" <> k."scope" AND (e."scope" LIKE 'staff:%' OR e."scope" LIKE 'admin:%')
        AND (e."created_at", e."scope") < (k."created_at", k."scope")
   );
