interface KindWording {
  readonly subject: string;
  /** In e-mails to the donor. */
  readonly line: string;
  readonly named: string;
  readonly anonymous: string;
}

/** Texts of the e-mail about a tribute. `{names}` are placeholders. The texts are quiet, because the reader may be in mourning. */
export interface TributeWording {
  readonly memory: KindWording;
  readonly honour: KindWording;
  /** Before the words of the donor. */
  readonly message: string;
  readonly report: string;
  readonly stop: string;
  readonly why: string;
}

const TRIBUTE_WORDINGS = {
  en: {
    memory: {
      subject: 'A donation in memory of {name}',
      line: 'You donated in memory of {name}.',
      named: '{donor} has made a donation to {organization} in memory of {name}.',
      anonymous: 'Somebody has made a donation to {organization} in memory of {name}.',
    },
    honour: {
      subject: 'A donation in honour of {name}',
      line: 'You donated in honour of {name}.',
      named: '{donor} has made a donation to {organization} in honour of {name}.',
      anonymous: 'Somebody has made a donation to {organization} in honour of {name}.',
    },
    message: 'These words are for you:',
    report:
      'If this e-mail reached you by mistake, or if it hurts you, please reply to it. We read every reply.',
    stop: 'No more e-mails of this kind',
    why: 'You receive this one e-mail because the donor entered your address for it. {organization} uses it for nothing else.',
  },
  de: {
    memory: {
      subject: 'Eine Spende im Gedenken an {name}',
      line: 'Sie haben im Gedenken an {name} gespendet.',
      named: '{donor} hat im Gedenken an {name} an {organization} gespendet.',
      anonymous: 'Jemand hat im Gedenken an {name} an {organization} gespendet.',
    },
    honour: {
      subject: 'Eine Spende zu Ehren von {name}',
      line: 'Sie haben zu Ehren von {name} gespendet.',
      named: '{donor} hat zu Ehren von {name} an {organization} gespendet.',
      anonymous: 'Jemand hat zu Ehren von {name} an {organization} gespendet.',
    },
    message: 'Diese Worte sind für Sie:',
    report:
      'Wenn Sie diese E-Mail irrtümlich erhalten haben oder sie Sie verletzt, antworten Sie bitte darauf. Wir lesen jede Antwort.',
    stop: 'Keine solchen E-Mails mehr',
    why: 'Sie erhalten diese eine E-Mail, weil bei der Spende Ihre Adresse dafür angegeben wurde. {organization} verwendet sie für nichts anderes.',
  },
  fr: {
    memory: {
      subject: 'Un don à la mémoire de {name}',
      line: 'Vous avez donné à la mémoire de {name}.',
      named: '{donor} a fait un don à {organization} à la mémoire de {name}.',
      anonymous: 'Une personne a fait un don à {organization} à la mémoire de {name}.',
    },
    honour: {
      subject: 'Un don en l’honneur de {name}',
      line: 'Vous avez donné en l’honneur de {name}.',
      named: '{donor} a fait un don à {organization} en l’honneur de {name}.',
      anonymous: 'Une personne a fait un don à {organization} en l’honneur de {name}.',
    },
    message: 'Ces mots sont pour vous :',
    report:
      'Si cet e-mail vous est parvenu par erreur ou s’il vous blesse, veuillez y répondre. Nous lisons chaque réponse.',
    stop: 'Ne plus recevoir d’e-mails de ce genre',
    why: 'Vous recevez cet unique e-mail parce que votre adresse a été indiquée lors du don. {organization} ne l’utilise pour rien d’autre.',
  },
  es: {
    memory: {
      subject: 'Una donación en memoria de {name}',
      line: 'Usted donó en memoria de {name}.',
      named: '{donor} ha hecho una donación a {organization} en memoria de {name}.',
      anonymous: 'Alguien ha hecho una donación a {organization} en memoria de {name}.',
    },
    honour: {
      subject: 'Una donación en honor de {name}',
      line: 'Usted donó en honor de {name}.',
      named: '{donor} ha hecho una donación a {organization} en honor de {name}.',
      anonymous: 'Alguien ha hecho una donación a {organization} en honor de {name}.',
    },
    message: 'Estas palabras son para usted:',
    report: 'Si ha recibido este correo por error o le hiere, respóndalo. Leemos todas las respuestas.',
    stop: 'No recibir más correos de este tipo',
    why: 'Recibe este único correo porque se indicó su dirección con la donación. {organization} no la usa para nada más.',
  },
  it: {
    memory: {
      subject: 'Una donazione in memoria di {name}',
      line: 'Ha donato in memoria di {name}.',
      named: '{donor} ha fatto una donazione a {organization} in memoria di {name}.',
      anonymous: 'Qualcuno ha fatto una donazione a {organization} in memoria di {name}.',
    },
    honour: {
      subject: 'Una donazione in onore di {name}',
      line: 'Ha donato in onore di {name}.',
      named: '{donor} ha fatto una donazione a {organization} in onore di {name}.',
      anonymous: 'Qualcuno ha fatto una donazione a {organization} in onore di {name}.',
    },
    message: 'Queste parole sono per Lei:',
    report: 'Se ha ricevuto questa e-mail per errore o se La ferisce, risponda pure. Leggiamo ogni risposta.',
    stop: 'Non ricevere più e-mail di questo tipo',
    why: 'Riceve quest’unica e-mail perché il Suo indirizzo è stato indicato con la donazione. {organization} non lo usa per altro.',
  },
  nl: {
    memory: {
      subject: 'Een gift ter nagedachtenis aan {name}',
      line: 'U gaf ter nagedachtenis aan {name}.',
      named: '{donor} heeft ter nagedachtenis aan {name} een gift gedaan aan {organization}.',
      anonymous: 'Iemand heeft ter nagedachtenis aan {name} een gift gedaan aan {organization}.',
    },
    honour: {
      subject: 'Een gift ter ere van {name}',
      line: 'U gaf ter ere van {name}.',
      named: '{donor} heeft ter ere van {name} een gift gedaan aan {organization}.',
      anonymous: 'Iemand heeft ter ere van {name} een gift gedaan aan {organization}.',
    },
    message: 'Deze woorden zijn voor u:',
    report:
      'Hebt u deze e-mail per vergissing ontvangen of kwetst hij u, beantwoord hem dan. Wij lezen elk antwoord.',
    stop: 'Geen e-mails van dit soort meer',
    why: 'U ontvangt deze ene e-mail omdat uw adres bij de gift is opgegeven. {organization} gebruikt het nergens anders voor.',
  },
  ar: {
    memory: {
      subject: 'تبرع تخليدًا لذكرى {name}',
      line: 'تبرعكم تخليدًا لذكرى {name}.',
      named: 'قدّم {donor} تبرعًا إلى {organization} تخليدًا لذكرى {name}.',
      anonymous: 'قُدّم تبرع إلى {organization} تخليدًا لذكرى {name}.',
    },
    honour: {
      subject: 'تبرع تكريمًا لـ {name}',
      line: 'تبرعكم تكريمًا لـ {name}.',
      named: 'قدّم {donor} تبرعًا إلى {organization} تكريمًا لـ {name}.',
      anonymous: 'قُدّم تبرع إلى {organization} تكريمًا لـ {name}.',
    },
    message: 'هذه الكلمات لكم:',
    report: 'إذا وصلتكم هذه الرسالة خطأً أو كانت مؤلمة لكم، فنرجو الرد عليها. نقرأ كل رد.',
    stop: 'عدم تلقي رسائل من هذا النوع',
    why: 'وصلتكم هذه الرسالة الوحيدة لأن عنوانكم أُدخل مع التبرع. لا تستخدمه {organization} لأي غرض آخر.',
  },
} satisfies Record<string, TributeWording>;

/** @param language of an e-mail */
export const tributeWording = (language: string): TributeWording =>
  Object.hasOwn(TRIBUTE_WORDINGS, language)
    ? TRIBUTE_WORDINGS[language as keyof typeof TRIBUTE_WORDINGS]
    : TRIBUTE_WORDINGS.en;
