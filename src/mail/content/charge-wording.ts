/** Texts of the e-mails about charges of saved cards, in one language. `{names}` are placeholders. */
export interface ChargeWording {
  readonly notice: {
    readonly subject: string;
    readonly text: string;
    readonly change: string;
    readonly card: string;
    readonly button: string;
    readonly stop: string;
  };
  readonly failed: {
    readonly subject: string;
    readonly declined: string;
    /** The bank asks for the owner of the card. */
    readonly confirm: string;
    readonly pay: string;
    readonly button: string;
  };
  /** Line in the e-mail with the receipt. */
  readonly charged: string;
  readonly why: string;
}

const CHARGE_WORDINGS = {
  en: {
    notice: {
      subject: 'Tomorrow we charge {amount} to your card',
      text: 'Thank you for your pledge at “{event}”. Tomorrow we charge {amount} to the card that you saved for it.',
      change:
        'Do you want to use another card, or stop the charge? One click is enough. Your pledge stays open then.',
      card: 'Card',
      button: 'Change the card',
      stop: 'Stop this charge',
    },
    failed: {
      subject: 'Your pledge to {organization}: please pay it with this link',
      declined:
        'We could not charge {amount} to your card for your pledge at “{event}”, because the bank declined it. No money was taken.',
      confirm:
        'Your bank asks you to confirm the charge of {amount} for your pledge at “{event}”. We cannot do this for you. No money was taken.',
      pay: 'You can pay it online with the button below. The link is valid until {until}.',
      button: 'Pay {amount}',
    },
    charged:
      'We charged the card that you saved at “{event}”, as you agreed. Is something wrong? Please reply to this e-mail, and we will refund the charge.',
    why: 'You receive this e-mail because you saved a card for your pledges to {organization}.',
  },
  de: {
    notice: {
      subject: 'Morgen belasten wir Ihre Karte mit {amount}',
      text: 'Vielen Dank für Ihre Zusage bei „{event}“. Morgen belasten wir die Karte, die Sie dafür gespeichert haben, mit {amount}.',
      change:
        'Möchten Sie eine andere Karte verwenden oder die Belastung stoppen? Ein Klick genügt. Ihre Zusage bleibt dann offen.',
      card: 'Karte',
      button: 'Karte ändern',
      stop: 'Diese Belastung stoppen',
    },
    failed: {
      subject: 'Ihre Spendenzusage an {organization}: bitte mit diesem Link bezahlen',
      declined:
        'Wir konnten Ihre Karte für Ihre Zusage bei „{event}“ nicht mit {amount} belasten, weil die Bank abgelehnt hat. Es wurde nichts abgebucht.',
      confirm:
        'Ihre Bank möchte, dass Sie die Belastung von {amount} für Ihre Zusage bei „{event}“ bestätigen. Das können wir nicht für Sie tun. Es wurde nichts abgebucht.',
      pay: 'Sie können sie mit der Schaltfläche unten online bezahlen. Der Link gilt bis {until}.',
      button: '{amount} bezahlen',
    },
    charged:
      'Wir haben die Karte belastet, die Sie bei „{event}“ gespeichert haben, wie vereinbart. Stimmt etwas nicht? Bitte antworten Sie auf diese E-Mail, dann erstatten wir den Betrag.',
    why: 'Sie erhalten diese E-Mail, weil Sie für Ihre Spendenzusagen an {organization} eine Karte gespeichert haben.',
  },
  fr: {
    notice: {
      subject: 'Demain, nous débitons {amount} sur votre carte',
      text: 'Merci pour votre promesse de don lors de « {event} ». Demain, nous débitons {amount} sur la carte que vous avez enregistrée.',
      change:
        'Voulez-vous utiliser une autre carte ou arrêter le débit ? Un clic suffit. Votre promesse reste alors ouverte.',
      card: 'Carte',
      button: 'Changer de carte',
      stop: 'Arrêter ce débit',
    },
    failed: {
      subject: 'Votre promesse de don à {organization} : merci de la payer avec ce lien',
      declined:
        'Nous n’avons pas pu débiter {amount} sur votre carte pour votre promesse lors de « {event} », car la banque a refusé. Rien n’a été débité.',
      confirm:
        'Votre banque vous demande de confirmer le débit de {amount} pour votre promesse lors de « {event} ». Nous ne pouvons pas le faire à votre place. Rien n’a été débité.',
      pay: 'Vous pouvez la payer en ligne avec le bouton ci-dessous. Le lien est valable jusqu’au {until}.',
      button: 'Payer {amount}',
    },
    charged:
      'Nous avons débité la carte que vous avez enregistrée lors de « {event} », comme convenu. Quelque chose ne va pas ? Répondez à cet e-mail et nous vous remboursons.',
    why: 'Vous recevez cet e-mail parce que vous avez enregistré une carte pour vos promesses de don à {organization}.',
  },
  es: {
    notice: {
      subject: 'Mañana cobramos {amount} en su tarjeta',
      text: 'Gracias por su promesa en «{event}». Mañana cobramos {amount} en la tarjeta que guardó para ella.',
      change:
        '¿Quiere usar otra tarjeta o detener el cobro? Basta un clic. Su promesa queda entonces abierta.',
      card: 'Tarjeta',
      button: 'Cambiar la tarjeta',
      stop: 'Detener este cobro',
    },
    failed: {
      subject: 'Su promesa a {organization}: páguela con este enlace',
      declined:
        'No pudimos cobrar {amount} en su tarjeta por su promesa en «{event}», porque el banco lo rechazó. No se cobró nada.',
      confirm:
        'Su banco le pide que confirme el cobro de {amount} por su promesa en «{event}». No podemos hacerlo por usted. No se cobró nada.',
      pay: 'Puede pagarla en línea con el botón de abajo. El enlace es válido hasta el {until}.',
      button: 'Pagar {amount}',
    },
    charged:
      'Cobramos en la tarjeta que guardó en «{event}», como acordamos. ¿Algo no está bien? Responda a este correo y le devolvemos el importe.',
    why: 'Recibe este correo porque guardó una tarjeta para sus promesas a {organization}.',
  },
  it: {
    notice: {
      subject: 'Domani addebitiamo {amount} sulla sua carta',
      text: 'Grazie per la sua promessa a “{event}”. Domani addebitiamo {amount} sulla carta che ha salvato.',
      change:
        'Vuole usare un’altra carta o fermare l’addebito? Basta un clic. La sua promessa resta allora aperta.',
      card: 'Carta',
      button: 'Cambiare la carta',
      stop: 'Fermare questo addebito',
    },
    failed: {
      subject: 'La sua promessa a {organization}: la paghi con questo link',
      declined:
        'Non abbiamo potuto addebitare {amount} sulla sua carta per la promessa a “{event}”, perché la banca ha rifiutato. Non è stato addebitato nulla.',
      confirm:
        'La sua banca le chiede di confermare l’addebito di {amount} per la promessa a “{event}”. Non possiamo farlo al posto suo. Non è stato addebitato nulla.',
      pay: 'Può pagarla online con il pulsante qui sotto. Il link è valido fino al {until}.',
      button: 'Pagare {amount}',
    },
    charged:
      'Abbiamo addebitato la carta che ha salvato a “{event}”, come concordato. Qualcosa non va? Risponda a questa e-mail e le rimborsiamo l’importo.',
    why: 'Riceve questa e-mail perché ha salvato una carta per le sue promesse a {organization}.',
  },
  nl: {
    notice: {
      subject: 'Morgen schrijven we {amount} af van uw kaart',
      text: 'Dank u voor uw toezegging bij “{event}”. Morgen schrijven we {amount} af van de kaart die u daarvoor hebt bewaard.',
      change:
        'Wilt u een andere kaart gebruiken of de afschrijving stoppen? Eén klik is genoeg. Uw toezegging blijft dan open.',
      card: 'Kaart',
      button: 'Kaart wijzigen',
      stop: 'Deze afschrijving stoppen',
    },
    failed: {
      subject: 'Uw toezegging aan {organization}: betaal met deze link',
      declined:
        'We konden {amount} voor uw toezegging bij “{event}” niet van uw kaart afschrijven, omdat de bank het weigerde. Er is niets afgeschreven.',
      confirm:
        'Uw bank vraagt u de afschrijving van {amount} voor uw toezegging bij “{event}” te bevestigen. Wij kunnen dat niet voor u doen. Er is niets afgeschreven.',
      pay: 'U kunt de toezegging online betalen met de knop hieronder. De link is geldig tot {until}.',
      button: '{amount} betalen',
    },
    charged:
      'We hebben het bedrag afgeschreven van de kaart die u bij “{event}” hebt bewaard, zoals afgesproken. Klopt er iets niet? Beantwoord deze e-mail, dan betalen we het terug.',
    why: 'U krijgt deze e-mail omdat u een kaart hebt bewaard voor uw toezeggingen aan {organization}.',
  },
  ar: {
    notice: {
      subject: 'غدًا نخصم {amount} من بطاقتكم',
      text: 'شكرًا لتعهدكم في «{event}». غدًا نخصم {amount} من البطاقة التي حفظتموها لهذا الغرض.',
      change: 'هل تريدون استخدام بطاقة أخرى أو إيقاف الخصم؟ تكفي نقرة واحدة. ويبقى تعهدكم مفتوحًا.',
      card: 'البطاقة',
      button: 'تغيير البطاقة',
      stop: 'إيقاف هذا الخصم',
    },
    failed: {
      subject: 'تعهدكم إلى {organization}: يُرجى الدفع بهذا الرابط',
      declined:
        'لم نتمكن من خصم {amount} من بطاقتكم لتعهدكم في «{event}» لأن البنك رفض ذلك. لم يُخصم أي مبلغ.',
      confirm:
        'يطلب منكم البنك تأكيد خصم {amount} لتعهدكم في «{event}». لا يمكننا القيام بذلك نيابة عنكم. لم يُخصم أي مبلغ.',
      pay: 'يمكنكم الدفع عبر الإنترنت بالزر أدناه. الرابط صالح حتى {until}.',
      button: 'دفع {amount}',
    },
    charged:
      'خصمنا المبلغ من البطاقة التي حفظتموها في «{event}» كما اتفقنا. هل هناك خطأ؟ يُرجى الرد على هذه الرسالة وسنعيد المبلغ.',
    why: 'وصلتكم هذه الرسالة لأنكم حفظتم بطاقة لتعهداتكم إلى {organization}.',
  },
} as const satisfies Readonly<Record<string, ChargeWording>>;

/** @param language a language of `emailWording` */
export const chargeWording = (language: string): ChargeWording =>
  Object.hasOwn(CHARGE_WORDINGS, language)
    ? CHARGE_WORDINGS[language as keyof typeof CHARGE_WORDINGS]
    : CHARGE_WORDINGS.en;
