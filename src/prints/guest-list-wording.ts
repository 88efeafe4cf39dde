import type { PrintLanguage } from './print-limits.js';

/** Words of a printed guest list. */
export interface GuestListWording {
  readonly title: string;
  readonly name: string;
  readonly table: string;
  readonly seat: string;
  readonly paddle: string;
  readonly note: string;
  readonly noTable: string;
}

export const GUEST_LIST_WORDING: Readonly<Record<PrintLanguage, GuestListWording>> = {
  en: {
    title: 'Guest list',
    name: 'Name',
    table: 'Table',
    seat: 'Seat',
    paddle: 'Paddle',
    note: 'Note',
    noTable: 'Without a table',
  },
  de: {
    title: 'Gästeliste',
    name: 'Name',
    table: 'Tisch',
    seat: 'Platz',
    paddle: 'Bieternr.',
    note: 'Notiz',
    noTable: 'Ohne Tisch',
  },
  fr: {
    title: 'Liste des invités',
    name: 'Nom',
    table: 'Table',
    seat: 'Place',
    paddle: 'Raquette',
    note: 'Note',
    noTable: 'Sans table',
  },
  es: {
    title: 'Lista de invitados',
    name: 'Nombre',
    table: 'Mesa',
    seat: 'Asiento',
    paddle: 'Paleta',
    note: 'Nota',
    noTable: 'Sin mesa',
  },
  it: {
    title: 'Elenco degli ospiti',
    name: 'Nome',
    table: 'Tavolo',
    seat: 'Posto',
    paddle: 'Paletta',
    note: 'Nota',
    noTable: 'Senza tavolo',
  },
  nl: {
    title: 'Gastenlijst',
    name: 'Naam',
    table: 'Tafel',
    seat: 'Stoel',
    paddle: 'Biednr.',
    note: 'Notitie',
    noTable: 'Zonder tafel',
  },
  ar: {
    title: 'قائمة الضيوف',
    name: 'الاسم',
    table: 'الطاولة',
    seat: 'المقعد',
    paddle: 'اللوحة',
    note: 'ملاحظة',
    noTable: 'بدون طاولة',
  },
};
