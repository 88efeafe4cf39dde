import { ACCOUNT_CHANGE_WORDINGS, type AccountChangeWording } from './account-change-wording.js';
import { PLEDGE_EMAIL_WORDINGS, type PledgeEmailWording } from './pledge-email-wording.js';

/** All texts of the e-mails in one language. `{names}` are placeholders. */
export interface EmailWording {
  readonly greeting: string;
  readonly greetingNobody: string;
  readonly receipt: {
    readonly subject: string;
    readonly thanks: string;
    readonly attached: string;
    readonly copy: string;
    /** Sentence about the attached simplified proof. */
    readonly proof: string;
    readonly amount: string;
    readonly date: string;
    readonly event: string;
    readonly number: string;
    /** Label of the link to the charity's page for monthly donations. */
    readonly monthly: string;
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
  readonly pledge: PledgeEmailWording;
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
      proof:
        'A simplified proof for the tax office in Germany is attached too. It counts together with your bank statement.',
      copy: 'A copy of your receipt is attached as a PDF.',
      amount: 'Amount',
      date: 'Received on',
      event: 'Event',
      number: 'Receipt no.',
      monthly: 'Donate every month',
      why: 'You receive this e-mail because this address was entered with a donation to {organization}.',
    },
    invitation: {
      subject: 'Your access to {organization}',
      text: 'You are invited to the donation dashboard of {organization}. Choose a password to start.',
      newPasswordSubject: 'A new password for {organization}',
      newPasswordText: 'Use this link to choose a new password for your account at {organization}.',
      button: 'Choose a password',
      until: 'The link works once. It expires on {date}.',
      why: 'If you do not know {organization}, ignore this e-mail. Nothing happens if you do not use the link.',
    },
    pledge: PLEDGE_EMAIL_WORDINGS.en,
    accountChange: ACCOUNT_CHANGE_WORDINGS.en,
    test: {
      subject: 'Test e-mail from {organization}',
      text: 'This is a test. {organization} can send e-mails.',
      why: 'A user of the dashboard tested the e-mail settings of {organization}.',
    },
  },
  de: {
    greeting: 'Guten Tag {name},',
    greetingNobody: 'Guten Tag,',
    receipt: {
      subject: 'Ihre Quittung von {organization}',
      thanks: 'Vielen Dank für Ihre Spende von {amount} für „{event}“.',
      attached: 'Ihre Quittung liegt als PDF bei. Bitte bewahren Sie sie auf.',
      proof:
        'Für das Finanzamt liegt auch ein vereinfachter Zuwendungsnachweis bei. Er gilt zusammen mit Ihrem Kontoauszug.',
      copy: 'Eine Kopie Ihrer Quittung liegt als PDF bei.',
      amount: 'Betrag',
      date: 'Eingegangen am',
      event: 'Veranstaltung',
      number: 'Quittung Nr.',
      monthly: 'Jeden Monat spenden',
      why: 'Sie erhalten diese E-Mail, weil diese Adresse bei einer Spende an {organization} angegeben wurde.',
    },
    invitation: {
      subject: 'Ihr Zugang zu {organization}',
      text: 'Sie sind zum Spenden-Dashboard von {organization} eingeladen. Wählen Sie ein Passwort, um zu beginnen.',
      newPasswordSubject: 'Ein neues Passwort für {organization}',
      newPasswordText: 'Mit diesem Link wählen Sie ein neues Passwort für Ihr Konto bei {organization}.',
      button: 'Passwort wählen',
      until: 'Der Link gilt einmal, bis {date}.',
      why: 'Wenn Sie {organization} nicht kennen, ignorieren Sie diese E-Mail. Ohne den Link geschieht nichts.',
    },
    pledge: PLEDGE_EMAIL_WORDINGS.de,
    accountChange: ACCOUNT_CHANGE_WORDINGS.de,
    test: {
      subject: 'Test-E-Mail von {organization}',
      text: 'Das ist ein Test. {organization} kann E-Mails senden.',
      why: 'Ein Benutzer des Dashboards hat die E-Mail-Einstellungen von {organization} getestet.',
    },
  },
  fr: {
    greeting: 'Bonjour {name},',
    greetingNobody: 'Bonjour,',
    receipt: {
      subject: 'Votre reçu de {organization}',
      thanks: 'Merci pour votre don de {amount} en faveur de « {event} ».',
      attached: 'Votre reçu est joint en PDF. Merci de le conserver.',
      proof:
        'Un justificatif simplifié pour l’administration fiscale allemande est joint également. Il est valable avec votre relevé bancaire.',
      copy: 'Une copie de votre reçu est jointe en PDF.',
      amount: 'Montant',
      date: 'Reçu le',
      event: 'Événement',
      number: 'Reçu n°',
      monthly: 'Donner chaque mois',
      why: 'Vous recevez cet e-mail parce que cette adresse a été indiquée lors d’un don à {organization}.',
    },
    invitation: {
      subject: 'Votre accès à {organization}',
      text: 'Vous êtes invité au tableau de bord des dons de {organization}. Choisissez un mot de passe pour commencer.',
      newPasswordSubject: 'Un nouveau mot de passe pour {organization}',
      newPasswordText:
        'Utilisez ce lien pour choisir un nouveau mot de passe pour votre compte chez {organization}.',
      button: 'Choisir un mot de passe',
      until: 'Le lien fonctionne une fois, jusqu’au {date}.',
      why: 'Si vous ne connaissez pas {organization}, ignorez cet e-mail. Sans le lien, rien ne se passe.',
    },
    pledge: PLEDGE_EMAIL_WORDINGS.fr,
    accountChange: ACCOUNT_CHANGE_WORDINGS.fr,
    test: {
      subject: 'E-mail de test de {organization}',
      text: 'Ceci est un test. {organization} peut envoyer des e-mails.',
      why: 'Un utilisateur du tableau de bord a testé les réglages d’e-mail de {organization}.',
    },
  },
  es: {
    greeting: 'Hola, {name}:',
    greetingNobody: 'Hola:',
    receipt: {
      subject: 'Su recibo de {organization}',
      thanks: 'Gracias por su donación de {amount} para «{event}».',
      attached: 'Su recibo va adjunto en PDF. Guárdelo, por favor.',
      proof:
        'También va adjunto un justificante simplificado para Hacienda en Alemania. Vale junto con su extracto bancario.',
      copy: 'Se adjunta una copia de su recibo en PDF.',
      amount: 'Importe',
      date: 'Recibido el',
      event: 'Evento',
      number: 'Recibo n.º',
      monthly: 'Donar cada mes',
      why: 'Recibe este correo porque esta dirección se indicó en una donación a {organization}.',
    },
    invitation: {
      subject: 'Su acceso a {organization}',
      text: 'Le han invitado al panel de donaciones de {organization}. Elija una contraseña para empezar.',
      newPasswordSubject: 'Una nueva contraseña para {organization}',
      newPasswordText: 'Use este enlace para elegir una nueva contraseña para su cuenta en {organization}.',
      button: 'Elegir contraseña',
      until: 'El enlace funciona una vez, hasta el {date}.',
      why: 'Si no conoce {organization}, ignore este correo. Sin el enlace no ocurre nada.',
    },
    pledge: PLEDGE_EMAIL_WORDINGS.es,
    accountChange: ACCOUNT_CHANGE_WORDINGS.es,
    test: {
      subject: 'Correo de prueba de {organization}',
      text: 'Esto es una prueba. {organization} puede enviar correos.',
      why: 'Un usuario del panel ha probado los ajustes de correo de {organization}.',
    },
  },
  it: {
    greeting: 'Buongiorno {name},',
    greetingNobody: 'Buongiorno,',
    receipt: {
      subject: 'La sua ricevuta da {organization}',
      thanks: 'Grazie per la sua donazione di {amount} per «{event}».',
      attached: 'La ricevuta è allegata in PDF. La conservi, per favore.',
      proof:
        'È allegata anche una prova semplificata per il fisco tedesco. Vale insieme al Suo estratto conto.',
      copy: 'Una copia della ricevuta è allegata in PDF.',
      amount: 'Importo',
      date: 'Ricevuta il',
      event: 'Evento',
      number: 'Ricevuta n.',
      monthly: 'Donare ogni mese',
      why: 'Riceve questa e-mail perché questo indirizzo è stato indicato con una donazione a {organization}.',
    },
    invitation: {
      subject: 'Il suo accesso a {organization}',
      text: 'È stato invitato al pannello delle donazioni di {organization}. Scelga una password per iniziare.',
      newPasswordSubject: 'Una nuova password per {organization}',
      newPasswordText:
        'Usi questo link per scegliere una nuova password per il suo account presso {organization}.',
      button: 'Scegli una password',
      until: 'Il link funziona una volta, fino al {date}.',
      why: 'Se non conosce {organization}, ignori questa e-mail. Senza il link non succede nulla.',
    },
    pledge: PLEDGE_EMAIL_WORDINGS.it,
    accountChange: ACCOUNT_CHANGE_WORDINGS.it,
    test: {
      subject: 'E-mail di prova da {organization}',
      text: 'Questa è una prova. {organization} può inviare e-mail.',
      why: 'Un utente del pannello ha provato le impostazioni e-mail di {organization}.',
    },
  },
  nl: {
    greeting: 'Beste {name},',
    greetingNobody: 'Hallo,',
    receipt: {
      subject: 'Uw kwitantie van {organization}',
      thanks: 'Dank u voor uw donatie van {amount} aan ‘{event}’.',
      attached: 'Uw kwitantie is bijgevoegd als pdf. Bewaar deze goed.',
      proof:
        'Een vereenvoudigd bewijs voor de Duitse belastingdienst is ook bijgevoegd. Het geldt samen met uw bankafschrift.',
      copy: 'Een kopie van uw kwitantie is bijgevoegd als pdf.',
      amount: 'Bedrag',
      date: 'Ontvangen op',
      event: 'Evenement',
      number: 'Kwitantienr.',
      monthly: 'Elke maand doneren',
      why: 'U krijgt deze e-mail omdat dit adres is opgegeven bij een donatie aan {organization}.',
    },
    invitation: {
      subject: 'Uw toegang tot {organization}',
      text: 'U bent uitgenodigd voor het donatiedashboard van {organization}. Kies een wachtwoord om te beginnen.',
      newPasswordSubject: 'Een nieuw wachtwoord voor {organization}',
      newPasswordText:
        'Gebruik deze link om een nieuw wachtwoord te kiezen voor uw account bij {organization}.',
      button: 'Wachtwoord kiezen',
      until: 'De link werkt één keer, tot {date}.',
      why: 'Kent u {organization} niet? Negeer deze e-mail dan. Zonder de link gebeurt er niets.',
    },
    pledge: PLEDGE_EMAIL_WORDINGS.nl,
    accountChange: ACCOUNT_CHANGE_WORDINGS.nl,
    test: {
      subject: 'Testmail van {organization}',
      text: 'Dit is een test. {organization} kan e-mails versturen.',
      why: 'Een gebruiker van het dashboard heeft de e-mailinstellingen van {organization} getest.',
    },
  },
  ar: {
    greeting: 'مرحبًا {name}،',
    greetingNobody: 'مرحبًا،',
    receipt: {
      subject: 'إيصال تبرعكم من {organization}',
      thanks: 'شكرًا لتبرعكم بمبلغ {amount} لصالح «{event}».',
      attached: 'الإيصال مرفق بصيغة PDF. يُرجى الاحتفاظ به.',
      proof: 'أُرفق أيضًا إثبات مبسّط لمصلحة الضرائب في ألمانيا. وهو صالح مع كشف حسابكم المصرفي.',
      copy: 'نسخة من الإيصال مرفقة بصيغة PDF.',
      amount: 'المبلغ',
      date: 'تاريخ الاستلام',
      event: 'الفعالية',
      number: 'إيصال رقم',
      monthly: 'التبرع كل شهر',
      why: 'وصلتكم هذه الرسالة لأن هذا العنوان أُدخل مع تبرع إلى {organization}.',
    },
    invitation: {
      subject: 'حسابكم لدى {organization}',
      text: 'ندعوكم إلى لوحة تبرعات {organization}. اختاروا كلمة مرور للبدء.',
      newPasswordSubject: 'كلمة مرور جديدة لدى {organization}',
      newPasswordText: 'اختاروا بهذا الرابط كلمة مرور جديدة لحسابكم لدى {organization}.',
      button: 'اختيار كلمة مرور',
      until: 'يعمل الرابط مرة واحدة، وينتهي في {date}.',
      why: 'إذا كنتم لا تعرفون {organization} فتجاهلوا هذه الرسالة. لا يتغير شيء ما لم يُستخدم الرابط.',
    },
    pledge: PLEDGE_EMAIL_WORDINGS.ar,
    accountChange: ACCOUNT_CHANGE_WORDINGS.ar,
    test: {
      subject: 'رسالة تجريبية من {organization}',
      text: 'هذه رسالة تجريبية. تستطيع {organization} إرسال الرسائل.',
      why: 'جرّب أحد مستخدمي اللوحة إعدادات البريد لدى {organization}.',
    },
  },
} as const satisfies Readonly<Record<string, EmailWording>>;

const languageOf = (locale: string): string => locale.split('-', 1)[0]?.toLowerCase() ?? '';

/** Returns the wording for a locale such as `de-AT`, in English if the language has no wording. */
export function emailWording(locale: string): { readonly language: string; readonly wording: EmailWording } {
  const language = languageOf(locale);
  return Object.hasOwn(WORDINGS, language)
    ? { language, wording: WORDINGS[language as keyof typeof WORDINGS] }
    : { language: 'en', wording: WORDINGS.en };
}
