import { ACCOUNT_CHANGE_WORDINGS, type AccountChangeWording } from './account-change-wording.js';

/** Every word of the e-mails, in one language. `{names}` are filled in. */
export interface EmailWording {
  readonly greeting: string;
  readonly greetingNobody: string;
  readonly receipt: {
    readonly subject: string;
    readonly thanks: string;
    readonly attached: string;
    readonly copy: string;
    readonly amount: string;
    readonly date: string;
    readonly event: string;
    readonly number: string;
    readonly why: string;
  };
  readonly invitation: {
    readonly subject: string;
    readonly text: string;
    readonly newPasswordSubject: string;
    readonly newPasswordText: string;
    readonly button: string;
    readonly until: string;
    readonly why: string;
  };
  readonly accountChange: AccountChangeWording;
  readonly test: { readonly subject: string; readonly text: string; readonly why: string };
}

const WORDINGS = {
  en: {
    greeting: 'Dear {name},',
    greetingNobody: 'Hello,',
    receipt: {
      subject: 'Your receipt from {organization}',
      thanks: 'Thank you for your donation of {amount} to “{event}”.',
      attached: 'Your receipt is attached as a PDF. Please keep it for your records.',
      copy: 'A copy of your receipt is attached as a PDF.',
      amount: 'Amount',
      date: 'Received on',
      event: 'Event',
      number: 'Receipt no.',
      why: 'You get this e-mail once, because this address was given with a donation to {organization}.',
    },
    invitation: {
      subject: 'Your access to {organization}',
      text: 'You have been invited to work with the donations of {organization}. Choose your password to begin.',
      newPasswordSubject: 'A new password for {organization}',
      newPasswordText:
        'The team has sent you a link to choose a new password for your account at {organization}.',
      button: 'Choose a password',
      until: 'The link works once, until {date}.',
      why: 'If you do not know {organization}, ignore this e-mail: without the link nothing happens.',
    },
    accountChange: ACCOUNT_CHANGE_WORDINGS.en,
    test: {
      subject: 'Test e-mail from {organization}',
      text: 'It works: {organization} can send e-mails, and this one reached you.',
      why: 'Somebody tried the e-mail settings of {organization}.',
    },
  },
  de: {
    greeting: 'Guten Tag {name},',
    greetingNobody: 'Guten Tag,',
    receipt: {
      subject: 'Ihre Quittung von {organization}',
      thanks: 'Vielen Dank für Ihre Spende von {amount} für „{event}“.',
      attached: 'Ihre Quittung liegt als PDF bei. Bitte bewahren Sie sie auf.',
      copy: 'Eine Kopie Ihrer Quittung liegt als PDF bei.',
      amount: 'Betrag',
      date: 'Eingegangen am',
      event: 'Veranstaltung',
      number: 'Quittung Nr.',
      why: 'Sie erhalten diese E-Mail einmal, weil diese Adresse bei einer Spende an {organization} angegeben wurde.',
    },
    invitation: {
      subject: 'Ihr Zugang zu {organization}',
      text: 'Sie sind eingeladen, mit den Spenden von {organization} zu arbeiten. Wählen Sie Ihr Passwort, um zu beginnen.',
      newPasswordSubject: 'Ein neues Passwort für {organization}',
      newPasswordText:
        'Jemand aus dem Team hat Ihnen einen Link geschickt, mit dem Sie ein neues Passwort für Ihr Konto bei {organization} wählen.',
      button: 'Passwort wählen',
      until: 'Der Link gilt einmal, bis {date}.',
      why: 'Wenn Sie {organization} nicht kennen, ignorieren Sie diese E-Mail: Ohne den Link geschieht nichts.',
    },
    accountChange: ACCOUNT_CHANGE_WORDINGS.de,
    test: {
      subject: 'Test-E-Mail von {organization}',
      text: 'Es funktioniert: {organization} kann E-Mails senden, und diese hat Sie erreicht.',
      why: 'Jemand hat die E-Mail-Einstellungen von {organization} ausprobiert.',
    },
  },
  fr: {
    greeting: 'Bonjour {name},',
    greetingNobody: 'Bonjour,',
    receipt: {
      subject: 'Votre reçu de {organization}',
      thanks: 'Merci pour votre don de {amount} en faveur de « {event} ».',
      attached: 'Votre reçu est joint en PDF. Merci de le conserver.',
      copy: 'Une copie de votre reçu est jointe en PDF.',
      amount: 'Montant',
      date: 'Reçu le',
      event: 'Événement',
      number: 'Reçu n°',
      why: 'Vous recevez cet e-mail une seule fois, car cette adresse a été indiquée lors d’un don à {organization}.',
    },
    invitation: {
      subject: 'Votre accès à {organization}',
      text: 'Vous êtes invité à travailler avec les dons de {organization}. Choisissez votre mot de passe pour commencer.',
      newPasswordSubject: 'Un nouveau mot de passe pour {organization}',
      newPasswordText:
        'L’équipe vous envoie un lien pour choisir un nouveau mot de passe pour votre compte chez {organization}.',
      button: 'Choisir un mot de passe',
      until: 'Le lien fonctionne une fois, jusqu’au {date}.',
      why: 'Si vous ne connaissez pas {organization}, ignorez cet e-mail : sans le lien, rien ne se passe.',
    },
    accountChange: ACCOUNT_CHANGE_WORDINGS.fr,
    test: {
      subject: 'E-mail de test de {organization}',
      text: 'Cela fonctionne : {organization} peut envoyer des e-mails, et celui-ci vous est parvenu.',
      why: 'Quelqu’un a essayé les réglages d’e-mail de {organization}.',
    },
  },
  es: {
    greeting: 'Hola, {name}:',
    greetingNobody: 'Hola:',
    receipt: {
      subject: 'Su recibo de {organization}',
      thanks: 'Gracias por su donación de {amount} para «{event}».',
      attached: 'Su recibo va adjunto en PDF. Guárdelo, por favor.',
      copy: 'Se adjunta una copia de su recibo en PDF.',
      amount: 'Importe',
      date: 'Recibido el',
      event: 'Evento',
      number: 'Recibo n.º',
      why: 'Recibe este correo una sola vez porque esta dirección se indicó en una donación a {organization}.',
    },
    invitation: {
      subject: 'Su acceso a {organization}',
      text: 'Le han invitado a trabajar con las donaciones de {organization}. Elija su contraseña para empezar.',
      newPasswordSubject: 'Una nueva contraseña para {organization}',
      newPasswordText:
        'El equipo le envía un enlace para elegir una nueva contraseña para su cuenta en {organization}.',
      button: 'Elegir contraseña',
      until: 'El enlace funciona una vez, hasta el {date}.',
      why: 'Si no conoce {organization}, ignore este correo: sin el enlace no ocurre nada.',
    },
    accountChange: ACCOUNT_CHANGE_WORDINGS.es,
    test: {
      subject: 'Correo de prueba de {organization}',
      text: 'Funciona: {organization} puede enviar correos, y este le ha llegado.',
      why: 'Alguien ha probado la configuración de correo de {organization}.',
    },
  },
  it: {
    greeting: 'Buongiorno {name},',
    greetingNobody: 'Buongiorno,',
    receipt: {
      subject: 'La sua ricevuta da {organization}',
      thanks: 'Grazie per la sua donazione di {amount} per «{event}».',
      attached: 'La ricevuta è allegata in PDF. La conservi, per favore.',
      copy: 'Una copia della ricevuta è allegata in PDF.',
      amount: 'Importo',
      date: 'Ricevuta il',
      event: 'Evento',
      number: 'Ricevuta n.',
      why: 'Riceve questa e-mail una sola volta perché questo indirizzo è stato indicato con una donazione a {organization}.',
    },
    invitation: {
      subject: 'Il suo accesso a {organization}',
      text: 'È stato invitato a lavorare con le donazioni di {organization}. Scelga la sua password per iniziare.',
      newPasswordSubject: 'Una nuova password per {organization}',
      newPasswordText:
        'Il team le invia un link per scegliere una nuova password per il suo account presso {organization}.',
      button: 'Scegli una password',
      until: 'Il link funziona una volta, fino al {date}.',
      why: 'Se non conosce {organization}, ignori questa e-mail: senza il link non succede nulla.',
    },
    accountChange: ACCOUNT_CHANGE_WORDINGS.it,
    test: {
      subject: 'E-mail di prova da {organization}',
      text: 'Funziona: {organization} può inviare e-mail, e questa le è arrivata.',
      why: 'Qualcuno ha provato le impostazioni e-mail di {organization}.',
    },
  },
  nl: {
    greeting: 'Beste {name},',
    greetingNobody: 'Hallo,',
    receipt: {
      subject: 'Uw kwitantie van {organization}',
      thanks: 'Dank u voor uw gift van {amount} aan ‘{event}’.',
      attached: 'Uw kwitantie is bijgevoegd als pdf. Bewaar deze goed.',
      copy: 'Een kopie van uw kwitantie is bijgevoegd als pdf.',
      amount: 'Bedrag',
      date: 'Ontvangen op',
      event: 'Evenement',
      number: 'Kwitantienr.',
      why: 'U krijgt deze e-mail één keer, omdat dit adres is opgegeven bij een gift aan {organization}.',
    },
    invitation: {
      subject: 'Uw toegang tot {organization}',
      text: 'U bent uitgenodigd om met de giften van {organization} te werken. Kies uw wachtwoord om te beginnen.',
      newPasswordSubject: 'Een nieuw wachtwoord voor {organization}',
      newPasswordText:
        'Het team stuurt u een link om een nieuw wachtwoord te kiezen voor uw account bij {organization}.',
      button: 'Wachtwoord kiezen',
      until: 'De link werkt één keer, tot {date}.',
      why: 'Kent u {organization} niet? Negeer deze e-mail dan: zonder de link gebeurt er niets.',
    },
    accountChange: ACCOUNT_CHANGE_WORDINGS.nl,
    test: {
      subject: 'Testmail van {organization}',
      text: 'Het werkt: {organization} kan e-mails versturen, en deze heeft u bereikt.',
      why: 'Iemand heeft de e-mailinstellingen van {organization} geprobeerd.',
    },
  },
} as const satisfies Readonly<Record<string, EmailWording>>;

const languageOf = (locale: string): string => locale.split('-', 1)[0]?.toLowerCase() ?? '';

/** The wording for a locale such as `de-AT`; English where there is none for its language. */
export function emailWording(locale: string): { readonly language: string; readonly wording: EmailWording } {
  const language = languageOf(locale);
  return Object.hasOwn(WORDINGS, language)
    ? { language, wording: WORDINGS[language as keyof typeof WORDINGS] }
    : { language: 'en', wording: WORDINGS.en };
}

/** What the donor read the page in, as long as the charity still offers it; else the charity's own. */
export function emailLocale(
  { default: preferred, supported }: { readonly default: string; readonly supported: readonly string[] },
  chosen: string | null,
): string {
  if (chosen === null) return preferred;
  return supported.find((locale) => languageOf(locale) === languageOf(chosen)) ?? preferred;
}
