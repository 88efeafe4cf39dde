import {
  fieldsByHeading,
  guessFields,
  ID_HEADINGS,
  PERSON_HEADINGS,
} from '../../documents/table-file/guessed-columns.js';
import { GUEST_FIELDS, type GuestField } from './guest-fields.js';

/** Usual headings of each field in six languages. The API name of the field is a heading too. */
const HEADINGS: Readonly<Record<GuestField, readonly string[]>> = {
  id: ['guest id', 'reference', ...ID_HEADINGS],
  name: [
    ...[
      'full name',
      'guest',
      'guest name',
      'vollständiger name',
      'gast',
      'nom complet',
      'invité',
      'nombre completo',
    ],
    ...['invitado', 'nome completo', 'ospite', 'nominativo', 'naam', 'volledige naam'],
  ],
  ...PERSON_HEADINGS,
  phone: [
    'telephone',
    'mobile',
    'cell',
    'telefon',
    'handy',
    'mobil',
    'téléphone',
    'portable',
    'teléfono',
    'móvil',
    'telefono',
    'cellulare',
    'telefoon',
    'mobiel',
  ],
  table: ['table number', 'table name', 'tisch', 'tischnummer', 'mesa', 'tavolo', 'tafel'],
  seat: [
    'seat number',
    'place',
    'platz',
    'sitzplatz',
    'sitz',
    'place assise',
    'siège',
    'asiento',
    'plaza',
    'posto',
    'stoel',
    'plaats',
  ],
  party: [
    'group',
    'company',
    'gruppe',
    'firma',
    'groupe',
    'société',
    'grupo',
    'empresa',
    'gruppo',
    'azienda',
    'groep',
    'bedrijf',
  ],
  isVip: ['vip'],
  needsHelp: [
    'needs help',
    'help',
    'accessibility',
    'hilfe',
    'barrierefrei',
    'aide',
    'ayuda',
    'aiuto',
    'hulp',
  ],
};

const FIELD_OF = fieldsByHeading(GUEST_FIELDS, HEADINGS);

/** Guesses the field of each column of a guest list from its heading. */
export const guessColumns = (headings: readonly string[]): (GuestField | null)[] =>
  guessFields(headings, FIELD_OF);
