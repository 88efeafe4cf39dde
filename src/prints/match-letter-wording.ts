import type { PrintLanguage } from './print-limits.js';

/** Words of the letter to a matcher. `{names}` are replaced. Greeting and closing words are those of the other letters. */
export interface MatchLetterWording {
  readonly title: string;
  readonly thanks: string;
  /** For one donation. */
  readonly thanksOne: string;
  /** For a pool that has not ended. */
  readonly running: string;
  readonly cap: string;
  readonly drawn: string;
  readonly kept: string;
  readonly settled: string;
  readonly due: string;
  readonly overpaid: string;
  /** For a matcher who gives the whole sum in any case. */
  readonly anyway: string;
  readonly pay: string;
  /** Without a day. */
  readonly paySoon: string;
  readonly nothing: string;
  readonly list: string;
  readonly number: string;
  readonly time: string;
  readonly amount: string;
  readonly added: string;
  readonly noDonors: string;
  /** For a list that is not complete. */
  readonly more: string;
}

export const MATCH_LETTER_WORDING: Readonly<Record<PrintLanguage, MatchLetterWording>> = {
  en: {
    title: 'Match pool “{pool}”',
    thanks:
      'Thank you for adding to the donations at “{event}”. As of {date}, {count} donations drew money from your pool.',
    thanksOne:
      'Thank you for adding to the donations at “{event}”. As of {date}, 1 donation drew money from your pool.',
    running: 'The pool can still be drawn from, so these sums can change.',
    cap: 'Size of the pool',
    drawn: 'Drawn by donations',
    kept: 'Kept for pledges',
    settled: 'Already paid',
    due: 'Still due',
    overpaid: 'Paid too much',
    anyway: 'You give the whole sum of the pool in any case, so all of it is due.',
    pay: 'Please pay {amount} by {until}.',
    paySoon: 'Please pay {amount}.',
    nothing: 'Nothing is due. Thank you.',
    list: 'The donations',
    number: 'Donation',
    time: 'Time',
    amount: 'Amount',
    added: 'Drawn',
    noDonors:
      'The list names no donors. A donation without a receipt number has the end of its identification.',
    more: '{count} further donations are not listed here; the sums include them.',
  },
  de: {
    title: 'Verdopplungstopf „{pool}“',
    thanks:
      'vielen Dank, dass Sie bei „{event}“ zu den Spenden etwas dazugeben. Stand {date} haben {count} Spenden Geld aus Ihrem Topf geholt.',
    thanksOne:
      'vielen Dank, dass Sie bei „{event}“ zu den Spenden etwas dazugeben. Stand {date} hat 1 Spende Geld aus Ihrem Topf geholt.',
    running: 'Der Topf ist noch nicht beendet, deshalb können sich diese Summen ändern.',
    cap: 'Größe des Topfes',
    drawn: 'Von Spenden abgerufen',
    kept: 'Für Zusagen frei gehalten',
    settled: 'Schon gezahlt',
    due: 'Noch offen',
    overpaid: 'Zu viel gezahlt',
    anyway: 'Sie geben die ganze Summe des Topfes auf jeden Fall, deshalb ist sie ganz zu zahlen.',
    pay: 'Bitte zahlen Sie {amount} bis {until}.',
    paySoon: 'Bitte zahlen Sie {amount}.',
    nothing: 'Es ist nichts mehr offen. Vielen Dank.',
    list: 'Die Spenden',
    number: 'Spende',
    time: 'Zeit',
    amount: 'Betrag',
    added: 'Abgerufen',
    noDonors: 'Die Liste nennt keine Spender. Eine Spende ohne Quittungsnummer hat das Ende ihrer Kennung.',
    more: '{count} weitere Spenden stehen nicht in dieser Liste; die Summen enthalten sie.',
  },
  fr: {
    title: 'Fonds d’abondement « {pool} »',
    thanks:
      'Merci de compléter les dons de « {event} ». Au {date}, {count} dons ont tiré de l’argent de votre fonds.',
    thanksOne:
      'Merci de compléter les dons de « {event} ». Au {date}, 1 don a tiré de l’argent de votre fonds.',
    running: 'Le fonds n’est pas encore terminé : ces sommes peuvent changer.',
    cap: 'Montant du fonds',
    drawn: 'Utilisé par les dons',
    kept: 'Gardé pour les promesses',
    settled: 'Déjà payé',
    due: 'Reste à payer',
    overpaid: 'Trop payé',
    anyway: 'Vous donnez de toute façon la somme entière du fonds : elle est due en totalité.',
    pay: 'Veuillez payer {amount} avant le {until}.',
    paySoon: 'Veuillez payer {amount}.',
    nothing: 'Il ne reste rien à payer. Merci.',
    list: 'Les dons',
    number: 'Don',
    time: 'Heure',
    amount: 'Montant',
    added: 'Utilisé',
    noDonors: 'La liste ne nomme aucun donateur. Un don sans numéro de reçu porte la fin de son identifiant.',
    more: '{count} autres dons ne figurent pas ici ; les sommes les comprennent.',
  },
  es: {
    title: 'Fondo de igualación «{pool}»',
    thanks:
      'Gracias por sumar a las donaciones de «{event}». A {date}, {count} donaciones han obtenido dinero de su fondo.',
    thanksOne:
      'Gracias por sumar a las donaciones de «{event}». A {date}, 1 donación ha obtenido dinero de su fondo.',
    running: 'El fondo aún no ha terminado, así que estas sumas pueden cambiar.',
    cap: 'Tamaño del fondo',
    drawn: 'Utilizado por donaciones',
    kept: 'Reservado para promesas',
    settled: 'Ya pagado',
    due: 'Pendiente',
    overpaid: 'Pagado de más',
    anyway: 'Usted dona la suma completa del fondo en cualquier caso, así que se debe entera.',
    pay: 'Le rogamos que pague {amount} hasta el {until}.',
    paySoon: 'Le rogamos que pague {amount}.',
    nothing: 'No queda nada pendiente. Gracias.',
    list: 'Las donaciones',
    number: 'Donación',
    time: 'Hora',
    amount: 'Importe',
    added: 'Utilizado',
    noDonors:
      'La lista no nombra a donantes. Una donación sin número de recibo lleva el final de su identificador.',
    more: '{count} donaciones más no figuran aquí; las sumas las incluyen.',
  },
  it: {
    title: 'Fondo di raddoppio «{pool}»',
    thanks:
      'Grazie per aggiungere alle donazioni di «{event}». Al {date}, {count} donazioni hanno preso denaro dal suo fondo.',
    thanksOne:
      'Grazie per aggiungere alle donazioni di «{event}». Al {date}, 1 donazione ha preso denaro dal suo fondo.',
    running: 'Il fondo non è ancora chiuso, quindi queste somme possono cambiare.',
    cap: 'Dimensione del fondo',
    drawn: 'Usato dalle donazioni',
    kept: 'Tenuto per le promesse',
    settled: 'Già pagato',
    due: 'Ancora da pagare',
    overpaid: 'Pagato in eccesso',
    anyway: 'Lei dona comunque l’intera somma del fondo, quindi è dovuta per intero.',
    pay: 'La preghiamo di pagare {amount} entro il {until}.',
    paySoon: 'La preghiamo di pagare {amount}.',
    nothing: 'Non resta nulla da pagare. Grazie.',
    list: 'Le donazioni',
    number: 'Donazione',
    time: 'Ora',
    amount: 'Importo',
    added: 'Usato',
    noDonors:
      'L’elenco non nomina donatori. Una donazione senza numero di ricevuta riporta la fine del suo identificativo.',
    more: 'Altre {count} donazioni non sono elencate qui; le somme le comprendono.',
  },
  nl: {
    title: 'Verdubbelpot ‘{pool}’',
    thanks:
      'Bedankt dat u de donaties van ‘{event}’ aanvult. Op {date} hadden {count} donaties geld uit uw pot gehaald.',
    thanksOne:
      'Bedankt dat u de donaties van ‘{event}’ aanvult. Op {date} had 1 donatie geld uit uw pot gehaald.',
    running: 'De pot is nog niet beëindigd, dus deze bedragen kunnen wijzigen.',
    cap: 'Omvang van de pot',
    drawn: 'Gebruikt door donaties',
    kept: 'Vastgelegd voor toezeggingen',
    settled: 'Al betaald',
    due: 'Nog te betalen',
    overpaid: 'Te veel betaald',
    anyway: 'U geeft hoe dan ook het hele bedrag van de pot, dus het is helemaal verschuldigd.',
    pay: 'Wilt u {amount} betalen vóór {until}?',
    paySoon: 'Wilt u {amount} betalen?',
    nothing: 'Er hoeft niets meer te worden betaald. Bedankt.',
    list: 'De donaties',
    number: 'Donatie',
    time: 'Tijd',
    amount: 'Bedrag',
    added: 'Gebruikt',
    noDonors:
      'De lijst noemt geen donateurs. Een donatie zonder kwitantienummer heeft het einde van haar kenmerk.',
    more: '{count} andere donaties staan hier niet; de bedragen bevatten ze wel.',
  },
  ar: {
    title: 'صندوق المطابقة «{pool}»',
    thanks:
      'شكرًا لأنكم تضيفون إلى التبرعات في «{event}». حتى {date} سحب {count} من التبرعات مالًا من صندوقكم.',
    thanksOne: 'شكرًا لأنكم تضيفون إلى التبرعات في «{event}». حتى {date} سحب تبرع واحد مالًا من صندوقكم.',
    running: 'لم ينتهِ الصندوق بعد، لذلك قد تتغير هذه المبالغ.',
    cap: 'حجم الصندوق',
    drawn: 'ما سحبته التبرعات',
    kept: 'محجوز للتعهدات',
    settled: 'دُفع بالفعل',
    due: 'المتبقي للدفع',
    overpaid: 'دُفع زيادة',
    anyway: 'تقدمون مبلغ الصندوق كاملًا في كل الأحوال، لذلك يستحق بالكامل.',
    pay: 'نرجو دفع {amount} حتى {until}.',
    paySoon: 'نرجو دفع {amount}.',
    nothing: 'لا يتبقى شيء للدفع. شكرًا لكم.',
    list: 'التبرعات',
    number: 'التبرع',
    time: 'الوقت',
    amount: 'المبلغ',
    added: 'المسحوب',
    noDonors: 'لا تذكر القائمة أي متبرع. التبرع بلا رقم إيصال يحمل نهاية معرّفه.',
    more: 'هناك {count} من التبرعات الأخرى غير مذكورة هنا، والمبالغ تشملها.',
  },
};
