-- Changes that a program makes with an API key.
ALTER TYPE "actor_kind" ADD VALUE 'api';
