/** Texts of the e-mails about pledges, in one language. `{names}` are placeholders. */
export interface PledgeEmailWording {
  readonly thanks: { readonly subject: string; readonly text: string; readonly textMany: string };
  readonly reminder: {
    readonly subject: string;
    readonly text: string;
    readonly textMany: string;
    readonly paid: string;
  };
  readonly last: { readonly subject: string; readonly note: string };
  /** With the button of one pledge, and with the buttons of several. */
  readonly pay: string;
  readonly payMany: string;
  readonly button: string;
  readonly cannotKeep: string;
  readonly unsubscribe: string;
  readonly why: string;
}

export const PLEDGE_EMAIL_WORDINGS = {
  en: {
    thanks: {
      subject: 'Thank you for your pledge to {organization}',
      text: 'Thank you for your pledge of {amount} at “{event}”.',
      textMany: 'Thank you for your pledges at “{event}”, {amount} in total.',
    },
    reminder: {
      subject: 'A reminder of your pledge to {organization}',
      text: 'On {date} you pledged {amount} at “{event}”. Thank you. The pledge is not paid yet.',
      textMany: 'You made several pledges at “{event}”, {amount} in total. Thank you. They are not paid yet.',
      paid: 'If you have paid already, you need to do nothing.',
    },
    last: {
      subject: 'Our last e-mail about your pledge to {organization}',
      note: 'This is our last e-mail about it.',
    },
    pay: 'You can pay it online with the button below. The link is valid until {until}.',
    payMany: 'You can pay each pledge online with its button below. The links are valid until {until}.',
    button: 'Pay {amount}',
    cannotKeep: 'I cannot keep my pledge',
    unsubscribe: 'No more e-mails about pledges',
    why: 'You receive this e-mail because this address was entered with a pledge to {organization}.',
  },
  de: {
    thanks: {
      subject: 'Vielen Dank für Ihre Spendenzusage an {organization}',
      text: 'Vielen Dank für Ihre Zusage von {amount} bei „{event}“.',
      textMany: 'Vielen Dank für Ihre Zusagen bei „{event}“, zusammen {amount}.',
    },
    reminder: {
      subject: 'Erinnerung an Ihre Spendenzusage an {organization}',
      text: 'Am {date} haben Sie bei „{event}“ {amount} zugesagt. Vielen Dank. Die Zusage ist noch nicht bezahlt.',
      textMany:
        'Bei „{event}“ haben Sie mehrere Zusagen gemacht, zusammen {amount}. Vielen Dank. Sie sind noch nicht bezahlt.',
      paid: 'Wenn Sie schon bezahlt haben, müssen Sie nichts tun.',
    },
    last: {
      subject: 'Unsere letzte E-Mail zu Ihrer Spendenzusage an {organization}',
      note: 'Das ist unsere letzte E-Mail dazu.',
    },
    pay: 'Sie können sie mit der Schaltfläche unten online bezahlen. Der Link gilt bis {until}.',
    payMany:
      'Sie können jede Zusage mit ihrer Schaltfläche unten online bezahlen. Die Links gelten bis {until}.',
    button: '{amount} bezahlen',
    cannotKeep: 'Ich kann meine Zusage nicht einhalten',
    unsubscribe: 'Keine E-Mails zu Spendenzusagen mehr',
    why: 'Sie erhalten diese E-Mail, weil diese Adresse bei einer Spendenzusage an {organization} angegeben wurde.',
  },
  fr: {
    thanks: {
      subject: 'Merci pour votre promesse de don à {organization}',
      text: 'Merci pour votre promesse de {amount} lors de « {event} ».',
      textMany: 'Merci pour vos promesses de don lors de « {event} », {amount} au total.',
    },
    reminder: {
      subject: 'Rappel de votre promesse de don à {organization}',
      text: 'Le {date}, vous avez promis {amount} lors de « {event} ». Merci. Cette promesse n’est pas encore payée.',
      textMany:
        'Lors de « {event} », vous avez fait plusieurs promesses de don, {amount} au total. Merci. Elles ne sont pas encore payées.',
      paid: 'Si vous avez déjà payé, vous n’avez rien à faire.',
    },
    last: {
      subject: 'Notre dernier e-mail sur votre promesse de don à {organization}',
      note: 'C’est notre dernier e-mail à ce sujet.',
    },
    pay: 'Vous pouvez la payer en ligne avec le bouton ci-dessous. Le lien est valable jusqu’au {until}.',
    payMany:
      'Vous pouvez payer chaque promesse en ligne avec son bouton ci-dessous. Les liens sont valables jusqu’au {until}.',
    button: 'Payer {amount}',
    cannotKeep: 'Je ne peux pas tenir ma promesse',
    unsubscribe: 'Ne plus recevoir d’e-mails sur les promesses de don',
    why: 'Vous recevez cet e-mail parce que cette adresse a été indiquée lors d’une promesse de don à {organization}.',
  },
  es: {
    thanks: {
      subject: 'Gracias por su promesa a {organization}',
      text: 'Gracias por su promesa de {amount} en «{event}».',
      textMany: 'Gracias por sus promesas en «{event}», {amount} en total.',
    },
    reminder: {
      subject: 'Recordatorio de su promesa a {organization}',
      text: 'El {date} prometió {amount} en «{event}». Gracias. La promesa aún no está pagada.',
      textMany: 'En «{event}» hizo varias promesas, {amount} en total. Gracias. Aún no están pagadas.',
      paid: 'Si ya ha pagado, no tiene que hacer nada.',
    },
    last: {
      subject: 'Nuestro último correo sobre su promesa a {organization}',
      note: 'Este es nuestro último correo al respecto.',
    },
    pay: 'Puede pagarla en línea con el botón de abajo. El enlace es válido hasta el {until}.',
    payMany:
      'Puede pagar cada promesa en línea con su botón de abajo. Los enlaces son válidos hasta el {until}.',
    button: 'Pagar {amount}',
    cannotKeep: 'No puedo mantener mi promesa',
    unsubscribe: 'No recibir más correos sobre promesas',
    why: 'Recibe este correo porque esta dirección se indicó en una promesa a {organization}.',
  },
  it: {
    thanks: {
      subject: 'Grazie per la sua promessa a {organization}',
      text: 'Grazie per la sua promessa di {amount} a “{event}”.',
      textMany: 'Grazie per le sue promesse a “{event}”, {amount} in totale.',
    },
    reminder: {
      subject: 'Promemoria della sua promessa a {organization}',
      text: 'Il {date} ha promesso {amount} a “{event}”. Grazie. La promessa non è ancora pagata.',
      textMany: 'A “{event}” ha fatto più promesse, {amount} in totale. Grazie. Non sono ancora pagate.',
      paid: 'Se ha già pagato, non deve fare nulla.',
    },
    last: {
      subject: 'La nostra ultima e-mail sulla sua promessa a {organization}',
      note: 'Questa è la nostra ultima e-mail in merito.',
    },
    pay: 'Può pagarla online con il pulsante qui sotto. Il link è valido fino al {until}.',
    payMany:
      'Può pagare ogni promessa online con il suo pulsante qui sotto. I link sono validi fino al {until}.',
    button: 'Paga {amount}',
    cannotKeep: 'Non posso mantenere la mia promessa',
    unsubscribe: 'Non ricevere più e-mail sulle promesse',
    why: 'Riceve questa e-mail perché questo indirizzo è stato indicato con una promessa a {organization}.',
  },
  nl: {
    thanks: {
      subject: 'Dank u voor uw toezegging aan {organization}',
      text: 'Hartelijk dank voor uw toezegging van {amount} bij “{event}”.',
      textMany: 'Hartelijk dank voor uw toezeggingen bij “{event}”, samen {amount}.',
    },
    reminder: {
      subject: 'Herinnering aan uw toezegging aan {organization}',
      text: 'Op {date} hebt u bij “{event}” {amount} toegezegd. Hartelijk dank. De toezegging is nog niet betaald.',
      textMany:
        'Bij “{event}” hebt u meerdere toezeggingen gedaan, samen {amount}. Hartelijk dank. Ze zijn nog niet betaald.',
      paid: 'Hebt u al betaald? Dan hoeft u niets te doen.',
    },
    last: {
      subject: 'Onze laatste e-mail over uw toezegging aan {organization}',
      note: 'Dit is onze laatste e-mail hierover.',
    },
    pay: 'U kunt deze online betalen met de knop hieronder. De link is geldig tot {until}.',
    payMany: 'U kunt elke toezegging online betalen met de knop hieronder. De links zijn geldig tot {until}.',
    button: '{amount} betalen',
    cannotKeep: 'Ik kan mijn toezegging niet nakomen',
    unsubscribe: 'Geen e-mails meer over toezeggingen',
    why: 'U krijgt deze e-mail omdat dit adres is opgegeven bij een toezegging aan {organization}.',
  },
  ar: {
    thanks: {
      subject: 'شكرًا لتعهدكم بالتبرع إلى {organization}',
      text: 'شكرًا لتعهدكم بمبلغ {amount} في «{event}».',
      textMany: 'شكرًا لتعهداتكم في «{event}»، ومجموعها {amount}.',
    },
    reminder: {
      subject: 'تذكير بتعهدكم بالتبرع إلى {organization}',
      text: 'في {date} تعهدتم بمبلغ {amount} في «{event}». شكرًا لكم. لم يُدفع هذا التعهد بعد.',
      textMany: 'قدمتم في «{event}» عدة تعهدات مجموعها {amount}. شكرًا لكم. لم تُدفع هذه التعهدات بعد.',
      paid: 'إذا كنتم قد دفعتم بالفعل فلا حاجة إلى أي إجراء.',
    },
    last: {
      subject: 'رسالتنا الأخيرة عن تعهدكم بالتبرع إلى {organization}',
      note: 'هذه رسالتنا الأخيرة في هذا الشأن.',
    },
    pay: 'يمكنكم الدفع عبر الإنترنت بالزر أدناه. الرابط صالح حتى {until}.',
    payMany: 'يمكنكم دفع كل تعهد عبر الإنترنت بزره أدناه. الروابط صالحة حتى {until}.',
    button: 'دفع {amount}',
    cannotKeep: 'لا أستطيع الوفاء بتعهدي',
    unsubscribe: 'عدم تلقي رسائل أخرى عن التعهدات',
    why: 'وصلتكم هذه الرسالة لأن هذا العنوان أُدخل مع تعهد بالتبرع إلى {organization}.',
  },
} as const satisfies Readonly<Record<string, PledgeEmailWording>>;
