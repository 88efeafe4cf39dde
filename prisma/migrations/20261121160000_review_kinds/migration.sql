ALTER TYPE "review_kind" ADD VALUE 'total_out_of_range';
ALTER TYPE "review_kind" ADD VALUE 'relay_stalled';
