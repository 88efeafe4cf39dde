ALTER TYPE "review_kind" ADD VALUE 'provider_unreachable';
