import { GUEST_FIELDS, type GuestField } from './guest-fields.js';

/** Usual headings of each field in six languages. The API name of the field is a heading too. */
const HEADINGS: Readonly<Record<GuestField, readonly string[]>> = {
  id: [
    'guest id',
    'reference',
    'nr',
    'no',
    'nummer',
    'numéro',
    'número',
    'numero',
    'código',
    'codice',
    'code',
  ],
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
  firstName: ['first name', 'given name', 'forename', 'vorname', 'prénom', 'nombre', 'nome', 'voornaam'],
  lastName: [
    ...[
      'last name',
      'surname',
      'family name',
      'nachname',
      'familienname',
      'nom',
      'nom de famille',
      'apellido',
    ],
    ...['apellidos', 'cognome', 'achternaam'],
  ],
  email: [
    ...['e-mail', 'mail', 'email address', 'e-mail-adresse', 'adresse e-mail', 'courriel', 'correo'],
    ...['correo electrónico', 'posta elettronica', 'indirizzo e-mail', 'e-mailadres'],
  ],
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
  paddle: [
    'paddle number',
    'bidder number',
    'bidder',
    'bieternummer',
    'raquette',
    'paleta',
    'paletta',
    'biednummer',
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
  note: [
    'notes',
    'comment',
    'remarks',
    'notiz',
    'bemerkung',
    'anmerkung',
    'remarque',
    'remarques',
    'commentaire',
    'nota',
    'observaciones',
    'notitie',
    'opmerking',
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

/** Returns a heading without accents, spaces and punctuation: `E-Mail-Adresse` becomes `emailadresse`. */
const plain = (heading: string): string =>
  heading
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

const FIELD_OF = new Map<string, GuestField>(
  // If two fields have the same heading, the first field is used.
  [...GUEST_FIELDS]
    .reverse()
    .flatMap((field) => [field, ...HEADINGS[field]].map((one) => [plain(one), field] as const)),
);

/**
 * Guesses the field of each column from its heading. If several columns match a field, the first column is
 * used. `Nome` is the first name if the file also has `Cognome`; otherwise it is the whole name.
 */
export function guessColumns(headings: readonly string[]): (GuestField | null)[] {
  const guessed = headings.map((heading) => FIELD_OF.get(plain(heading)) ?? null);
  const once = guessed.map((field, index) => (guessed.indexOf(field) === index ? field : null));
  if (once.includes('name') || once.includes('lastName') === once.includes('firstName')) return once;
  return once.map((field) => (field === 'firstName' || field === 'lastName' ? 'name' : field));
}
