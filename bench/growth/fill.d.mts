import type pg from 'pg';

export const GROWING: readonly string[];
export function fillBooks(
  client: pg.Client,
  donations: number,
  options?: { readonly events?: number; readonly say?: (line: string) => void },
): Promise<void>;
