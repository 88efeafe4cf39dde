import { createHash } from 'node:crypto';
import { fillText } from '../../common/text/fill-text.js';

/** A changed wording is a new version. */
const VERSION = 'ready-2026-1';

/** The text that a guest agrees to before a card is saved. `{names}` are placeholders. */
const CONSENTS = {
  en:
    '{organization} may charge this card for the pledges that I make at “{event}” with paddle {paddle}: up to {most} in total, ' +
    'until {until}. At least 24 hours before a charge, {organization} tells me the amount by e-mail. I can stop the charge or ' +
    'delete the card on this page at any time before.',
  de:
    '{organization} darf diese Karte für die Spendenzusagen belasten, die ich bei „{event}“ mit der Bieternummer {paddle} mache: ' +
    'zusammen höchstens {most}, bis zum {until}. Mindestens 24 Stunden vor einer Belastung nennt mir {organization} den Betrag ' +
    'per E-Mail. Bis dahin kann ich auf dieser Seite die Belastung stoppen oder die Karte löschen.',
  es:
    '{organization} puede cobrar en esta tarjeta las promesas que haga en «{event}» con la paleta {paddle}: hasta {most} en ' +
    'total, hasta el {until}. Al menos 24 horas antes de un cobro, {organization} me comunica el importe por correo electrónico. ' +
    'Hasta entonces puedo detener el cobro o borrar la tarjeta en esta página.',
  fr:
    '{organization} peut débiter cette carte pour les promesses de don que je fais lors de « {event} » avec la raquette {paddle} : ' +
    '{most} au maximum en tout, jusqu’au {until}. Au moins 24 heures avant un débit, {organization} m’indique le montant par ' +
    'e-mail. D’ici là, je peux arrêter le débit ou supprimer la carte sur cette page.',
  it:
    '{organization} può addebitare su questa carta le promesse che faccio a “{event}” con la paletta {paddle}: al massimo {most} ' +
    'in totale, fino al {until}. Almeno 24 ore prima di un addebito, {organization} mi comunica l’importo per e-mail. Fino ad ' +
    'allora posso fermare l’addebito o eliminare la carta su questa pagina.',
  nl:
    '{organization} mag deze kaart belasten voor de toezeggingen die ik bij “{event}” doe met biednummer {paddle}: samen ten ' +
    'hoogste {most}, tot {until}. Ten minste 24 uur voor een afschrijving laat {organization} mij het bedrag per e-mail weten. ' +
    'Tot dan kan ik op deze pagina de afschrijving stoppen of de kaart verwijderen.',
} as const satisfies Readonly<Record<string, string>>;

/** The text as a guest reads it. */
export interface ConsentText {
  readonly version: string;
  readonly language: string;
  readonly text: string;
  /** SHA-256 of the text. */
  readonly digest: Buffer;
}

/** Words and figures in the text, as the guest reads them. */
export interface ConsentFacts {
  readonly organization: string;
  readonly event: string;
  readonly paddle: string;
  readonly most: string;
  readonly until: string;
}

/** Returns the language of the text: English, if there is no text in the language of the page. */
export const consentLanguage = (locale: string): keyof typeof CONSENTS => {
  const language = locale.split('-')[0] ?? '';
  return Object.hasOwn(CONSENTS, language) ? (language as keyof typeof CONSENTS) : 'en';
};

export function consentText(language: keyof typeof CONSENTS, facts: ConsentFacts): ConsentText {
  const text = fillText(CONSENTS[language], { ...facts });
  return { version: VERSION, language, text, digest: createHash('sha256').update(text).digest() };
}
