import type { FieldProblem } from '../../common/errors/domain-errors.js';
import { tidyText } from '../../common/text/text.js';
import { readBody } from '../../common/validation/validation.pipe.js';
import { CreateGuest } from '../dto/guest.dto.js';
import type { GuestField } from './guest-fields.js';

/** A guest in a row of a file. Undefined fields have no column or an empty cell. */
export interface GuestItem {
  /** The id of the guest in another system of the charity. */
  readonly ownId: string | undefined;
  /** The last name, if the file has it in a column of its own. */
  readonly lastName: string | undefined;
  readonly guest: CreateGuest;
}

export type ReadGuest = { readonly item: GuestItem } | { readonly problems: readonly FieldProblem[] };

const YES = new Set([
  '1',
  'x',
  'y',
  'yes',
  'true',
  'ja',
  'j',
  'wahr',
  'oui',
  'o',
  'vrai',
  'sí',
  'si',
  's',
  'sì',
  'vero',
  'verdadero',
  'waar',
]);
const NO = new Set(['0', '-', 'n', 'no', 'false', 'nein', 'falsch', 'non', 'faux', 'falso', 'nee', 'onwaar']);

/** Reads the cells of a row as a guest, by the rules of `POST /events/:id/guests`. */
export function readGuest(cells: Readonly<Partial<Record<GuestField, string>>>): ReadGuest {
  const { id, firstName, lastName, name, isVip, needsHelp, ...texts } = cells;
  const flags = { isVip: flagOf(isVip), needsHelp: flagOf(needsHelp) };
  const unclear = (['isVip', 'needsHelp'] as const).filter((field) => flags[field] === 'unclear');
  const wholeName =
    name === undefined || name === '' ? [firstName, lastName].filter(Boolean).join(' ') : name;
  const fields = { ...texts, name: wholeName, ...flags };
  const present = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== '' && value !== 'unclear'),
  );
  const read = readBody(CreateGuest, { name: '', ...present });
  const problems: FieldProblem[] = [
    ...('problems' in read ? read.problems : []),
    ...unclear.map((field) => ({ field, rule: 'type' as const, message: `${field} must be yes or no` })),
    ...(id !== undefined && id.length > 100
      ? [
          {
            field: 'id',
            rule: 'maxLength' as const,
            limit: 100,
            message: 'id must be at most 100 characters',
          },
        ]
      : []),
  ];
  if (problems.length > 0 || !('body' in read)) return { problems };
  return {
    item: {
      ownId: id === '' ? undefined : id,
      lastName: lastName ? tidyText(lastName) : undefined,
      guest: read.body,
    },
  };
}

function flagOf(cell: string | undefined): boolean | 'unclear' | undefined {
  if (cell === undefined || cell === '') return undefined;
  const word = cell.toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : 'unclear';
}
