import * as z from 'zod';
import type { FormLanguage, ReceiptPack } from './receipt-pack.js';

/** A setting in the form of the dashboard. A day is `YYYY-MM-DD`; `lines` is a list with one entry a line. */
export interface PackFormField {
  /** Path in the settings, such as `legal.nl.rsin`. */
  readonly path: string;
  readonly kind: 'text' | 'lines' | 'day' | 'flag' | 'choice';
  readonly label: string;
  readonly hint: string | null;
  /** Characters of a text, or of all lines; null: the server has no limit of its own. */
  readonly maxLength: number | null;
  /** Empty unless the kind is `choice`. */
  readonly choices: { readonly value: string; readonly label: string }[];
  readonly shownIf: { readonly path: string; readonly value: string | boolean } | null;
}

/** Returns the form of a pack: its words in one language, and all else from the schema of its settings. */
export function formOf({ id, settings, form }: ReceiptPack, language: FormLanguage): PackFormField[] {
  const pathOf = (name: string) => `legal.${id}.${name}`;
  const schemas: z.core.$ZodShape = settings.shape;
  return Object.entries(form).map(([name, { label, hint, choices = {}, shownIf }]) => ({
    path: pathOf(name),
    ...inputOf(schemas[name]),
    label: label[language],
    hint: hint?.[language] ?? null,
    choices: Object.entries(choices).map(([value, words]) => ({ value, label: words[language] })),
    shownIf: shownIf ? { path: pathOf(shownIf[0]), value: shownIf[1] } : null,
  }));
}

function inputOf(schema: z.core.$ZodType | undefined): Pick<PackFormField, 'kind' | 'maxLength'> {
  if (!schema) throw new Error('The form of a pack names a setting that the pack does not have');
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) return inputOf(schema.unwrap());
  if (schema instanceof z.ZodEnum) return { kind: 'choice', maxLength: null };
  const { type, format, maxLength = null, maxItems = 0, items } = z.toJSONSchema(schema, { io: 'input' });
  if (type === 'boolean') return { kind: 'flag', maxLength: null };
  if (format === 'date') return { kind: 'day', maxLength: null };
  if (type !== 'array') return { kind: 'text', maxLength };
  const each = typeof items === 'object' && !Array.isArray(items) ? (items.maxLength ?? 0) : 0;
  return { kind: 'lines', maxLength: each * maxItems };
}
