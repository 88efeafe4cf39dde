-- The e-mail to the person whom a donor tells about a donation in honour or in memory of somebody.
ALTER TYPE email_kind ADD VALUE 'tribute_notice';
