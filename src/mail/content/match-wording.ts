/** Lines about match pools in the e-mail with the receipt, in one language. `{names}` are placeholders. */
export interface MatchWording {
  readonly drew: string;
  /** For a matcher without a public name. */
  readonly drewAnonymous: string;
  /** For a pool that had less left than the donation could draw. */
  readonly drewPart: string;
}

const MATCH_WORDINGS = {
  en: {
    drew: 'Your donation drew {amount} from the fund of {matcher}.',
    drewAnonymous: 'Your donation drew {amount} from the fund of a supporter.',
    drewPart: 'The fund ran out just before: {amount} were added to your {given}.',
  },
  de: {
    drew: 'Ihre Spende hat {amount} aus dem Topf von {matcher} geholt.',
    drewAnonymous: 'Ihre Spende hat {amount} aus dem Topf eines Unterstützers geholt.',
    drewPart: 'Der Topf war kurz davor aufgebraucht: Zu Ihren {given} kamen {amount} dazu.',
  },
  fr: {
    drew: 'Votre don a obtenu {amount} du fonds de {matcher}.',
    drewAnonymous: 'Votre don a obtenu {amount} du fonds d’un donateur.',
    drewPart: 'Le fonds venait de s’épuiser : {amount} ont été ajoutés à vos {given}.',
  },
  es: {
    drew: 'Su donación obtuvo {amount} del fondo de {matcher}.',
    drewAnonymous: 'Su donación obtuvo {amount} del fondo de un patrocinador.',
    drewPart: 'El fondo acababa de agotarse: se añadieron {amount} a sus {given}.',
  },
  it: {
    drew: 'La sua donazione ha ottenuto {amount} dal fondo di {matcher}.',
    drewAnonymous: 'La sua donazione ha ottenuto {amount} dal fondo di un sostenitore.',
    drewPart: 'Il fondo si è appena esaurito: ai suoi {given} sono stati aggiunti {amount}.',
  },
  nl: {
    drew: 'Uw donatie haalde {amount} uit de pot van {matcher}.',
    drewAnonymous: 'Uw donatie haalde {amount} uit de pot van een sponsor.',
    drewPart: 'De pot raakte net op: bij uw {given} kwam {amount}.',
  },
  ar: {
    drew: 'سحب تبرعكم {amount} من صندوق {matcher}.',
    drewAnonymous: 'سحب تبرعكم {amount} من صندوق أحد الداعمين.',
    drewPart: 'نفد الصندوق قبل تبرعكم بقليل: أُضيف {amount} إلى تبرعكم {given}.',
  },
} as const satisfies Record<string, MatchWording>;

/** Returns the texts in the language of a locale; English texts if there are none. */
export const matchWording = (language: string): MatchWording =>
  Object.hasOwn(MATCH_WORDINGS, language)
    ? MATCH_WORDINGS[language as keyof typeof MATCH_WORDINGS]
    : MATCH_WORDINGS.en;
