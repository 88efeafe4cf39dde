/** What a wall says by itself, in the event's language. `{…}` is filled in. */
export interface WallTexts {
  readonly raised: string;
  readonly ofGoal: string;
  readonly donor: string;
  readonly donors: string;
  readonly scan: string;
  readonly latest: string;
  readonly empty: string;
  readonly thanks: string;
  /** To somebody who does not want to be named. */
  readonly thanksUnnamed: string;
  readonly goalReached: string;
  readonly anonymous: string;
  readonly reconnecting: string;
  readonly gone: string;
  readonly fullscreen: string;
}

const ENGLISH: WallTexts = {
  raised: 'raised',
  ofGoal: 'raised of {goal}',
  donor: 'donor',
  donors: 'donors',
  scan: 'Scan to give',
  latest: 'Latest donations',
  empty: 'Be the first to give!',
  thanks: 'Thank you, {name}!',
  thanksUnnamed: 'Thank you!',
  goalReached: 'We reached our goal!',
  anonymous: 'Anonymous',
  reconnecting: 'Reconnecting…',
  gone: 'This event is not available',
  fullscreen: 'Full screen (F)',
};

const TEXTS: Record<string, WallTexts> = {
  en: ENGLISH,
  de: {
    raised: 'gesammelt',
    ofGoal: 'von {goal} gesammelt',
    donor: 'Person hat gespendet',
    donors: 'Menschen haben gespendet',
    scan: 'Scannen und spenden',
    latest: 'Neueste Spenden',
    empty: 'Machen Sie den Anfang!',
    thanks: 'Danke, {name}!',
    thanksUnnamed: 'Danke!',
    goalReached: 'Ziel erreicht!',
    anonymous: 'Anonym',
    reconnecting: 'Verbindung wird wiederhergestellt …',
    gone: 'Diese Veranstaltung ist nicht verfügbar',
    fullscreen: 'Vollbild (F)',
  },
  fr: {
    raised: 'collectés',
    ofGoal: 'collectés sur {goal}',
    donor: 'donateur',
    donors: 'donateurs',
    scan: 'Scannez pour donner',
    latest: 'Derniers dons',
    empty: 'Faites le premier don !',
    thanks: 'Merci, {name} !',
    thanksUnnamed: 'Merci !',
    goalReached: 'Objectif atteint !',
    anonymous: 'Anonyme',
    reconnecting: 'Reconnexion…',
    gone: 'Cet événement n’est pas disponible',
    fullscreen: 'Plein écran (F)',
  },
  es: {
    raised: 'recaudados',
    ofGoal: 'recaudados de {goal}',
    donor: 'donante',
    donors: 'donantes',
    scan: 'Escanea para donar',
    latest: 'Últimas donaciones',
    empty: '¡Haz la primera donación!',
    thanks: '¡Gracias, {name}!',
    thanksUnnamed: '¡Gracias!',
    goalReached: '¡Objetivo alcanzado!',
    anonymous: 'Anónimo',
    reconnecting: 'Reconectando…',
    gone: 'Este evento no está disponible',
    fullscreen: 'Pantalla completa (F)',
  },
  it: {
    raised: 'raccolti',
    ofGoal: 'raccolti su {goal}',
    donor: 'donatore',
    donors: 'donatori',
    scan: 'Inquadra e dona',
    latest: 'Ultime donazioni',
    empty: 'Fai la prima donazione!',
    thanks: 'Grazie, {name}!',
    thanksUnnamed: 'Grazie!',
    goalReached: 'Obiettivo raggiunto!',
    anonymous: 'Anonimo',
    reconnecting: 'Riconnessione…',
    gone: 'Questo evento non è disponibile',
    fullscreen: 'Schermo intero (F)',
  },
};

/** The texts in a locale's language; English where there are none. */
export const wallTexts = (locale: string): WallTexts =>
  TEXTS[locale.split('-', 1)[0]?.toLowerCase() ?? ''] ?? ENGLISH;
