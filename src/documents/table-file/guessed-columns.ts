/** Usual headings of facts about a person in six languages. */
export const PERSON_HEADINGS = {
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
} as const;

/** Usual headings of the number of a row. */
export const ID_HEADINGS = [
  'nr',
  'no',
  'nummer',
  'numéro',
  'número',
  'numero',
  'código',
  'codice',
  'code',
] as const;

/** Returns a heading without accents, spaces and punctuation: `E-Mail-Adresse` becomes `emailadresse`. */
export const plainHeading = (heading: string): string =>
  heading
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the field of each usual heading. The API name of a field is a heading too. If two fields have the same heading, the
 * first field is used.
 */
export const fieldsByHeading = <Field extends string>(
  fields: readonly Field[],
  headings: Readonly<Partial<Record<Field, readonly string[]>>>,
): ReadonlyMap<string, Field> =>
  new Map(
    [...fields]
      .reverse()
      .flatMap((field) =>
        [field, ...(headings[field] ?? [])].map((one) => [plainHeading(one), field] as const),
      ),
  );

/**
 * Guesses the field of each column from its heading. If several columns match a field, the first column is used. `Nome` is the
 * first name if the file also has `Cognome`; otherwise it is the whole name.
 */
export function guessFields<Field extends string>(
  headings: readonly string[],
  fieldOf: ReadonlyMap<string, Field>,
): (Field | null)[] {
  const guessed = headings.map((heading) => fieldOf.get(plainHeading(heading)) ?? null);
  const once = guessed.map((field, index) => (guessed.indexOf(field) === index ? field : null));
  const has = (field: string) => (once as (string | null)[]).includes(field);
  if (has('name') || has('lastName') === has('firstName')) return once;
  return once.map((field) => (field === 'firstName' || field === 'lastName' ? ('name' as Field) : field));
}
